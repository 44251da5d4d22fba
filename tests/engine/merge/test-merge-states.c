/* SPDX-License-Identifier: MIT */
/*
 * Merging chosen states: a slow oracle gives the same states, every old word is read along
 * the merged states, and counts are conserved.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/ktail.h>

#include "tests/engine/oracle/random-machines.h"
#include "tests/engine/oracle/random-sets.h"
#include "tests/suite.h"

#define SETS   600
#define STATES 2000

/* Joins the values of two classes in a list of n. */
static void join(uint32_t *classes, size_t n, uint32_t a, uint32_t b)
{
	for (size_t i = 0; i < n; i++) {
		classes[i] = classes[i] == b ? a : classes[i];
	}
}

/*
 * Joins classes until no class has two transitions with the same letter to different
 * classes.
 */
static void close_slowly(uint32_t *classes, const struct kt_fsm *fsm)
{
	bool changed;

	do {
		changed = false;
		for (size_t i = 0; i < fsm->n_transitions; i++) {
			for (size_t j = 0; j < i; j++) {
				const struct kt_fsm_transition *t = &fsm->transitions[i];
				const struct kt_fsm_transition *u = &fsm->transitions[j];

				if (t->letter == u->letter &&
				    classes[t->from] == classes[u->from] &&
				    classes[t->to] != classes[u->to]) {
					join(classes, fsm->n_states, classes[t->to],
					     classes[u->to]);
					changed = true;
				}
			}
		}
	} while (changed);
}

/* Returns the sum of the counts of the transitions with this letter between the states. */
static uint64_t count_of(const struct kt_fsm *fsm, const uint32_t *number, uint32_t from,
			 uint32_t letter, uint32_t to)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < fsm->n_transitions; i++) {
		const struct kt_fsm_transition *t = &fsm->transitions[i];

		if (t->letter == letter && number[t->from] == from && number[t->to] == to) {
			sum += t->count;
		}
	}
	return sum;
}

/* Returns a copy of the machine, by its JSON, which is checked while it is read. */
static struct kt_fsm *copy_of(const struct kt_fsm *fsm)
{
	struct kt_fsm *copy = NULL;
	FILE *file = tmpfile();

	CU_ASSERT_PTR_NOT_NULL_FATAL(file);
	CU_ASSERT_EQUAL_FATAL(kt_fsm_write_json(fsm, file), KT_OK);
	rewind(file);
	CU_ASSERT_EQUAL_FATAL(kt_fsm_read_json(&copy, file, "copy"), KT_OK);
	fclose(file);
	return copy;
}

/* Checks the merged machine against the old one and the slow closure of the classes. */
static bool is_merged(const struct kt_fsm *merged, const struct kt_fsm *old,
		      const uint32_t *slow, const uint32_t *number)
{
	uint64_t before = 0;
	uint64_t after = 0;

	for (size_t i = 0; i < old->n_states; i++) {
		for (size_t j = 0; j < i; j++) {
			if ((slow[i] == slow[j]) != (number[i] == number[j])) {
				return false;
			}
		}
		if (number[i] >= merged->n_states) {
			return false;
		}
	}
	for (size_t i = 0; i < merged->n_transitions; i++) {
		const struct kt_fsm_transition *t = &merged->transitions[i];

		after += t->count;
		if (count_of(old, number, t->from, t->letter, t->to) != t->count) {
			return false;
		}
	}
	for (size_t i = 0; i < old->n_transitions; i++) {
		before += old->transitions[i].count;
	}
	for (size_t s = 0; s < merged->n_states; s++) {
		uint64_t visits = 0;
		uint64_t ends = 0;

		for (size_t i = 0; i < old->n_states; i++) {
			visits += number[i] == s ? old->states[i].visits : 0;
			ends += number[i] == s ? old->states[i].ends : 0;
		}
		if (merged->states[s].visits != visits || merged->states[s].ends != ends) {
			return false;
		}
	}
	return before == after && merged->start == number[old->start] &&
	       merged->n_words == old->n_words;
}

/* Returns whether the merged machine reads the words, each from its entry to its exit. */
static bool reads(const struct kt_fsm *merged, const struct kt_fsm *old, uint32_t *number)
{
	for (size_t i = 0; i < old->n_words; i++) {
		if (merged->words[i].entry != number[old->words[i].entry] ||
		    merged->words[i].exit != number[old->words[i].exit]) {
			return false;
		}
	}
	/* Every step of the old machine is a step of the new one, so every path is, too. */
	for (size_t i = 0; i < old->n_transitions; i++) {
		const struct kt_fsm_transition *t = &old->transitions[i];
		bool found = false;

		for (size_t j = 0; j < merged->n_transitions && !found; j++) {
			const struct kt_fsm_transition *u = &merged->transitions[j];

			found = u->letter == t->letter && u->from == number[t->from] &&
				u->to == number[t->to];
		}
		if (!found) {
			return false;
		}
	}
	return true;
}

/*
 * Returns whether the states are numbered breadth first from the start. Returns true
 * without a check if a word begins elsewhere, because the numbering then goes on from the
 * entry of that word.
 */
static bool is_canonical(const struct kt_fsm *fsm)
{
	uint32_t next = 1;

	if (fsm->start != 0) {
		return false;
	}
	for (size_t i = 0; i < fsm->n_words; i++) {
		if (fsm->words[i].entry != 0) {
			return true;
		}
	}
	for (size_t i = 0; i < fsm->n_transitions; i++) {
		const struct kt_fsm_transition *t = &fsm->transitions[i];

		if (i > 0 && (t[-1].from > t->from ||
			      (t[-1].from == t->from && t[-1].letter >= t->letter))) {
			return false;
		}
		next += t->to == next;
		if (t->to > next) {
			return false;
		}
	}
	return true;
}

static void merge_some(struct random *random, struct kt_fsm *fsm, const struct kt_fsm *old)
{
	static uint32_t slow[STATES];
	static uint32_t number[STATES];
	const uint32_t n = (uint32_t)old->n_states;

	CU_ASSERT_FATAL(n <= STATES);
	for (uint32_t i = 0; i < n; i++) {
		slow[i] = i;
	}
	for (uint32_t i = random_below(random, 5); i > 0; i--) {
		join(slow, n, slow[random_below(random, n)], slow[random_below(random, n)]);
	}
	memcpy(number, slow, n * sizeof(*number));
	close_slowly(slow, old);
	CU_ASSERT_EQUAL_FATAL(kt_merge_states(fsm, number), KT_OK);
	CU_ASSERT(is_merged(fsm, old, slow, number));
	CU_ASSERT(reads(fsm, old, number));
}

static void test_inferred(void)
{
	struct random random = {1};

	for (uint64_t seed = 1; seed <= SETS; seed++) {
		kt_words *words = random_set(seed, 12);
		struct kt_infer_options options = KT_INFER_OPTIONS_INIT;
		struct kt_fsm *fsm = NULL;
		struct kt_fsm *old;
		struct kt_fsm *copy;

		options.k = seed % 5;
		CU_ASSERT_EQUAL_FATAL(kt_infer(&fsm, words, &options), KT_OK);
		old = copy_of(fsm);
		merge_some(&random, fsm, old);
		copy = copy_of(fsm);
		CU_ASSERT(is_canonical(fsm));
		kt_fsm_free(copy);
		kt_fsm_free(old);
		kt_fsm_free(fsm);
		kt_words_free(words);
	}
}

/* Machines in which not all states are reached, and whose start has any number. */
static void test_random(void)
{
	struct random random = {2};

	for (int i = 0; i < SETS; i++) {
		struct random same = random;
		struct kt_fsm *fsm = random_machine(&random, 12, 4);
		struct kt_fsm *old = random_machine(&same, 12, 4);

		merge_some(&random, fsm, old);
		kt_fsm_free(old);
		kt_fsm_free(fsm);
	}
}

/* Without a choice, an inferred machine stays as it is. */
static void test_none(void)
{
	static const char *const strings[] = {"abcabd", "<cabd", "ab>", ""};
	struct kt_infer_options options = KT_INFER_OPTIONS_INIT;
	kt_words *words = set_of_strings(strings, 4);
	uint32_t classes[64];
	struct kt_fsm *fsm = NULL;
	struct kt_fsm *old;

	options.k = 2;
	CU_ASSERT_EQUAL_FATAL(kt_infer(&fsm, words, &options), KT_OK);
	old = copy_of(fsm);
	for (uint32_t i = 0; i < fsm->n_states; i++) {
		classes[i] = i;
	}
	CU_ASSERT_EQUAL_FATAL(kt_merge_states(fsm, classes), KT_OK);
	CU_ASSERT_EQUAL(fsm->n_states, old->n_states);
	for (uint32_t i = 0; i < fsm->n_states; i++) {
		CU_ASSERT_EQUAL(classes[i], i);
	}
	kt_fsm_free(old);
	kt_fsm_free(fsm);
	kt_words_free(words);
}

static char *new_text(const char *text)
{
	char *copy = strdup(text);

	CU_ASSERT_PTR_NOT_NULL_FATAL(copy);
	return copy;
}

static void add_point(struct kt_fsm_state *state, const char *point)
{
	state->points =
		realloc(state->points, (state->n_points + 1) * sizeof(*state->points));
	CU_ASSERT_PTR_NOT_NULL_FATAL(state->points);
	state->points[state->n_points++] = new_text(point);
}

/* Program points are merged, labels of single states are removed; a difference is refused.
 */
static void test_members(void)
{
	static const char *const strings[] = {"ab"};
	struct kt_infer_options options = KT_INFER_OPTIONS_INIT;
	kt_words *words = set_of_strings(strings, 1);
	uint32_t classes[] = {0, 1, 1};
	struct kt_fsm *fsm = NULL;
	struct kt_fsm *both;
	kt_diff *diff = NULL;

	options.k = 2;
	CU_ASSERT_EQUAL_FATAL(kt_infer(&fsm, words, &options), KT_OK);
	CU_ASSERT_EQUAL_FATAL(fsm->n_states, 3);
	add_point(&fsm->states[1], "poll");
	add_point(&fsm->states[1], "write");
	add_point(&fsm->states[2], "begin");
	add_point(&fsm->states[2], "poll");
	fsm->states[1].label = new_text("one");
	fsm->states[2].label = new_text("two");
	fsm->states[2].phase = new_text("USE");
	fsm->transitions[1].label = new_text("step");
	CU_ASSERT_EQUAL_FATAL(kt_merge_states(fsm, classes), KT_OK);
	CU_ASSERT_EQUAL_FATAL(fsm->n_states, 2);
	CU_ASSERT_EQUAL(classes[0], 0);
	CU_ASSERT_EQUAL(classes[1], 1);
	CU_ASSERT_EQUAL(classes[2], 1);
	CU_ASSERT_EQUAL_FATAL(fsm->states[1].n_points, 3);
	CU_ASSERT_STRING_EQUAL(fsm->states[1].points[0], "begin");
	CU_ASSERT_STRING_EQUAL(fsm->states[1].points[1], "poll");
	CU_ASSERT_STRING_EQUAL(fsm->states[1].points[2], "write");
	CU_ASSERT_PTR_NULL(fsm->states[1].label);
	CU_ASSERT_PTR_NULL(fsm->states[1].phase);
	CU_ASSERT_PTR_NULL(fsm->transitions[1].label);
	CU_ASSERT_EQUAL_FATAL(kt_diff_new(&diff, fsm, fsm, NULL), KT_OK);
	both = copy_of(kt_diff_machine(diff));
	CU_ASSERT_EQUAL(kt_merge_states(both, classes), KT_E_USAGE);
	kt_fsm_free(both);
	kt_diff_free(diff);
	kt_fsm_free(fsm);
	kt_words_free(words);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"inferred machines", test_inferred},
		{"random machines", test_random},
		{"no choice", test_none},
		{"points and labels", test_members},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("merging chosen states", tests);
}
