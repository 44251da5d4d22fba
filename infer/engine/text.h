/* SPDX-License-Identifier: MIT */
/*
 * All words in one text of symbols; a separator follows the letters of each word. All
 * symbols take the same number of bytes, 1 to 4, most significant byte first, so that
 * comparing bytes compares symbols.
 *
 * A position of the text is a state of the canonical machine: the state before the letter
 * at that position or, at a separator, the state at the end of the word. As an exception,
 * the first positions of all words that begin at the start are one state, the start.
 */
#ifndef KTAIL_ENGINE_TEXT_H
#define KTAIL_ENGINE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ktail/words.h>

/*
 * Prefetch distance, in loop iterations, for loops over large arrays that access other
 * arrays at random.
 */
#define KT_AHEAD 16

enum {
	KT_SYMBOL_END = 0,    /* separator after a word whose end is known */
	KT_SYMBOL_CUT = 1,    /* separator after a word whose end is truncated */
	KT_SYMBOL_LETTER = 2, /* the first letter, in byte order, of those that occur */
};

struct kt_text {
	const kt_words *words; /* Weak */
	unsigned char *bytes;  /* Owned by this */
	size_t n;              /* symbols */
	unsigned width;        /* bytes per symbol */
	uint32_t *letters;     /* Owned by this: letter numbers by rank; ranks are in byte
				* order */
	uint32_t n_letters;    /* distinct letters that occur */
};

/* Lays out the words. KT_E_USAGE if there are too many. O(letters + names log names). */
int kt_text_lay_out(struct kt_text *text, const kt_words *words);

void kt_text_clear(struct kt_text *text);

/*
 * Returns where the i-th word begins, which is right after the separator of the word
 * before.
 */
size_t kt_text_begin(const struct kt_text *text, size_t i);

static inline uint32_t kt_text_symbol(const struct kt_text *text, size_t position)
{
	const unsigned char *b;
	uint32_t symbol;

	if (text->width == 1) {
		return text->bytes[position];
	}
	b = text->bytes + position * text->width;
	symbol = (uint32_t)b[0] << 8 | b[1];
	for (unsigned i = 2; i < text->width; i++) {
		symbol = symbol << 8 | b[i];
	}
	return symbol;
}

#endif
