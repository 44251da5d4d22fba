/* SPDX-License-Identifier: MIT */
/*
 * From strings that hold windows, whatever their order, and words that refer to pieces of
 * them, to statistics that are in canonical form.
 */
#ifndef KTAIL_ENGINE_SETTLE_H
#define KTAIL_ENGINE_SETTLE_H

#include "infer/merge/kgram-set.h"
#include "infer/merge/windows.h"

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

/* The check: see kgrams-check.c. windows are those of text, which are the strings. */
int kt_kgrams_check(const struct kt_kgram_source *source, const struct kt_text *text,
		    const struct kt_windows *windows, uint64_t k);

#endif
