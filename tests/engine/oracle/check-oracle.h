/* SPDX-License-Identifier: MIT */
/*
 * Reads words by a machine, slowly: it keeps the possible states in a boolean array, and
 * scans every transition for each letter. It shares no code with the engine.
 */
#ifndef KTAIL_TESTS_ENGINE_CHECK_ORACLE_H
#define KTAIL_TESTS_ENGINE_CHECK_ORACLE_H

#include <ktail/ktail.h>

#define ORACLE_STATES 4096 /* at most */

struct check_oracle {
	const struct kt_fsm *fsm; /* Weak */
	bool in[ORACLE_STATES];
};

void check_oracle_begin(struct check_oracle *oracle, const struct kt_fsm *fsm, bool cut);

/*
 * Moves to the states that the letter leads to from the oracle's states. Returns false and
 * changes nothing if there are none.
 */
bool check_oracle_feed(struct check_oracle *oracle, uint32_t letter);

/*
 * Moves to the states that the letter leads to from any state, or to all states if no state
 * has the letter.
 */
void check_oracle_skip(struct check_oracle *oracle, uint32_t letter);

/*
 * Return whether the word is in the same states as the oracle, and whether it expects
 * the same letters.
 */
bool check_oracle_same_states(const struct check_oracle *oracle, kt_check_word *word);
bool check_oracle_same_expected(const struct check_oracle *oracle, kt_check_word *word);

#endif
