/* SPDX-License-Identifier: MIT */
#include "check-oracle.h"

#include <stdlib.h>
#include <string.h>

void check_oracle_begin(struct check_oracle *o, const struct kt_fsm *fsm, bool cut)
{
	o->fsm = fsm;
	if (fsm->n_states > ORACLE_STATES) {
		abort();
	}
	for (size_t i = 0; i < fsm->n_states; i++) {
		o->in[i] = cut || i == fsm->start;
	}
}

static size_t count(const struct check_oracle *o)
{
	size_t n = 0;

	for (size_t i = 0; i < o->fsm->n_states; i++) {
		n += o->in[i];
	}
	return n;
}

/*
 * Moves to the states that the letter leads to from the oracle's states or, if `from_all`
 * is true, from any state.
 */
static bool step(struct check_oracle *o, uint32_t letter, bool from_all)
{
	static bool to[ORACLE_STATES];
	bool any = false;

	memset(to, 0, sizeof(to));
	for (size_t i = 0; i < o->fsm->n_transitions; i++) {
		const struct kt_fsm_transition *t = &o->fsm->transitions[i];

		if (t->letter == letter && (from_all || o->in[t->from])) {
			to[t->to] = any = true;
		}
	}
	if (any) {
		memcpy(o->in, to, sizeof(to));
	}
	return any;
}

bool check_oracle_feed(struct check_oracle *o, uint32_t letter)
{
	return step(o, letter, false);
}

void check_oracle_skip(struct check_oracle *o, uint32_t letter)
{
	if (!step(o, letter, true)) {
		memset(o->in, 1, o->fsm->n_states);
	}
}

static bool expects(const struct check_oracle *o, uint32_t letter)
{
	for (size_t i = 0; i < o->fsm->n_transitions; i++) {
		const struct kt_fsm_transition *t = &o->fsm->transitions[i];

		if (t->letter == letter && o->in[t->from]) {
			return true;
		}
	}
	return false;
}

bool check_oracle_same_states(const struct check_oracle *o, kt_check_word *word)
{
	const uint32_t *states;
	size_t n;
	bool same = kt_check_states(&states, &n, word) == KT_OK && n == count(o);

	for (size_t i = 0; i < n && same; i++) {
		same = o->in[states[i]] && (i == 0 || states[i - 1] < states[i]);
	}
	return same;
}

bool check_oracle_same_expected(const struct check_oracle *o, kt_check_word *word)
{
	const uint32_t *letters;
	size_t at = 0;
	size_t n;
	bool same = kt_check_expected(&letters, &n, word) == KT_OK;

	for (uint32_t letter = 0; letter < o->fsm->n_letters && same; letter++) {
		if (expects(o, letter)) {
			same = at < n && letters[at] == letter;
			at++;
		}
	}
	return same && at == n;
}
