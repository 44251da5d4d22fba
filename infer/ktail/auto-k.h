/* SPDX-License-Identifier: MIT */
/* The k that is taken where none is given, and how that is told. ktail-sweep(1) says why.
 */
#ifndef KTAIL_AUTO_K_H
#define KTAIL_AUTO_K_H

#include <stdint.h>

#include <ktail/infer.h>
#include <ktail/words.h>

#include "infer/graph/curve.h"

/* The range of k that is looked at where none is given: 1 to this or the longest word. */
#define KT_AUTO_K_MAX 100

/* The largest k of that range for a set of words: 1 at least. O(words). */
uint64_t kt_auto_k_largest(const kt_words *words);

/*
 * Chooses a k for the words' machine, and says on standard error which, why, and what the
 * runners-up are.
 */
int kt_auto_k(uint64_t *k, const kt_words *words, enum kt_machine machine);

/* Says the choice of a curve on standard error. */
void kt_auto_k_say(const struct kt_curve *curve);

#endif
