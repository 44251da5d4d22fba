/* SPDX-License-Identifier: MIT */
/* What must hold of every machine, whatever the words: a check on the engine itself. */
#ifndef KTAIL_ENGINE_CONSERVE_H
#define KTAIL_ENGINE_CONSERVE_H

#include <ktail/fsm.h>
#include <ktail/words.h>

/*
 * Counts add up to the letters, visits to letters and words, ends to the words whose end is
 * known; every state is left as often as it is entered, but for the words that begin and
 * end there; no state has two transitions with one letter. KT_E_INTERNAL if not. O(machine
 * + words).
 */
int kt_conserve_check(const struct kt_fsm *fsm, const kt_words *words);

/* The same where only the letters and the words with a known end are known. */
int kt_conserve_check_sums(const struct kt_fsm *fsm, uint64_t letters, uint64_t known);

#endif
