/* SPDX-License-Identifier: MIT */
/*
 * The machines of every k of a range, in one pass from large k to small: merging for k - 1
 * only adds to merging for k, and determinising keeps that order.
 *
 * A sweep is not thread-safe; different sweeps are independent, also over the same words.
 */
#ifndef KTAIL_SWEEP_H
#define KTAIL_SWEEP_H

#include <stdbool.h>
#include <stdint.h>

#include "fsm.h"
#include "infer.h"
#include "status.h"
#include "words.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kt_sweep kt_sweep;

struct kt_sweep_options {
	uint64_t lo; /* the smallest k */
	uint64_t hi; /* the largest; at most 2^63 - 1 */
	enum kt_machine machine;
	const char *word;          /* Weak: recorded in machines, as kt_infer_options say */
	const char *alphabet_json; /* Weak: likewise */
};

#define KT_SWEEP_OPTIONS_INIT                                                              \
	{                                                                                  \
		.lo = 1, .hi = 40, .machine = KT_MACHINE_CHAINS, .word = "process"         \
	}

/* The size of the machine of one k. */
struct kt_sweep_row {
	uint64_t k;
	uint64_t states;
	uint64_t transitions;
	uint64_t complex; /* states as kt_fsm_count_complex() counts them */
};

/*
 * Begins a sweep. The words stay the caller's, and stay as they are as long as the sweep
 * is there. The caller owns *out; on failure it is NULL. KT_E_EMPTY when there are no
 * words, KT_E_USAGE for a range without a k, or more letters than kt_infer() takes.
 *
 * Nearly all of the time is spent here: that of sorting the suffixes, or of refining the
 * prefix tree, and what folding takes for the largest k. Memory: as kt_infer(), and 8 bytes
 * for each class of the largest k and each k of the range that is not beyond the longest
 * word. A thread may be used while the function runs; none is left behind.
 */
KT_EXPORT int kt_sweep_new(kt_sweep **out, const kt_words *words,
			   const struct kt_sweep_options *options);

/*
 * The next k, from the largest to the smallest; *more is false, and *row as it was, after
 * the last. All of them together take O(letters log letters), expected; sizes that stay
 * the same cost nothing. KT_E_MEMORY; after that the sweep can only be freed, all else is
 * KT_E_USAGE.
 */
KT_EXPORT int kt_sweep_next(bool *more, struct kt_sweep_row *row, kt_sweep *sweep);

/*
 * The machine of the k that was given last: to the byte what kt_infer() makes. The caller
 * owns *out; on failure it is NULL, and the sweep is where it was. KT_E_USAGE before the
 * first k, or where the machine has more than 2^30 states. O(machine + words).
 */
KT_EXPORT int kt_sweep_machine(struct kt_fsm **out, kt_sweep *sweep);

/* NULL is allowed. */
KT_EXPORT void kt_sweep_free(kt_sweep *sweep);

#ifdef __cplusplus
}
#endif
#endif
