/* SPDX-License-Identifier: MIT */
/*
 * Words read by a machine, slowly: the states that a word may be in as an array of yes and
 * no, moved by looking at every transition. It shares no code with the engine.
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

/* Where the letter leads from the states of the oracle; false, and no change: nowhere. */
bool check_oracle_feed(struct check_oracle *oracle, uint32_t letter);

/* To wherever the letter leads from any state, else to all. */
void check_oracle_skip(struct check_oracle *oracle, uint32_t letter);

/* Whether the word is in the same states, and expects the same letters. */
bool check_oracle_same_states(const struct check_oracle *oracle, kt_check_word *word);
bool check_oracle_same_expected(const struct check_oracle *oracle, kt_check_word *word);

#endif
