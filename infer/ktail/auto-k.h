/* SPDX-License-Identifier: MIT */
/* Chooses k if the user gives none, and reports the choice. ktail-sweep(1) explains it. */
#ifndef KTAIL_AUTO_K_H
#define KTAIL_AUTO_K_H

#include <stdint.h>

#include <ktail/infer.h>
#include <ktail/words.h>

#include "infer/graph/curve.h"

/* The largest k that is tried, even if words are longer. */
#define KT_AUTO_K_MAX 100

/* The most bytes in the name of a group, with the terminating NUL. */
#define KT_GROUP_SIZE 121

/*
 * Returns the largest k to try for a set of words: the number of letters of the longest
 * word, but at least 1 and at most KT_AUTO_K_MAX. O(words).
 */
uint64_t kt_auto_k_largest(const kt_words *words);

/*
 * Chooses a k for the machine of the words. Writes the k, the reason and the other plateaus
 * to standard error.
 */
int kt_auto_k(uint64_t *k, const kt_words *words, enum kt_machine machine);

/*
 * Writes the k chosen for a curve, the reason and the other plateaus to standard error.
 * `group` is the name of the words' group, or NULL.
 */
void kt_auto_k_say(const struct kt_curve *curve, const char *group);

#endif
