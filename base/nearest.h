/* SPDX-License-Identifier: MIT */
/* Finds the name nearest to a mistyped word, for "did you mean". */
#ifndef KTAIL_BASE_NEAREST_H
#define KTAIL_BASE_NEAREST_H

#include <stddef.h>

/* A search: set only `word` (and `length`), then pass each name to kt_nearest_try(). */
struct kt_nearest {
	const char *word;  /* Weak; NULL: no name is near */
	size_t length;     /* bytes of the word; 0: strlen(word) */
	const char *found; /* Weak: the first of the nearest names; NULL: no name is near */
	size_t distance;   /* between `word` and `found` */
};

/*
 * Compares the word with a name, and keeps the name if it is nearer than `found`. A name
 * is near if it begins with the word and the word has at least two letters, or if the
 * optimal string alignment distance of word and name (letters inserted, left out, replaced
 * or swapped with the next) is at most a third of (length of the word + 1). Words and
 * names of more than 63 bytes are never near. O(length of word * length of name).
 */
void kt_nearest_try(struct kt_nearest *nearest, const char *name);

/*
 * Returns the name in `names`, which ends with NULL, that is nearest to `word`; NULL if no
 * name is near.
 */
const char *kt_nearest_of(const char *word, const char *const *names);

/* Writes "; did you mean 'NAME'?" to `out`, or "" if name is NULL. Returns out. */
#define KT_DID_YOU_MEAN 96
const char *kt_did_you_mean(char out[KT_DID_YOU_MEAN], const char *name);

#endif
