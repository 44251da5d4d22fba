/* SPDX-License-Identifier: MIT */
/* Compares the chains of random machines with the definition. */
#include <stdlib.h>

#include <ktail/status.h>

#include "annotate/labels/chains.h"
#include "tests/suite.h"

#define STATES_MAX      12
#define TRANSITIONS_MAX 24

struct small {
	struct kt_fsm fsm;
	struct kt_fsm_state states[STATES_MAX];
	struct kt_fsm_transition transitions[TRANSITIONS_MAX];
};

/* Draws few transitions, so that most states have at most one in and one out. */
static void draw(struct small *small, unsigned *seed)
{
	size_t n = 1 + (size_t)rand_r(seed) % STATES_MAX;

	*small = (struct small){
		.fsm = {
			.states = small->states,
			.n_states = n,
			.transitions = small->transitions,
			.n_transitions = (size_t)rand_r(seed) % (n + n / 2 + 1),
			.start = (uint32_t)((size_t)rand_r(seed) % n),
		}};
	for (size_t i = 0; i < small->fsm.n_transitions; i++) {
		small->transitions[i].from = (uint32_t)((size_t)rand_r(seed) % n);
		small->transitions[i].to = (uint32_t)((size_t)rand_r(seed) % n);
	}
}

/*
 * Returns whether one transition leads from a to b, no other leaves a or enters b, and b
 * is not the start.
 */
static bool follows(const struct kt_fsm *fsm, uint32_t a, uint32_t b)
{
	size_t ways = 0;
	size_t others = 0;

	for (size_t i = 0; i < fsm->n_transitions; i++) {
		const struct kt_fsm_transition *t = &fsm->transitions[i];

		ways += t->from == a && t->to == b;
		others += (t->from == a) != (t->to == b);
	}
	return ways == 1 && others == 0 && b != fsm->start;
}

/* Returns the state that precedes `state` in a chain, n_states if there is none. */
static uint32_t before(const struct kt_fsm *fsm, uint32_t state)
{
	uint32_t i = 0;

	while (i < fsm->n_states && !follows(fsm, i, state)) {
		i++;
	}
	return i;
}

/*
 * A state within a chain follows the state before it. A state that begins a chain follows
 * no state, or, in a cycle, the last of its own chain.
 */
static void check_position(const struct kt_fsm *fsm, const struct kt_chains *chains,
			   size_t i)
{
	uint32_t state = chains->order[i];
	uint32_t from = before(fsm, state);
	size_t last = i;

	if (!chains->begins[i]) {
		CU_ASSERT_TRUE(i > 0 && from == chains->order[i - 1]);
		return;
	}
	while (last + 1 < fsm->n_states && !chains->begins[last + 1]) {
		last++;
	}
	CU_ASSERT_TRUE(from == fsm->n_states || from == chains->order[last]);
}

static void chains_are_as_defined(void)
{
	unsigned seed = 11;

	for (int round = 0; round < 20000; round++) {
		struct small small;
		struct kt_chains chains;
		unsigned seen = 0;

		draw(&small, &seed);
		CU_ASSERT_EQUAL_FATAL(kt_chains_find(&chains, &small.fsm), KT_OK);
		for (size_t i = 0; i < small.fsm.n_states; i++) {
			CU_ASSERT_FALSE(seen >> chains.order[i] & 1);
			seen |= 1U << chains.order[i];
			check_position(&small.fsm, &chains, i);
		}
		CU_ASSERT_EQUAL(seen, (1U << small.fsm.n_states) - 1);
		kt_chains_clear(&chains);
	}
}

/* The machine 0 -> 2 -> 3, 3 <-> 1 has the chains 0, 2 and 3, 1, in this order. */
static void chains_keep_their_order(void)
{
	static const uint32_t ends[][2] = {{0, 2}, {2, 3}, {3, 1}, {1, 3}};
	static const uint32_t order[] = {0, 2, 3, 1};
	static const bool begins[] = {true, false, true, false};
	struct small small = {.fsm = {.states = small.states,
				      .n_states = 4,
				      .transitions = small.transitions,
				      .n_transitions = 4}};
	struct kt_chains chains;

	for (size_t i = 0; i < 4; i++) {
		small.transitions[i].from = ends[i][0];
		small.transitions[i].to = ends[i][1];
	}
	CU_ASSERT_EQUAL_FATAL(kt_chains_find(&chains, &small.fsm), KT_OK);
	for (size_t i = 0; i < 4; i++) {
		CU_ASSERT_EQUAL(chains.order[i], order[i]);
		CU_ASSERT_EQUAL(chains.begins[i], begins[i]);
	}
	kt_chains_clear(&chains);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"chains are as defined", chains_are_as_defined},
		{"chains keep their order", chains_keep_their_order},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("chains", tests);
}
