/* SPDX-License-Identifier: MIT */
/* What is behind kt_kgrams, for the engine's own eyes. */
#ifndef KTAIL_ENGINE_KGRAM_SET_H
#define KTAIL_ENGINE_KGRAM_SET_H

#include <stdbool.h>

#include <ktail/kgrams.h>

#include "infer/engine/order.h"
#include "infer/merge/windows.h"

struct kt_kgram_word {
	char *name; /* Owned by this */
	uint64_t n; /* letters */
	uint64_t lost;
	uint32_t first; /* piece: its first k + 1 letters, or all */
	uint32_t last;  /* piece: its last k letters, or all */
	bool cut_begin;
	bool cut_end;
	char hash[KT_HASH_SIZE];
};

/*
 * Letters are numbered in byte order of their names; all of them occur. A path of m letters
 * stands for m - k windows, one after the other. Paths, pieces and words are in order, and
 * which paths there are follows from the windows (see windows.h), so that equal statistics
 * are equal in every member.
 */
struct kt_kgrams {
	uint64_t k;
	char *word;          /* Owned by this */
	char *alphabet_json; /* Owned by this; or NULL */
	kt_words *strings;   /* Owned by this: the paths, after them the pieces */
	size_t n_paths;
	uint64_t *counts; /* Owned by this: of windows, in order of the paths */
	size_t n_windows;
	struct kt_kgram_word *words; /* Owned by this */
	size_t n_words;
};

/* An empty set but for its head, which is copied; alphabet_json may be NULL. */
int kt_kgrams_new(kt_kgrams **out, uint64_t k, const char *word, const char *alphabet_json);

/*
 * From strings that hold windows, whatever their order, and words that refer to pieces of
 * them, to statistics that are in canonical form.
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
	size_t n_paths;          /* windows are those of the first strings */
	const uint64_t *counts;  /* Weak: of each of them; NULL: one, see windows.h */
	const struct kt_kgram_entry *words; /* Weak */
	size_t n_words;
	bool check; /* whether there can be words of which the source tells the truth */
};

/* Fills in all of kgrams but its head. KT_E_MALFORMED: the check failed. */
int kt_kgrams_settle(kt_kgrams *kgrams, const struct kt_kgram_source *source);

/*
 * The same from the strings and words of other statistics, which need be in no order and
 * may say a thing twice, but have all members filled in.
 */
int kt_kgrams_settle_parts(kt_kgrams *kgrams, const kt_kgrams *const *parts, size_t n,
			   bool check);

#endif
