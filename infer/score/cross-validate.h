/* SPDX-License-Identifier: MIT */
/*
 * Cross-validation over words: holds some words out, infers the machines of the others for
 * every k, and reads the words held out with them; repeats this until every word was held
 * out once. A machine that merely memorised its words reads few of the others.
 * Overgeneralisation does not show: k = 0 reads every word of known letters.
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
	uint64_t folds; /* at least 2; with more folds than words, every word is a fold */
};

#define KT_CROSS_OPTIONS_INIT                                                              \
	{                                                                                  \
		.lo = 1, .hi = 40, .machine = KT_MACHINE_CHAINS, .folds = 10               \
	}

/* The words that the machines for one k read, over all folds. */
struct kt_cross_row {
	uint64_t k;
	uint64_t words;    /* all words, each held out once */
	uint64_t accepted; /* read completely */
	uint64_t letters;  /* letters of all words */
	uint64_t fitting;  /* letters before a word's first misfit */
};

/*
 * Cross-validates. The i-th word in canonical order (by name, then hash, as machines list
 * their words) is held out in fold i modulo folds, so the order of the input does not
 * matter. A word truncated at its beginning fits if it can be read from some state. A
 * letter that occurs only in words held out never fits.
 *
 * The caller owns *out. KT_E_USAGE if there are fewer than two words or folds, or if lo
 * exceeds hi.
 *
 * Time: for each fold, one sweep and, for each k, building the machine and reading the
 * words held out; a word truncated at its beginning is tried from every transition with
 * its first letter. Memory: a copy of the words, two sweeps and two machines. May run a
 * second thread, which ends before the function returns.
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
