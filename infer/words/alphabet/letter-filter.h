/* SPDX-License-Identifier: MIT */
/*
 * The options --without and --runs: letters that are left out of words, and letters whose
 * consecutive repetitions count as one. --without is applied first. How many times a
 * program polls depends on timing, so words of different recordings are comparable only if
 * the letters of polls are filtered.
 */
#ifndef KTAIL_WORDS_LETTER_FILTER_H
#define KTAIL_WORDS_LETTER_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* Names of letters in byte order, without duplicates. */
struct kt_letter_list {
	char **items; /* Owned by this */
	size_t n;
	size_t capacity;
};

/* If all members are zero, every letter is kept. */
struct kt_letter_filter {
	struct kt_letter_list without;
	struct kt_letter_list runs;
};

void kt_letter_filter_clear(struct kt_letter_filter *filter);

int kt_letter_list_add(struct kt_letter_list *list, const char *letter);

/* Copies `filter`, replacing *out. */
int kt_letter_filter_copy(struct kt_letter_filter *out,
			  const struct kt_letter_filter *filter);

bool kt_letter_filter_is_empty(const struct kt_letter_filter *filter);
bool kt_letter_filter_same(const struct kt_letter_filter *a,
			   const struct kt_letter_filter *b);

/* Returns whether --without leaves out the letter. O(letters of the filter). */
bool kt_letter_filter_omits(const struct kt_letter_filter *filter, const char *letter);

/* Returns whether a letter stands for accesses ("R:..." or "W:..."), except "W:reg". */
static inline bool kt_letter_is_access(const char *letter)
{
	return (letter[0] == 'R' || letter[0] == 'W') && letter[1] == ':' &&
	       strcmp(letter, "W:reg") != 0;
}

/* Writes the filter as options, "--without 'a' --runs 'b'", truncated to `size` bytes. */
void kt_letter_filter_text(char *out, size_t size, const struct kt_letter_filter *filter);

/*
 * Writes {"runs": [...], "without": [...]}, but leaves out empty members. This object is
 * the member "alphabet" of a machine whose letters were not made by an alphabet. *out is
 * NULL for an empty filter; otherwise the caller frees it.
 */
int kt_letter_filter_json(char **out, const struct kt_letter_filter *filter);

/*
 * Replaces *out by the filter in `alphabet_json`, the member "alphabet" of the machine or
 * statistics in `file`. NULL gives an empty filter. KT_E_MALFORMED naming file and member.
 */
int kt_letter_filter_from_json(struct kt_letter_filter *out, const char *alphabet_json,
			       const char *file);

/*
 * Sets *filter, which holds what the user asked for, to the filter in `alphabet_json`, the
 * member of the machine in `file`, so that new words are filtered as the machine's words
 * were. A machine without a filter leaves *filter unchanged. KT_E_USAGE if neither filter
 * is empty and they differ.
 */
int kt_letter_filter_agree(struct kt_letter_filter *filter, const char *alphabet_json,
			   const char *file);

/* --- filtering --- */

/* A filter applied to numbered letters. */
struct kt_filtering {
	const struct kt_letter_filter *filter; /* Weak; NULL: all letters are kept */
	/*
	 * Owned by this: for each letter, what the filter does with it; 0: not looked up
	 * yet
	 */
	unsigned char *fates;
	size_t n;
	size_t capacity;
};

void kt_filtering_clear(struct kt_filtering *filtering);

/*
 * Sets *keep to whether the next letter of a word is kept. The function stores the latest
 * kept letter of the word in *before; set *before to KT_NO_LETTER at the beginning of each
 * word. Amortised O(1).
 */
int kt_filtering_take(struct kt_filtering *filtering, uint32_t letter, const char *name,
		      uint32_t *before, bool *keep);

#endif
