/* SPDX-License-Identifier: MIT */
/* "Did you mean": the name that a mistyped word is nearest to. */
#ifndef KTAIL_BASE_NEAREST_H
#define KTAIL_BASE_NEAREST_H

#include <stddef.h>

/* Begins with the word alone; then kt_nearest_try() each name. */
struct kt_nearest {
	const char *word;  /* Weak; NULL: nothing is near it */
	size_t length;     /* of the word; 0: up to its end */
	const char *found; /* Weak: the first of the nearest names; NULL: none is near */
	size_t distance;   /* of `found` */
};

/*
 * Offers a name. It is near if the word begins it, or if few letters are wrong: one for
 * each three of the word (optimal string alignment: inserted, left out, replaced or swapped
 * with the next). Names of more than 63 bytes are never near. O(word * name).
 */
void kt_nearest_try(struct kt_nearest *nearest, const char *name);

/* The nearest of an array that NULL ends. */
const char *kt_nearest_of(const char *word, const char *const *names);

/* "; did you mean 'NAME'?" in `out`, or "". Returns out. */
#define KT_DID_YOU_MEAN 96
const char *kt_did_you_mean(char out[KT_DID_YOU_MEAN], const char *name);

#endif
