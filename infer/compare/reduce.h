/* SPDX-License-Identifier: MIT */
/*
 * Reduces words and machines: replaces runs of some letters by one letter, or leaves them
 * out. Words that differ only in how often a program polled become equal, and what remains
 * is what the program does.
 */
#ifndef KTAIL_REDUCE_H
#define KTAIL_REDUCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fsm.h"
#include "status.h"
#include "words.h"

#ifdef __cplusplus
extern "C" {
#endif

struct kt_reduction {
	const char *const *letters; /* Weak */
	size_t n;
	/*
	 * true: leave these letters out. false: replace each maximal run of them by one
	 * letter, named "(a|b)+" for runs of a and b.
	 */
	bool omit;
};

/* Reduces words. The caller owns *out; it is NULL on failure. O(letters). */
KT_EXPORT int kt_reduce_words(kt_words **out, const kt_words *words,
			      const struct kt_reduction *reduction);

/*
 * Builds a deterministic machine of the reduced language of a machine, without counts,
 * words and entry states. The caller owns *out; it is NULL on failure. KT_E_USAGE if the
 * machine is not deterministic.
 *
 * The result can have many more states than the machine. *cut is true and *out is NULL if
 * one of the limits is exceeded:
 * - The result would have more than `most` states.
 * - Its states would stand for more than 16 times `most` states of the machine in all.
 * - More than *steps transitions would be explored.
 * The number of transitions explored is subtracted from *steps; steps may be NULL for no
 * limit.
 */
KT_EXPORT int kt_reduce_machine(struct kt_fsm **out, bool *cut, const struct kt_fsm *fsm,
				const struct kt_reduction *reduction, uint32_t most,
				uint64_t *steps);

#ifdef __cplusplus
}
#endif
#endif
