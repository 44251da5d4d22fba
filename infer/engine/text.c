/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* qsort_r */
#include "infer/engine/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/try.h"
#include "infer/engine/word-set.h"

/*
 * The suffix array indexes bytes with 32-bit signed integers, and class numbers need one
 * bit for a flag. Therefore the size of the text in bytes must stay below 2^31, and so must
 * the number of its symbols and distinct letters together.
 */
#define BYTES_MAX ((uint64_t)INT32_MAX - 16)

static int compare_letters(const void *a, const void *b, void *words)
{
	const struct kt_name *names = ((const struct kt_words *)words)->letters.names;

	return strcmp(names[*(const uint32_t *)a].text, names[*(const uint32_t *)b].text);
}

/*
 * Ranks the letters that occur, in byte order. symbol_of[letter] becomes the symbol of a
 * letter that occurs, and stays 0 for any other letter.
 */
static int rank_letters(struct kt_text *text, uint32_t *symbol_of)
{
	const kt_words *words = text->words;

	for (uint64_t i = 0; i < words->total; i++) {
		symbol_of[kt_word_set_letter(words, i)] = 1;
	}
	for (size_t i = 0; i < words->letters.n_names; i++) {
		text->n_letters += symbol_of[i];
	}
	text->letters = malloc((text->n_letters + (size_t)1) * sizeof(*text->letters));
	if (!text->letters) {
		return kt_no_memory("lay out words");
	}
	for (uint32_t i = 0, rank = 0; i < words->letters.n_names; i++) {
		if (symbol_of[i]) {
			text->letters[rank++] = i;
		}
	}
	qsort_r(text->letters, text->n_letters, sizeof(*text->letters), compare_letters,
		(void *)(uintptr_t)words);
	for (uint32_t rank = 0; rank < text->n_letters; rank++) {
		symbol_of[text->letters[rank]] = rank + KT_SYMBOL_LETTER;
	}
	return KT_OK;
}

static unsigned char *put_symbol(unsigned char *at, unsigned width, uint32_t symbol)
{
	for (unsigned i = width; i-- > 0;) {
		*at++ = (unsigned char)(symbol >> (8 * i));
	}
	return at;
}

int kt_text_lay_out(struct kt_text *text, const kt_words *words)
{
	uint64_t symbols = words->total + words->n_words;
	uint32_t *symbol_of = calloc(words->letters.n_names + 1, sizeof(*symbol_of));
	unsigned char *at;
	uint32_t last;
	int code;

	*text = (struct kt_text){.words = words};
	if (!symbol_of) {
		return kt_no_memory("lay out words");
	}
	KT_TRY_END(rank_letters(text, symbol_of));
	last = text->n_letters + KT_SYMBOL_LETTER - 1;
	text->width = last > 0xffffff ? 4 : last > 0xffff ? 3 : last > 0xff ? 2 : 1;
	if (symbols > BYTES_MAX - text->n_letters ||
	    symbols + text->n_letters > BYTES_MAX / text->width) {
		code = kt_error(KT_E_USAGE,
				"lay out words: %" PRIu64 " letters of %" PRIu32
				" kinds in %zu words are more than the engine can number",
				words->total, text->n_letters, words->n_words);
		goto end;
	}
	text->n = (size_t)symbols;
	text->bytes = at = malloc(text->n * text->width + 1);
	if (!at) {
		code = kt_no_memory("lay out words");
		goto end;
	}
	for (size_t w = 0; w < words->n_words; w++) {
		const struct kt_word *word = &words->words[w];
		uint32_t separator = word->cut_end ? KT_SYMBOL_CUT : KT_SYMBOL_END;

		for (uint64_t i = 0; i < word->n; i++) {
			uint32_t letter = kt_word_set_letter(words, word->begin + i);

			at = put_symbol(at, text->width, symbol_of[letter]);
		}
		at = put_symbol(at, text->width, separator);
	}
end:
	free(symbol_of);
	if (code) {
		kt_text_clear(text);
	}
	return code;
}

void kt_text_clear(struct kt_text *text)
{
	free(text->bytes);
	free(text->letters);
	*text = (struct kt_text){0};
}

size_t kt_text_begin(const struct kt_text *text, size_t i)
{
	/* Each earlier word is followed by one separator. */
	return i == text->words->n_words ? text->n
					 : (size_t)text->words->words[i].begin + i;
}
