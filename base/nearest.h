/* SPDX-License-Identifier: MIT */
/* "Did you mean": the name that a mistyped word is nearest to. */
#ifndef KTAIL_BASE_NEAREST_H
#define KTAIL_BASE_NEAREST_H

#include <stddef.h>

/* A search: set only `word` (and `length`), then pass each name to kt_nearest_try(). */
struct kt_nearest {
	const char *word;  /* Weak; NULL: nothing is near it */
	size_t length;     /* of the word; 0: up to its end */
	const char *found; /* Weak: the first of the nearest names; NULL: none is near */
	size_t distance;   /* of `found` */
};

/*
 * Offers a name. It is near if it begins with the word (of at least two letters), or if at
 * most (length + 1) / 3 letters of the word are wrong (optimal string alignment: inserted,
 * left out, replaced or swapped with the next). Words and names of more than 63 bytes are
 * never near. O(word * name).
 */
void kt_nearest_try(struct kt_nearest *nearest, const char *name);

/* Returns the nearest of `names`, which ends with NULL; NULL if none is near. */
const char *kt_nearest_of(const char *word, const char *const *names);

/* Writes "; did you mean 'NAME'?" to `out`, or "" if name is NULL. Returns out. */
#define KT_DID_YOU_MEAN 96
const char *kt_did_you_mean(char out[KT_DID_YOU_MEAN], const char *name);

#endif
