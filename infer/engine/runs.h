/* SPDX-License-Identifier: MIT */
/*
 * Runs of letters as one: each run of some letters that is as long as can be becomes one
 * letter, "(a|b)+" for runs of a and b. Polling that takes now one read, now twenty, is
 * then the same in all words, and what is left is what a program does.
 */
#ifndef KTAIL_RUNS_H
#define KTAIL_RUNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fsm.h"
#include "status.h"
#include "words.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The same words with runs of letters[0..n) as one. KT_E_USAGE if n is 0. The caller owns
 * *out; NULL on failure. O(letters).
 */
KT_EXPORT int kt_runs_of_words(kt_words **out, const kt_words *words,
			       const char *const *letters, size_t n);

/*
 * A deterministic machine of the language of a machine with runs of letters[0..n) as one.
 * It may have many more states than the machine: *cut is true, and *out NULL, if it would
 * take more than `most` states or those more than 16 times `most` states of the machine in
 * all. Nothing is counted in it, there are no words and no entry states. KT_E_USAGE if n is
 * 0 or the machine is not deterministic. The caller owns *out; NULL on failure.
 */
KT_EXPORT int kt_runs_of_machine(struct kt_fsm **out, bool *cut, const struct kt_fsm *fsm,
				 const char *const *letters, size_t n, uint32_t most);

#ifdef __cplusplus
}
#endif
#endif
