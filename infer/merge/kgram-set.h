/* SPDX-License-Identifier: MIT */
/* Internals of kt_kgrams, for the engine only. */
#ifndef KTAIL_ENGINE_KGRAM_SET_H
#define KTAIL_ENGINE_KGRAM_SET_H

#include <stdbool.h>

#include <ktail/kgrams.h>

#include "infer/engine/order.h"
#include "infer/merge/windows.h"

struct kt_kgram_word {
	char *name; /* Owned by this */
	uint64_t n; /* number of letters */
	uint64_t lost;
	uint32_t first; /* number of the piece with the first k + 1 letters, or with all if
			 * there are fewer */
	uint32_t last;  /* number of the piece with the last k letters, or with all if there
			 * are fewer */
	bool cut_begin;
	bool cut_end;
	char hash[KT_HASH_SIZE];
};

/*
 * Letters are numbered in byte order of their names, and each letter occurs in a word. A
 * path of m letters represents m - k consecutive windows (windows.h); a piece holds the
 * letters at one end of a word. Paths, pieces and words are sorted, and the windows
 * determine the paths, so that equal statistics are equal in every member.
 */
struct kt_kgrams {
	uint64_t k;
	char *word;                  /* Owned by this */
	char *alphabet_json;         /* Owned by this; NULL: none */
	struct kt_versions versions; /* what the words were recorded with */
	kt_words *strings;           /* Owned by this: the paths, then the pieces */
	size_t n_paths;
	uint64_t *counts; /* Owned by this: one for each window, in order of the paths */
	size_t n_windows;
	struct kt_kgram_word *words; /* Owned by this */
	size_t n_words;
};

/*
 * Creates an empty set with the given k, word unit and alphabet, which are copied;
 * alphabet_json may be NULL.
 */
int kt_kgrams_new(kt_kgrams **out, uint64_t k, const char *word, const char *alphabet_json);

/*
 * What follows builds statistics in canonical form. The input consists of strings that
 * contain the windows, in any order, and of words that refer to spans of the strings.
 */

/* Letters [from, from + n) of a string. */
struct kt_kgram_span {
	size_t string;
	uint64_t from;
	uint64_t n;
};

struct kt_kgram_entry {
	const char *name; /* Weak */
	const char *hash; /* Weak: hex digits */
	uint64_t n;
	uint64_t lost;
	bool cut_begin;
	bool cut_end;
	struct kt_kgram_span first;
	struct kt_kgram_span last;
};

struct kt_kgram_source {
	const kt_words *strings; /* Weak */
	size_t n_paths;          /* the windows are those of the first n_paths strings */
	const uint64_t *counts;  /* Weak: the count of each window; NULL: 1 each, see
				  * windows.h */
	const struct kt_kgram_entry *words; /* Weak */
	size_t n_words;
	bool check; /* whether to check that words with these statistics can exist */
};

/*
 * Fills in all members of *kgrams except k, word, alphabet_json and versions.
 * KT_E_MALFORMED if the check fails.
 */
int kt_kgrams_settle(kt_kgrams *kgrams, const struct kt_kgram_source *source);

/*
 * Like kt_kgrams_settle(), from the strings and words of parts[0..n); also adds the
 * versions of the parts. All members of a part must be filled in, but need not be sorted
 * and may contain duplicates.
 */
int kt_kgrams_settle_parts(kt_kgrams *kgrams, const kt_kgrams *const *parts, size_t n,
			   bool check);

#endif
