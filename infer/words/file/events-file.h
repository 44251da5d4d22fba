/* SPDX-License-Identifier: MIT */
/* `.events` files, see ktail-words(1): a word as text, one letter per line. */
#ifndef KTAIL_WORDS_EVENTS_FILE_H
#define KTAIL_WORDS_EVENTS_FILE_H

#include <stddef.h>
#include <stdint.h>

#include <ktail/words.h>

/*
 * A word to write. letter(source, i) returns the name of the i-th letter; on failure, it
 * sets an error message and returns NULL. It is called once for each i from 0 to n - 1, in
 * order.
 */
struct kt_events_word {
	struct kt_word_info info;
	uint64_t n;
	void *source; /* Weak */
	const char *(*letter)(void *source, uint64_t i);
};

/*
 * Writes each word to a file of its own in the folder `dir`, which is created if needed.
 * File names come from the words' names; equal names get a number. Each file is written
 * whole or not at all, and names the software that recorded the word. KT_E_USAGE if the
 * folder holds other .events files, because a later reader of the folder would mix their
 * words with these words.
 */
int kt_events_write(const char *dir, const struct kt_events_word *words, size_t n);

/* Appends a word read from a file, or from standard input for "-", to `words`. O(size). */
int kt_events_read(kt_words *words, const char *path);

/*
 * Like kt_events_read(), from text[0..length). `path` is for messages; the word is called
 * `name` if the text does not name it.
 */
int kt_events_parse(kt_words *words, const char *path, const char *name, const char *text,
		    size_t length);

/*
 * Receives a word while it is read; each callback returns 0 or a status. letter() stores
 * the number of a letter in *out. begin() comes before the first append(), or at the end of
 * an empty word; describe() comes at the end, when losses and a truncated end are known.
 */
struct kt_events_taker {
	int (*letter)(void *context, uint32_t *out, const char *name, size_t length);
	int (*begin)(void *context, const struct kt_word_info *info);
	int (*append)(void *context, const uint32_t *letters, size_t n);
	int (*describe)(void *context, const struct kt_word_info *info);
	void *context; /* Weak */
};

/*
 * Reads a word as kt_events_read() does, but passes letters on as soon as their lines are
 * complete, and keeps no letters. Also KT_E_MALFORMED if the directive cut-begin comes
 * after the first letter, because begin() must report a truncated beginning. Memory:
 * O(longest line).
 */
int kt_events_stream(const char *path, const struct kt_events_taker *taker);

#endif
