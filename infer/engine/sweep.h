/* SPDX-License-Identifier: MIT */
/*
 * Infers the machines for every k of a range in one pass from large k to small. States that
 * are merged for k are also merged for k - 1, and this stays true when the machines are
 * determinised, so each step only adds merges.
 *
 * A sweep is not thread-safe. Different sweeps are independent, even over the same words.
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
	uint64_t hi; /* the largest k; at most 2^63 - 1 */
	enum kt_machine machine;
	const char *word;          /* Weak: recorded in machines, as in kt_infer_options */
	const char *alphabet_json; /* Weak: as in kt_infer_options */
};

#define KT_SWEEP_OPTIONS_INIT                                                              \
	{                                                                                  \
		.lo = 1, .hi = 40, .machine = KT_MACHINE_CHAINS, .word = "process"         \
	}

/* The size of the machine for one k. */
struct kt_sweep_row {
	uint64_t k;
	uint64_t states;
	uint64_t transitions;
	uint64_t complex; /* states that kt_fsm_count_complex() counts */
};

/*
 * Begins a sweep. The words are borrowed: they must stay unchanged until kt_sweep_free().
 * The caller owns *out; it is NULL on failure. KT_E_EMPTY if there are no words; KT_E_USAGE
 * if the range is empty or there are more letters than kt_infer() accepts.
 *
 * This call takes nearly all of the sweep's time: it sorts suffixes or refines the prefix
 * tree, and merges for the largest k. Memory: as for kt_infer(), plus 8 bytes per class of
 * the largest k and 8 per k of the range up to the length of the longest word. May run a
 * second thread, which ends before the function returns.
 */
KT_EXPORT int kt_sweep_new(kt_sweep **out, const kt_words *words,
			   const struct kt_sweep_options *options);

/*
 * Advances to the next k, from the largest to the smallest. After the last k, *more is
 * false and *row unchanged.
 *
 * All calls together take O(letters log letters), expected; a k that changes nothing costs
 * nothing. After KT_E_MEMORY the sweep can only be freed, and all other calls return
 * KT_E_USAGE.
 */
KT_EXPORT int kt_sweep_next(bool *more, struct kt_sweep_row *row, kt_sweep *sweep);

/*
 * Builds the machine for the k of the last row; it equals the machine that kt_infer()
 * builds for that k. The caller owns *out; on failure it is NULL and the sweep unchanged.
 * KT_E_USAGE before the first row, or if the machine has more than 2^30 states. O(machine
 * + words).
 */
KT_EXPORT int kt_sweep_machine(struct kt_fsm **out, kt_sweep *sweep);

/* NULL is allowed. */
KT_EXPORT void kt_sweep_free(kt_sweep *sweep);

#ifdef __cplusplus
}
#endif
#endif
