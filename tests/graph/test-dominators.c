/* SPDX-License-Identifier: MIT */
/*
 * Tests dominators: by hand, with an oracle that removes each state in turn, with igraph,
 * and on a large machine.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "infer/graph/dominators.h"
#include "infer/graph/igraph-adapter.h"
#include "tests/engine/oracle/random-sets.h"
#include "tests/suite.h"

#define STATES_MAX      12
#define TRANSITIONS_MAX 48

struct small {
	struct kt_fsm fsm;
	struct kt_fsm_state states[STATES_MAX];
	struct kt_fsm_transition transitions[TRANSITIONS_MAX];
};

static void begin(struct small *small, size_t n_states)
{
	memset(small, 0, sizeof(*small));
	small->fsm.states = small->states;
	small->fsm.n_states = n_states;
	small->fsm.transitions = small->transitions;
}

static void add(struct small *small, uint32_t from, uint32_t to)
{
	struct kt_fsm_transition *t = &small->transitions[small->fsm.n_transitions++];

	t->from = from;
	t->to = to;
	t->count = 1;
}

/* --- the oracle: states that are still reachable after one is removed --- */

static void reach(bool *reached, const struct kt_fsm *fsm, bool back, uint32_t without)
{
	bool more = true;

	while (more) {
		more = false;
		for (size_t i = 0; i < fsm->n_transitions; i++) {
			const struct kt_fsm_transition *t = &fsm->transitions[i];
			uint32_t from = back ? t->to : t->from;
			uint32_t to = back ? t->from : t->to;

			if (reached[from] && !reached[to] && to != without) {
				reached[to] = true;
				more = true;
			}
		}
	}
}

static bool is_end(const struct kt_fsm *fsm, uint32_t state)
{
	bool ends = false;
	bool leaves = false;

	for (size_t i = 0; i < fsm->n_states; i++) {
		ends = ends || fsm->states[i].ends;
	}
	for (size_t i = 0; i < fsm->n_transitions; i++) {
		const struct kt_fsm_transition *t = &fsm->transitions[i];

		leaves = leaves || (t->from == state && t->to != state);
	}
	return ends ? fsm->states[state].ends > 0 : !leaves;
}

static void reach_from_root(bool *reached, const struct kt_fsm *fsm, bool post,
			    uint32_t without)
{
	memset(reached, 0, STATES_MAX);
	for (uint32_t i = 0; i < fsm->n_states; i++) {
		reached[i] = i != without && (post ? is_end(fsm, i) : i == fsm->start);
	}
	reach(reached, fsm, post, without);
}

/*
 * Compares every pair of states with the oracle, and checks that all dominators of a state
 * also dominate its immediate dominator.
 */
static bool same_as_slow(const struct kt_dominators *d, const struct kt_fsm *fsm, bool post)
{
	bool reached[STATES_MAX];
	bool without[STATES_MAX];
	bool same = d->n == fsm->n_states;

	reach_from_root(reached, fsm, post, KT_NO_STATE);
	for (uint32_t a = 0; a < fsm->n_states; a++) {
		reach_from_root(without, fsm, post, a);
		same = same && d->reached[a] == reached[a];
		for (uint32_t b = 0; b < fsm->n_states; b++) {
			bool dominates = reached[a] && reached[b] && !without[b];
			uint32_t up = d->of[b];

			same = same && kt_dominates(d, a, b) == dominates;
			if (dominates && a != b) {
				same = same && up != KT_NO_STATE && kt_dominates(d, a, up);
			}
		}
	}
	return same;
}

static bool check(const struct kt_fsm *fsm, bool post)
{
	struct kt_dominators d;
	bool same;

	if ((post ? kt_post_dominators_find : kt_dominators_find)(&d, fsm) != KT_OK) {
		return false;
	}
	same = same_as_slow(&d, fsm, post);
	kt_dominators_clear(&d);
	return same;
}

/* --- tests --- */

static uint32_t common_of(const struct kt_dominators *d, const uint32_t *states, size_t n)
{
	uint32_t common;

	CU_ASSERT_EQUAL_FATAL(kt_dominators_common(&common, d, states, n), KT_OK);
	return common;
}

static void test_nothing(void)
{
	struct small small;
	struct kt_dominators d;

	begin(&small, 0);
	CU_ASSERT_EQUAL(kt_dominators_find(&d, &small.fsm), KT_OK);
	CU_ASSERT_EQUAL(d.n, 0);
	CU_ASSERT_EQUAL(common_of(&d, NULL, 0), KT_NO_STATE);
	kt_dominators_clear(&d);
	begin(&small, 1);
	CU_ASSERT(check(&small.fsm, false));
	CU_ASSERT(check(&small.fsm, true));
}

/* 0 -> 1 -> {2, 3} -> 4 -> 1, 4 -> 5; 6 is not reached, and leads to 5. */
static void test_by_hand(void)
{
	const uint32_t branches[] = {2, 3, 6};
	struct small small;
	struct kt_dominators d;

	begin(&small, 7);
	add(&small, 0, 1);
	add(&small, 1, 2);
	add(&small, 1, 3);
	add(&small, 2, 4);
	add(&small, 3, 4);
	add(&small, 4, 1);
	add(&small, 4, 5);
	add(&small, 6, 5);
	CU_ASSERT_EQUAL_FATAL(kt_dominators_find(&d, &small.fsm), KT_OK);
	CU_ASSERT_EQUAL(d.of[0], KT_NO_STATE);
	CU_ASSERT_EQUAL(d.of[4], 1);
	CU_ASSERT_EQUAL(d.of[5], 4);
	CU_ASSERT_EQUAL(d.of[6], KT_NO_STATE);
	CU_ASSERT(d.reached[5] && !d.reached[6]);
	CU_ASSERT_EQUAL(common_of(&d, branches, 3), 1);
	CU_ASSERT_EQUAL(common_of(&d, branches, 1), 2);
	CU_ASSERT_EQUAL(common_of(&d, branches + 2, 1), KT_NO_STATE);
	CU_ASSERT(kt_dominates(&d, 0, 5) && kt_dominates(&d, 5, 5));
	CU_ASSERT_FALSE(kt_dominates(&d, 2, 4));
	CU_ASSERT_FALSE(kt_dominates(&d, 6, 6));
	kt_dominators_clear(&d);

	CU_ASSERT_EQUAL_FATAL(kt_post_dominators_find(&d, &small.fsm), KT_OK);
	CU_ASSERT_EQUAL(d.of[5], KT_NO_STATE);
	CU_ASSERT_EQUAL(d.of[1], 4);
	CU_ASSERT_EQUAL(d.of[6], 5);
	CU_ASSERT_EQUAL(common_of(&d, branches, 3), 5);
	kt_dominators_clear(&d);
}

static void draw(struct small *small, struct random *random)
{
	uint32_t n = 1 + random_below(random, STATES_MAX);
	uint32_t density = random_below(random, 3);

	begin(small, n);
	small->fsm.start = random_below(random, n);
	for (uint32_t from = 0; from < n; from++) {
		uint32_t degree = random_below(random, 2 + density);

		small->states[from].ends = random_below(random, 6) == 0;
		for (uint32_t i = 0; i < degree; i++) {
			add(small, from,
			    random_below(random, 3) ? (from + 1) % n
						    : random_below(random, n));
		}
	}
}

static void test_random(void)
{
	struct random random = {.state = 7};
	bool same = true;

	for (int i = 0; i < 10000 && same; i++) {
		struct small small;

		draw(&small, &random);
		same = check(&small.fsm, false) && check(&small.fsm, true);
		if (!same) {
			printf("machine %d differs\n", i);
		}
	}
	CU_ASSERT(same);
}

/* --- comparison with igraph, for machines that are too large for the oracle --- */

static bool same_as_igraph(const struct kt_fsm *fsm)
{
	struct kt_igraph_guard guard;
	struct kt_dominators d;
	igraph_vector_int_t dom;
	igraph_t graph;
	bool same = kt_dominators_find(&d, fsm) == KT_OK;

	kt_igraph_begin(&guard);
	igraph_vector_int_init(&dom, 0);
	same = same && kt_igraph_make(&graph, fsm) == KT_OK;
	same = same && igraph_dominator_tree(&graph, fsm->start, &dom, NULL, NULL,
					     IGRAPH_OUT) == IGRAPH_SUCCESS;
	for (uint32_t i = 0; i < fsm->n_states && same; i++) {
		igraph_integer_t up = VECTOR(dom)[i];

		same = d.of[i] == (up < 0 ? KT_NO_STATE : (uint32_t)up) &&
		       d.reached[i] == (up >= 0 || i == fsm->start);
	}
	igraph_destroy(&graph);
	igraph_vector_int_destroy(&dom);
	kt_igraph_end(&guard);
	kt_dominators_clear(&d);
	return same;
}

#define MANY 3000

/* A long path with shortcuts and back edges, like machines of words. */
static bool check_large(struct random *random)
{
	struct kt_fsm fsm = {.n_states = MANY};
	bool same;

	fsm.states = calloc(MANY, sizeof(*fsm.states));
	fsm.transitions = calloc(3 * MANY, sizeof(*fsm.transitions));
	if (!fsm.states || !fsm.transitions) {
		abort();
	}
	for (uint32_t from = 0; from < MANY; from++) {
		uint32_t degree = 1 + (random_below(random, 8) == 0) * 2;

		for (uint32_t i = 0; i < degree; i++) {
			uint32_t near = from + 1 < MANY ? from + 1 : from;

			fsm.transitions[fsm.n_transitions++] = (struct kt_fsm_transition){
				.from = from,
				.to = i == 0 ? near : random_below(random, MANY)};
		}
	}
	same = same_as_igraph(&fsm);
	free(fsm.states);
	free(fsm.transitions);
	return same;
}

/* Returns the common dominator that all other common dominators dominate. */
static uint32_t common_by_definition(const struct kt_dominators *d, const uint32_t *states,
				     size_t n)
{
	uint32_t last = KT_NO_STATE;

	for (uint32_t a = 0; a < d->n; a++) {
		bool all = true;
		bool any = false;

		for (size_t i = 0; i < n; i++) {
			all = all &&
			      (!d->reached[states[i]] || kt_dominates(d, a, states[i]));
			any = any || d->reached[states[i]];
		}
		if (all && any && (last == KT_NO_STATE || kt_dominates(d, last, a))) {
			last = a;
		}
	}
	return last;
}

static void test_common(void)
{
	struct random random = {.state = 31};

	for (int i = 0; i < 4000; i++) {
		uint32_t states[4];
		size_t n = random_below(&random, 5);
		struct kt_dominators d;
		struct small small;

		draw(&small, &random);
		CU_ASSERT_EQUAL_FATAL(i % 2 ? kt_dominators_find(&d, &small.fsm)
					    : kt_post_dominators_find(&d, &small.fsm),
				      KT_OK);
		for (size_t j = 0; j < n; j++) {
			states[j] = random_below(&random, (uint32_t)small.fsm.n_states);
		}
		CU_ASSERT_EQUAL(common_of(&d, states, n),
				common_by_definition(&d, states, n));
		kt_dominators_clear(&d);
	}
}

static void test_igraph(void)
{
	struct random random = {.state = 29};
	bool same = true;

	for (int i = 0; i < 40 && same; i++) {
		same = check_large(&random);
	}
	CU_ASSERT(same);
}

/* A long chain with a back edge at its end: the search must not recurse once per state. */
static void test_large(void)
{
	const uint32_t n = 300000;
	struct kt_fsm fsm = {.n_states = n, .n_transitions = n};
	uint32_t *all = calloc(n, sizeof(*all));
	struct kt_dominators d;

	fsm.states = calloc(n, sizeof(*fsm.states));
	fsm.transitions = calloc(n, sizeof(*fsm.transitions));
	CU_ASSERT_PTR_NOT_NULL_FATAL(all);
	CU_ASSERT_PTR_NOT_NULL_FATAL(fsm.states);
	CU_ASSERT_PTR_NOT_NULL_FATAL(fsm.transitions);
	fsm.states[n - 1].ends = 1;
	for (uint32_t i = 0; i < n; i++) {
		fsm.transitions[i].from = i;
		fsm.transitions[i].to = i + 1 < n ? i + 1 : n / 2;
	}
	for (uint32_t i = 0; i < n; i++) {
		all[i] = n - 1 - i;
	}
	CU_ASSERT_EQUAL_FATAL(kt_dominators_find(&d, &fsm), KT_OK);
	CU_ASSERT_EQUAL(common_of(&d, all, n - 7), 7);
	CU_ASSERT(kt_dominates(&d, 1, n - 1));
	CU_ASSERT_EQUAL(d.of[n - 1], n - 2);
	kt_dominators_clear(&d);
	CU_ASSERT_EQUAL_FATAL(kt_post_dominators_find(&d, &fsm), KT_OK);
	CU_ASSERT_EQUAL(d.of[0], 1);
	kt_dominators_clear(&d);
	free(fsm.states);
	free(fsm.transitions);
	free(all);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"nothing", test_nothing},
		{"by hand", test_by_hand},
		{"random machines", test_random},
		{"against igraph", test_igraph},
		{"a long chain", test_large},
		{"in common", test_common},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("dominators", tests);
}
