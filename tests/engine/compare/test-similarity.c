/* SPDX-License-Identifier: MIT */
/*
 * Compares similarity scores with the solution of their system of equations (similarity.h),
 * computed for all pairs in floating point.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <ktail/ktail.h>

#include "infer/compare/similarity.h"
#include "tests/engine/oracle/random-machines.h"
#include "tests/suite.h"

/* Scores of all pairs of states. */
struct dense {
	const struct kt_fsm *fsm[2];
	double *out; /* for outgoing letters: out[old state * new states + new state] */
	double *in;  /* for incoming letters, with the same indices */
};

static bool same_letter(const struct dense *d, const struct kt_fsm_transition *t,
			const struct kt_fsm_transition *u)
{
	return d->fsm[0]->letters[t->letter][0] == d->fsm[1]->letters[u->letter][0];
}

static uint32_t end_of(const struct kt_fsm_transition *t, bool backwards)
{
	return backwards ? t->to : t->from;
}

static uint32_t other_end_of(const struct kt_fsm_transition *t, bool backwards)
{
	return backwards ? t->from : t->to;
}

/* Returns whether the letter leads from the state or, if backwards, into the state. */
static bool has_letter(const struct kt_fsm *fsm, uint32_t state, char letter,
		       bool backwards)
{
	for (size_t i = 0; i < fsm->n_transitions; i++) {
		const struct kt_fsm_transition *t = &fsm->transitions[i];

		if (end_of(t, backwards) == state && fsm->letters[t->letter][0] == letter) {
			return true;
		}
	}
	return false;
}

static double rate(const struct dense *d, const double *scores, uint32_t a, uint32_t b,
		   bool backwards)
{
	const uint32_t state[2] = {a, b};
	double sum = 0;
	unsigned common = 0;
	unsigned alone = 0;

	for (size_t i = 0; i < d->fsm[0]->n_transitions; i++) {
		const struct kt_fsm_transition *t = &d->fsm[0]->transitions[i];

		for (size_t j = 0; j < d->fsm[1]->n_transitions; j++) {
			const struct kt_fsm_transition *u = &d->fsm[1]->transitions[j];

			if (end_of(t, backwards) == a && end_of(u, backwards) == b &&
			    same_letter(d, t, u)) {
				common++;
				sum += 1 + 0.6 * scores[other_end_of(t, backwards) *
								d->fsm[1]->n_states +
							other_end_of(u, backwards)];
			}
		}
	}
	for (char letter = 'a'; letter <= 'z'; letter++) {
		alone += has_letter(d->fsm[0], state[0], letter, backwards) !=
			 has_letter(d->fsm[1], state[1], letter, backwards);
	}
	return common + alone ? 0.5 * sum / (common + alone) : 0;
}

static double *solve(const struct dense *d, bool backwards)
{
	size_t n = d->fsm[0]->n_states * d->fsm[1]->n_states;
	double *scores = calloc(n, sizeof(*scores));
	double *next = calloc(n, sizeof(*next));

	for (int pass = 0; pass < 30; pass++) {
		double *before = scores;

		for (size_t p = 0; p < n; p++) {
			next[p] = rate(d, scores, (uint32_t)(p / d->fsm[1]->n_states),
				       (uint32_t)(p % d->fsm[1]->n_states), backwards);
		}
		scores = next;
		next = before;
	}
	free(next);
	return scores;
}

static bool shares(const struct dense *d, uint32_t a, uint32_t b, bool backwards)
{
	for (char letter = 'a'; letter <= 'z'; letter++) {
		if (has_letter(d->fsm[0], a, letter, backwards) &&
		    has_letter(d->fsm[1], b, letter, backwards)) {
			return true;
		}
	}
	return false;
}

static void check(const struct kt_similarity *similar, const struct dense *d)
{
	size_t n_new = d->fsm[1]->n_states;

	for (uint32_t a = 0; a < d->fsm[0]->n_states; a++) {
		for (uint32_t b = 0; b < n_new; b++) {
			size_t found = kt_similarity_find(similar, a, b);
			double expected = d->out[a * n_new + b] + d->in[a * n_new + b];

			CU_ASSERT_EQUAL(found != SIZE_MAX,
					shares(d, a, b, false) && shares(d, a, b, true));
			if (found != SIZE_MAX) {
				CU_ASSERT_DOUBLE_EQUAL((double)similar->score[found] /
							       KT_SIMILARITY_ONE,
						       expected, 1e-7);
			}
		}
	}
}

static void check_pair(const struct kt_fsm *old, const struct kt_fsm *new)
{
	struct dense d = {.fsm = {old, new}};
	struct kt_groups arrivals[2];
	struct kt_similarity similar;
	struct kt_joint joint;

	CU_ASSERT_EQUAL_FATAL(kt_joint_init(&joint, old, new), KT_OK);
	CU_ASSERT_EQUAL_FATAL(kt_arrivals_init(&arrivals[0], old), KT_OK);
	CU_ASSERT_EQUAL_FATAL(kt_arrivals_init(&arrivals[1], new), KT_OK);
	CU_ASSERT_EQUAL_FATAL(kt_similarity_init(&similar, &joint, arrivals, 1000000),
			      KT_OK);
	d.out = solve(&d, false);
	d.in = solve(&d, true);
	check(&similar, &d);
	free(d.out);
	free(d.in);
	kt_similarity_clear(&similar);
	kt_groups_clear(&arrivals[0]);
	kt_groups_clear(&arrivals[1]);
	kt_joint_clear(&joint);
}

static void test_scores(void)
{
	for (uint64_t seed = 1; seed <= 60; seed++) {
		struct random random = {.state = seed * 37};
		struct kt_fsm *old = random_machine(&random, 7, 4);
		struct kt_fsm *new = seed % 2 ? edited_machine(&random, old, 3)
					      : random_machine(&random, 7, 4);

		check_pair(old, new);
		kt_fsm_free(old);
		kt_fsm_free(new);
	}
}

/*
 * If only few pairs of a machine with itself are kept, each state that is entered and left
 * is still paired with itself.
 */
static void test_limit(void)
{
	unsigned deeper = 0;

	for (uint64_t seed = 1; seed <= 50; seed++) {
		struct random random = {.state = seed * 11};
		struct kt_fsm *fsm = random_machine(&random, 60, 3);
		struct kt_groups arrivals[2];
		struct kt_similarity similar;
		struct kt_joint joint;

		CU_ASSERT_EQUAL_FATAL(kt_joint_init(&joint, fsm, fsm), KT_OK);
		CU_ASSERT_EQUAL_FATAL(kt_arrivals_init(&arrivals[0], fsm), KT_OK);
		CU_ASSERT_EQUAL_FATAL(kt_arrivals_init(&arrivals[1], fsm), KT_OK);
		CU_ASSERT_EQUAL_FATAL(kt_similarity_init(&similar, &joint, arrivals, 200),
				      KT_OK);
		CU_ASSERT_TRUE(similar.n <= 200);
		deeper += !similar.cut && similar.depth > 1;
		for (uint32_t s = 0; !similar.cut && s < fsm->n_states; s++) {
			bool inner =
				joint.machine[0].first[s] < joint.machine[0].first[s + 1] &&
				arrivals[0].first[s] < arrivals[0].first[s + 1];

			CU_ASSERT_EQUAL(kt_similarity_find(&similar, s, s) != SIZE_MAX,
					inner);
		}
		kt_similarity_clear(&similar);
		kt_groups_clear(&arrivals[0]);
		kt_groups_clear(&arrivals[1]);
		kt_joint_clear(&joint);
		kt_fsm_free(fsm);
	}
	CU_ASSERT_TRUE(deeper > 0);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"random machines", test_scores},
		{"the limit on pairs", test_limit},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("scores", tests);
}
