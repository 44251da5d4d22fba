/* SPDX-License-Identifier: MIT */
/*
 * Word sets, the input of the engine. Letters are numbers with names. A word is a sequence
 * of letters with a name of its own, and records whether its beginning and its end are
 * known.
 *
 * A set is not thread-safe. Different sets are independent.
 */
#ifndef KTAIL_WORDS_H
#define KTAIL_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "export.h"
#include "versions.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kt_words kt_words;

/*
 * The largest integer that readers of fsm.json accept, and therefore the largest number of
 * lost events that a word may state.
 */
#define KT_LOST_MAX ((uint64_t)INT64_MAX)

struct kt_word_info {
	const char *name; /* Weak: copied when passed in, owned by the set when returned */
	uint64_t lost;    /* events known to be missing before or within the word; at most
			   * KT_LOST_MAX */
	bool cut_begin;   /* the beginning is missing: the word gets an entry state */
	bool cut_end;     /* the end is missing: the tails of the last letters are
			   * unknown */
	/*
	 * Weak, like the name: the software and hardware of the recording; NULL: unknown
	 */
	const struct kt_versions *versions;
};

#define KT_WORD_INFO_INIT                                                                  \
	{                                                                                  \
		.name = "unknown"                                                          \
	}

/* Creates an empty set. The caller owns *out. */
KT_EXPORT int kt_words_new(kt_words **out);

/* NULL is allowed. */
KT_EXPORT void kt_words_free(kt_words *words);

/*
 * Writes the number of the letter called name[0..length) to *out; a new name is copied.
 * Letters are numbered in order of first use. KT_E_MALFORMED if the name is empty, not
 * valid UTF-8 or contains control characters. O(length), expected.
 */
KT_EXPORT int kt_words_letter(uint32_t *out, kt_words *words, const char *name,
			      size_t length);

/* Ends the current word, if there is one, and begins another. */
KT_EXPORT int kt_words_begin(kt_words *words, const struct kt_word_info *info);

/* Replaces what is known of the current word by *info. */
KT_EXPORT int kt_words_describe(kt_words *words, const struct kt_word_info *info);

/* Appends letters[0..n) to the current word. Amortised O(n). */
KT_EXPORT int kt_words_append(kt_words *words, const uint32_t *letters, size_t n);

/*
 * Return the number of words, of letters in all words, and of distinct letter names. O(1).
 */
KT_EXPORT size_t kt_words_count(const kt_words *words);
KT_EXPORT uint64_t kt_words_total(const kt_words *words);
KT_EXPORT size_t kt_words_letter_count(const kt_words *words);

/* Returns the name of a letter, owned by the set; NULL if there is no such letter. */
KT_EXPORT const char *kt_words_letter_name(const kt_words *words, uint32_t letter);

/* Adds the versions of all words to *out. O(words). */
KT_EXPORT int kt_words_versions(struct kt_versions *out, const kt_words *words);

/*
 * Writes what is known of the i-th word to *info, and its number of letters to *n. Words
 * are numbered in the order of kt_words_begin(). KT_E_USAGE if there is no such word.
 */
KT_EXPORT int kt_words_get(const kt_words *words, size_t i, struct kt_word_info *info,
			   uint64_t *n);

/*
 * Copies letters [from, from + n) of the i-th word to out. KT_E_USAGE if there are no such
 * letters.
 */
KT_EXPORT int kt_words_read(const kt_words *words, size_t i, uint64_t from, size_t n,
			    uint32_t *out);

#ifdef __cplusplus
}
#endif
#endif
