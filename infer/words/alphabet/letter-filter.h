/* SPDX-License-Identifier: MIT */
/*
 * The options --without and --runs: letters that are left out of words, and letters of
 * which a run counts as one. Leaving out comes first. Polling goes by time: such words are
 * the same in all recordings.
 */
#ifndef KTAIL_WORDS_LETTER_FILTER_H
#define KTAIL_WORDS_LETTER_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Names of letters, by bytes, each once. */
struct kt_letter_list {
	char **items; /* Owned by this */
	size_t n;
	size_t capacity;
};

/* All zero: every letter is kept. */
struct kt_letter_filter {
	struct kt_letter_list without;
	struct kt_letter_list runs;
};

void kt_letter_filter_clear(struct kt_letter_filter *filter);

int kt_letter_list_add(struct kt_letter_list *list, const char *letter);

/* Replaces *out. */
int kt_letter_filter_copy(struct kt_letter_filter *out,
			  const struct kt_letter_filter *filter);

bool kt_letter_filter_is_empty(const struct kt_letter_filter *filter);
bool kt_letter_filter_same(const struct kt_letter_filter *a,
			   const struct kt_letter_filter *b);

/* As options: "--without 'a' --runs 'b'"; truncated to the size. */
void kt_letter_filter_text(char *out, size_t size, const struct kt_letter_filter *filter);

/*
 * {"runs": [...], "without": [...]}, without what is empty: the alphabet of a machine whose
 * letters come from none. *out is NULL of an empty filter; else the caller frees it.
 */
int kt_letter_filter_json(char **out, const struct kt_letter_filter *filter);

/*
 * What the alphabet of the machine in `file`, or of statistics, says; NULL: there is none.
 * Replaces *out. KT_E_MALFORMED naming file and member.
 */
int kt_letter_filter_from_json(struct kt_letter_filter *out, const char *alphabet_json,
			       const char *file);

/*
 * Words for the machine in `file` are made as its own were: *filter, what was asked for, is
 * empty or the same, and then what the machine says. A machine that says nothing leaves it
 * alone. KT_E_USAGE if they contradict each other.
 */
int kt_letter_filter_agree(struct kt_letter_filter *filter, const char *alphabet_json,
			   const char *file);

/* --- at work --- */

/* On letters that have numbers. */
struct kt_filtering {
	const struct kt_letter_filter *filter; /* Weak; NULL: all are kept */
	unsigned char *fates;                  /* Owned by this: by number; 0: not known */
	size_t n;
	size_t capacity;
};

void kt_filtering_clear(struct kt_filtering *filtering);

/*
 * Whether the next letter of a word is kept. *before, which begins as KT_NO_LETTER, is the
 * word's letter that was kept last. Amortised O(1).
 */
int kt_filtering_take(struct kt_filtering *filtering, uint32_t letter, const char *name,
		      uint32_t *before, bool *keep);

#endif
