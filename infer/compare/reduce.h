/* SPDX-License-Identifier: MIT */
/*
 * Reduces words and machines: replaces runs of chosen letters by one letter, or leaves
 * these letters out. Words that differ only in how often a program polled become equal, and
 * what remains is what the program does.
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
	const char *const *letters; /* Weak: the letters to be reduced */
	size_t n;
	/*
	 * true: leave the letters out. false: replace each maximal run of the letters by
	 * one letter, named "(a|b)+" for runs of a and b.
	 */
	bool omit;
};

/* Reduces words. The caller owns *out, which is NULL on failure. O(letters). */
KT_EXPORT int kt_reduce_words(kt_words **out, const kt_words *words,
			      const struct kt_reduction *reduction);

/*
 * Builds a deterministic machine of the reduced language of a machine, without counts,
 * words and entry states. The caller owns *out, which is NULL on failure. KT_E_USAGE if the
 * machine is not deterministic.
 *
 * The result can have many more states than the machine. *cut is true and *out is NULL if
 * a limit is exceeded:
 * - The result has at most `most` states.
 * - The sets of states that the result consists of have at most 16 times `most` members.
 * - The search makes at most *steps steps, one for each state and transition explored. The
 *   number of steps made is subtracted from *steps; steps may be NULL for no limit.
 */
KT_EXPORT int kt_reduce_machine(struct kt_fsm **out, bool *cut, const struct kt_fsm *fsm,
				const struct kt_reduction *reduction, uint32_t most,
				uint64_t *steps);

#ifdef __cplusplus
}
#endif
#endif
