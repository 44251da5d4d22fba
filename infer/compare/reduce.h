/* SPDX-License-Identifier: MIT */
/*
 * Words and machines with some letters made less of: runs of them taken as one letter, or
 * left out. Polling that takes now one read, now twenty, is then the same in all words, and
 * what is left is what a program does.
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
	 * true: these letters are left out. false: each run of them that is as long as can
	 * be becomes one letter, called "(a|b)+" for runs of a and b.
	 */
	bool omit;
};

/* The same words, reduced. The caller owns *out; NULL on failure. O(letters). */
KT_EXPORT int kt_reduce_words(kt_words **out, const kt_words *words,
			      const struct kt_reduction *reduction);

/*
 * A deterministic machine of the reduced language of a machine. It may have many more
 * states than the machine: *cut is true, and *out NULL, if it would take more than `most`
 * states, or these stand for more than 16 times `most` states of the machine in all, or it
 * would take more than *steps steps, transitions looked at. Those that it takes are taken
 * off *steps; NULL: any number.
 * Nothing is counted in it, there are no words and no entry states. KT_E_USAGE if the
 * machine is not deterministic. The caller owns *out; NULL on failure.
 */
KT_EXPORT int kt_reduce_machine(struct kt_fsm **out, bool *cut, const struct kt_fsm *fsm,
				const struct kt_reduction *reduction, uint32_t most,
				uint64_t *steps);

#ifdef __cplusplus
}
#endif
#endif
