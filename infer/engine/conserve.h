/* SPDX-License-Identifier: MIT */
/* Self-check of the engine: invariants that every machine must satisfy. */
#ifndef KTAIL_ENGINE_CONSERVE_H
#define KTAIL_ENGINE_CONSERVE_H

#include <ktail/fsm.h>
#include <ktail/words.h>

/*
 * Checks invariants of a machine; KT_E_INTERNAL if one of them does not hold. O(machine +
 * words).
 * - The counts of transitions add up to the number of letters, the visits of states to the
 *   number of letters plus that of words, and the ends of states to the number of words
 *   with a known end.
 * - Every state is left as often as it is entered, except for words that begin or end
 *   there.
 * - No state has two transitions with the same letter.
 */
int kt_conserve_check(const struct kt_fsm *fsm, const kt_words *words);

/*
 * Like kt_conserve_check(), for callers that know only the number of letters and `known`,
 * the number of words with a known end.
 */
int kt_conserve_check_sums(const struct kt_fsm *fsm, uint64_t letters, uint64_t known);

#endif
