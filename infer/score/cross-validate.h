/* SPDX-License-Identifier: MIT */
/*
 * Cross-validation over words: some words are held out, the machines of the others are
 * inferred for every k, and are given the words held out to read; so in turn with all
 * words. A machine that has merely learnt its words by heart reads few of the others; how
 * much too general a machine is does not show (k = 0 reads everything that has known
 * letters).
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
	uint64_t lo; /* smallest k */
	uint64_t hi; /* largest k */
	enum kt_machine machine;
	uint64_t folds; /* 2 or more; with more folds than words, each word is one */
};

#define KT_CROSS_OPTIONS_INIT                                                              \
	{                                                                                  \
		.lo = 1, .hi = 40, .machine = KT_MACHINE_CHAINS, .folds = 10               \
	}

/* What the machines of one k could read, all folds together. */
struct kt_cross_row {
	uint64_t k;
	uint64_t words;    /* held out: all words, each once */
	uint64_t accepted; /* read whole */
	uint64_t letters;  /* of all words */
	uint64_t fitting;  /* before a word's first misfit */
};

/*
 * Cross-validates. The i-th word in canonical order (by name, then hash, as machines list
 * their words) is held out in fold i modulo folds, so the order in which words were given
 * does not matter. A word whose beginning is cut fits if some state can read it whole. A
 * letter that only words held out have fits nothing.
 *
 * The caller owns *out. KT_E_USAGE if there are fewer than two words or folds, or lo is
 * more than hi. Time: for each fold one sweep and, for each k, its machine and the words
 * held out, of which each whose beginning is cut takes as long as the machine has
 * transitions of its first letter. Memory: the words once more, twice what a sweep takes,
 * and 2 machines. A thread may be used while the function runs; none is left behind.
 */
KT_EXPORT int kt_cross_new(kt_cross **out, const kt_words *words,
			   const struct kt_cross_options *options);

/* NULL is allowed. */
KT_EXPORT void kt_cross_free(kt_cross *cross);

/* One row for each k, ascending; they belong to the cross-validation. O(1). */
KT_EXPORT const struct kt_cross_row *kt_cross_rows(const kt_cross *cross, size_t *n);

/* How many folds there were. O(1). */
KT_EXPORT uint64_t kt_cross_folds(const kt_cross *cross);

#ifdef __cplusplus
}
#endif
#endif
