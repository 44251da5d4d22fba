/* SPDX-License-Identifier: MIT */
/* Invariants of every machine, whatever the words: a self-check of the engine. */
#ifndef KTAIL_ENGINE_CONSERVE_H
#define KTAIL_ENGINE_CONSERVE_H

#include <ktail/fsm.h>
#include <ktail/words.h>

/*
 * Checks that counts add up to the letters, visits to letters and words, and ends to the
 * words with a known end; that every state is left as often as it is entered, except for
 * words that begin or end there; and that no state has two transitions with one letter.
 *
 * KT_E_INTERNAL if a check fails. O(machine + words).
 */
int kt_conserve_check(const struct kt_fsm *fsm, const kt_words *words);

/*
 * Like kt_conserve_check(), where only the totals of letters and of words with a known end
 * are available.
 */
int kt_conserve_check_sums(const struct kt_fsm *fsm, uint64_t letters, uint64_t known);

#endif
