/* SPDX-License-Identifier: MIT */
/* `.events` files, see ktail-words(1): a word as text, one letter a line. */
#ifndef KTAIL_WORDS_EVENTS_FILE_H
#define KTAIL_WORDS_EVENTS_FILE_H

#include <stddef.h>
#include <stdint.h>

#include <ktail/words.h>

/*
 * A word to be written; letter(source, i) names its i-th letter, of n, and is asked for
 * them in order; NULL: it failed, with a message.
 */
struct kt_events_word {
	struct kt_word_info info;
	uint64_t n;
	void *source; /* Weak */
	const char *(*letter)(void *source, uint64_t i);
};

/*
 * Writes each word as a file of its own in the folder `dir`, which is made if it is not
 * there. File names come from the words' names and are told apart by a number where needed.
 * Each file is there whole or not at all. KT_E_USAGE if the folder holds .events files that
 * are none of these: reading the folder would mix them up.
 */
int kt_events_write(const char *dir, const struct kt_events_word *words, size_t n);

/* Reads a word from a file, or standard input for "-", to the end of `words`. O(size). */
int kt_events_read(kt_words *words, const char *path);

/* The same from text[0..length); `path` stands in messages, `name` is the word's name. */
int kt_events_parse(kt_words *words, const char *path, const char *name, const char *text,
		    size_t length);

/*
 * Who takes a word while it is read. Each returns 0 or a status. begin() comes before the
 * first letters, or at the end of a word without any; describe() at the end.
 */
struct kt_events_taker {
	int (*letter)(void *context, uint32_t *out, const char *name, size_t length);
	int (*begin)(void *context, const struct kt_word_info *info);
	int (*append)(void *context, const uint32_t *letters, size_t n);
	int (*describe)(void *context, const struct kt_word_info *info);
	void *context; /* Weak */
};

/*
 * Reads a word as kt_events_read() does, but hands letters on as soon as their lines are
 * whole, and keeps nothing. KT_E_MALFORMED besides if a line says only after the first
 * letter that the word's beginning is cut. O(1) in memory.
 */
int kt_events_stream(const char *path, const struct kt_events_taker *taker);

#endif
