/* SPDX-License-Identifier: MIT */
/*
 * Adding a long word of other letters to a small set changes how the engine encodes and
 * sorts the text, but the rest of the machine must stay that of the small set.
 */
#include <stdio.h>
#include <string.h>

#include <ktail/ktail.h>

#include "random-sets.h"
#include "tests/suite.h"

#define K_MAX 6

static enum kt_machine machine;

/* Copies a set, and adds a fragment of `kinds` letters that are in no other word. */
static kt_words *put_beside(const kt_words *set, uint32_t kinds)
{
	struct kt_word_info info = {.name = "~", .cut_begin = true, .cut_end = true};
	kt_words *words;
	char name[16];
	uint32_t letter;

	CU_ASSERT_EQUAL_FATAL(kt_words_new(&words), KT_OK);
	for (size_t i = 0; i < kt_words_count(set); i++) {
		copy_word(words, set, i);
	}
	CU_ASSERT_EQUAL_FATAL(kt_words_begin(words, &info), KT_OK);
	for (uint32_t i = 0; i < kinds; i++) {
		/* Names that sort after and before all others, so that ranks have gaps. */
		int n = snprintf(name, sizeof(name), i % 2 ? "~%u" : "!%u", i);

		CU_ASSERT_EQUAL_FATAL(kt_words_letter(&letter, words, name, (size_t)n),
				      KT_OK);
		CU_ASSERT_EQUAL_FATAL(kt_words_append(words, &letter, 1), KT_OK);
	}
	return words;
}

static bool same_transition(const struct kt_fsm *a, const struct kt_fsm *b, size_t i)
{
	const struct kt_fsm_transition *x = &a->transitions[i];
	const struct kt_fsm_transition *y = &b->transitions[i];

	return x->from == y->from && x->to == y->to && x->count == y->count &&
	       strcmp(a->letters[x->letter], b->letters[y->letter]) == 0;
}

/*
 * Returns whether b consists of a and, after the states of a, a chain of `kinds` letters.
 */
static bool is_beside(const struct kt_fsm *a, const struct kt_fsm *b, uint32_t kinds)
{
	bool same = b->n_states == a->n_states + kinds + 1 &&
		    b->n_transitions == a->n_transitions + kinds;

	for (size_t i = 0; same && i < a->n_states; i++) {
		same = a->states[i].visits == b->states[i].visits &&
		       a->states[i].ends == b->states[i].ends;
	}
	for (size_t i = 0; same && i < a->n_transitions; i++) {
		same = same_transition(a, b, i);
	}
	for (size_t i = 0; same && i < a->n_words; i++) {
		same = a->words[i].entry == b->words[i].entry &&
		       a->words[i].exit == b->words[i].exit &&
		       strcmp(a->words[i].hash, b->words[i].hash) == 0;
	}
	return same;
}

/*
 * Returns whether the sweep's current machine consists of the machine of the set alone and
 * a chain.
 */
static bool check_machine(kt_sweep *sweep, const kt_words *set, uint64_t k, uint32_t kinds)
{
	struct kt_infer_options options = KT_INFER_OPTIONS_INIT;
	struct kt_fsm *alone = NULL;
	struct kt_fsm *beside = NULL;
	bool same;

	options.k = k;
	options.machine = machine;
	same = kt_infer(&alone, set, &options) == KT_OK &&
	       kt_sweep_machine(&beside, sweep) == KT_OK && is_beside(alone, beside, kinds);
	kt_fsm_free(alone);
	kt_fsm_free(beside);
	return same;
}

/*
 * Checks all k from K_MAX down. If `beyond` is not 0, the sweep begins with k = kinds +
 * beyond, and this k and the next smaller one are checked, too.
 */
static bool check_set(const kt_words *set, uint32_t kinds, uint64_t beyond)
{
	struct kt_sweep_options options = KT_SWEEP_OPTIONS_INIT;
	kt_words *words = put_beside(set, kinds);
	kt_sweep *sweep = NULL;
	struct kt_sweep_row row;
	bool more = true;
	bool same;

	options.hi = beyond ? kinds + beyond : K_MAX;
	options.machine = machine;
	same = kt_sweep_new(&sweep, words, &options) == KT_OK;
	while (same && more) {
		same = kt_sweep_next(&more, &row, sweep) == KT_OK;
		if (same && more && (row.k <= K_MAX || row.k + 1 >= options.hi)) {
			same = check_machine(sweep, set, row.k, kinds);
		}
	}
	kt_sweep_free(sweep);
	kt_words_free(words);
	return same;
}

/*
 * Numbers of added letters below and above each change of a symbol's width (text.c) or of
 * the encoding for sorting (suffixes.c).
 */
static void test_kinds(void)
{
	static const uint32_t kinds[] = {1, 240, 300, 65000, 65290, 65600, 70000};

	for (uint64_t seed = 1; seed <= 6; seed++) {
		kt_words *set = random_set(seed, seed % 2 ? 200 : 5);

		for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
			uint64_t beyond = (seed + i) % 3;

			CU_ASSERT_TRUE_FATAL(check_set(set, kinds[i], beyond));
		}
		kt_words_free(set);
	}
}

/* Tests many sets, with few added letters. */
static void test_sets(void)
{
	for (uint64_t seed = 100; seed < 400; seed++) {
		kt_words *set = random_set(seed, seed % 2 ? 60 : 5);

		CU_ASSERT_TRUE_FATAL(check_set(set, (uint32_t)(seed % 7) * 50, seed % 4));
		kt_words_free(set);
	}
}

int main(int argc, char **argv)
{
	CU_TestInfo tests[] = {
		{"kinds", test_kinds},
		{"sets", test_sets},
		CU_TEST_INFO_NULL,
	};

	machine = argc > 1 && strcmp(argv[1], "pta") == 0 ? KT_MACHINE_PTA
							  : KT_MACHINE_CHAINS;
	return kt_run_suite("beside", tests);
}
