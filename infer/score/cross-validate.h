/* SPDX-License-Identifier: MIT */
/*
 * Cross-validation over words: holds some words out, infers a machine of the other words
 * for each k, and reads the held-out words with each machine; repeats this until every word
 * was held out once. A machine that merely memorised its own words reads few held-out
 * words. Overgeneralisation does not show: the machine for k = 0 reads every word of known
 * letters.
 */
#ifndef KTAIL_CROSS_VALIDATE_H
#define KTAIL_CROSS_VALIDATE_H

#include <stddef.h>
#include <stdint.h>

#include "export.h"
#include "infer.h"
#include "status.h"
#include "words.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kt_cross kt_cross;

struct kt_cross_options {
	uint64_t lo; /* the smallest k */
	uint64_t hi; /* the largest k */
	enum kt_machine machine;
	uint64_t folds; /* at least 2; with more folds than words, each word is a fold of
			 * its own */
};

#define KT_CROSS_OPTIONS_INIT                                                              \
	{                                                                                  \
		.lo = 1, .hi = 40, .machine = KT_MACHINE_CHAINS, .folds = 10               \
	}

/* Sums over all folds for one k. */
struct kt_cross_row {
	uint64_t k;
	uint64_t words;    /* all words, each held out once */
	uint64_t accepted; /* words that were read completely */
	uint64_t letters;  /* letters of all words */
	uint64_t fitting;  /* letters before a word's first misfit */
};

/*
 * Cross-validates. The i-th word in canonical order (by name, then hash, as machines list
 * their words) is held out in fold i modulo folds, so the order of the input does not
 * matter. A word truncated at its beginning fits if it can be read from some state. A
 * letter that occurs only in held-out words never fits.
 *
 * The caller owns *out. KT_E_USAGE if there are fewer than two words or folds, or if lo
 * exceeds hi.
 *
 * Time: for each fold, one sweep and, for each k, building the machine and reading the
 * held-out words; a word truncated at its beginning is tried from every transition with its
 * first letter. May run a second thread, which ends before the function returns. Memory per
 * thread: a copy of the words, a sweep and a machine.
 */
KT_EXPORT int kt_cross_new(kt_cross **out, const kt_words *words,
			   const struct kt_cross_options *options);

/* NULL is allowed. */
KT_EXPORT void kt_cross_free(kt_cross *cross);

/* Returns one row per k, ascending, owned by the cross-validation. O(1). */
KT_EXPORT const struct kt_cross_row *kt_cross_rows(const kt_cross *cross, size_t *n);

/* Returns the number of folds. O(1). */
KT_EXPORT uint64_t kt_cross_folds(const kt_cross *cross);

#ifdef __cplusplus
}
#endif
#endif
