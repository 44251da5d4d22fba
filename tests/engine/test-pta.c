/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>

#include "infer-rig.h"
#include "tests/engine/oracle/random-sets.h"
#include "tests/engine/oracle/reference.h"
#include "tests/suite.h"

static struct kt_fsm *infer(const kt_words *words, uint64_t k)
{
	return rig_infer(words, KT_MACHINE_PTA, k);
}

static struct kt_fsm *infer_strings(uint64_t k, size_t n, const char *const *strings)
{
	return rig_infer_strings(KT_MACHINE_PTA, k, n, strings);
}

/* Computed by hand; docs/internals/engine.md compares some of them with those of chains. */
static void test_golden_table(void)
{
	static const struct rig_row rows[] = {
		{{"", "aaaa"}, 2, 2, 1, 1},
		{{"a", "ab", "abab"}, 3, 2, 2, 2},
		{{"ab", "abc"}, 2, 2, 4, 3},
		{{"abab"}, 1, 1, 2, 2},
		{{"ab", "cb"}, 2, 1, 3, 3},
		{{"abc", "xbc"}, 2, 9, 4, 4},
		{{"aab", "ab"}, 2, 9, 4, 4},
		{{"abcd", "xbc"}, 2, 2, 4, 5},
		{{"ab", "ac", "xb", "xc"}, 4, 9, 3, 4},
		{{"ab", "ac", "xb"}, 3, 9, 4, 5},
		{{"ab", "ac", "xb"}, 3, 1, 4, 5},
		{{"ab", "ac", "xb"}, 3, 0, 1, 4},
		{{""}, 1, 0, 1, 0},
		{{""}, 1, 3, 1, 0},
		{{"abc", "xbc", "<b>"}, 3, 0, 1, 4},
		/*
		 * If a word is cut fewer than k letters below a node, the node's k-tail is
		 * unknown, even if other words continue where it is cut.
		 */
		{{"ab>", "ac"}, 2, 1, 4, 3},
		{{"ab", "cb>", "db"}, 3, 2, 5, 5},
		{{"ab", "cb>", "db"}, 3, 1, 3, 4},
		{{"a>", "aaaa"}, 2, 2, 5, 4},
		{{"aa>", "aaaa"}, 2, 2, 5, 4},
		{{"aaa>", "aaaaaa"}, 2, 2, 1, 1},
		/*
		 * A fragment is a chain from an entry state of its own; its states may
		 * have the same k-tails as others.
		 */
		{{"ab", "<b"}, 2, 2, 3, 2},
		{{"ab", "<b>"}, 2, 2, 5, 3},
		{{"<ab", "<bb>"}, 2, 2, 7, 4},
		{{"<ab", "<ab"}, 2, 2, 4, 2},
	};

	rig_check_rows(rows, sizeof(rows) / sizeof(rows[0]), KT_MACHINE_PTA);
}

/* Every member of one small machine, computed by hand. */
static void test_members(void)
{
	static const uint64_t visits[] = {3, 2, 1, 3};
	struct kt_fsm *fsm = infer_strings(9, 3, (const char *const[]){"xb", "ac", "ab"});

	CU_ASSERT_EQUAL(fsm->k, 9);
	CU_ASSERT_STRING_EQUAL(fsm->machine, "pta");
	CU_ASSERT_EQUAL_FATAL(fsm->n_states, 4);
	CU_ASSERT_EQUAL_FATAL(fsm->n_transitions, 5);
	rig_check_transition(fsm, 0, 0, "a", 1, 2);
	rig_check_transition(fsm, 1, 0, "x", 2, 1);
	rig_check_transition(fsm, 2, 1, "b", 3, 1);
	rig_check_transition(fsm, 3, 1, "c", 3, 1);
	rig_check_transition(fsm, 4, 2, "b", 3, 1);
	for (size_t i = 0; i < 4; i++) {
		CU_ASSERT_EQUAL(fsm->states[i].visits, visits[i]);
		CU_ASSERT_EQUAL(fsm->states[i].ends, i == 3 ? 3 : 0);
	}
	for (size_t i = 0; i < 3; i++) {
		CU_ASSERT_EQUAL(fsm->words[i].entry, 0);
		CU_ASSERT_EQUAL(fsm->words[i].exit, 3);
	}
	kt_fsm_free(fsm);
}

static void test_fragments(void)
{
	/* A fragment enters the state of the tree at which its letters follow. */
	struct kt_fsm *fsm = infer_strings(2, 2, (const char *const[]){"abcabd", "<cabd"});
	const struct kt_fsm_word *fragment = &fsm->words[fsm->words[0].complete];

	CU_ASSERT_EQUAL(fragment->events, 4);
	CU_ASSERT_EQUAL(fragment->entry, 2);
	CU_ASSERT_EQUAL(fsm->words[0].exit, fsm->words[1].exit);
	kt_fsm_free(fsm);
	/* If no word begins at the start, the start's k-tail is unknown. */
	fsm = infer_strings(1, 2, (const char *const[]){"<ab", "<bb>"});
	CU_ASSERT_EQUAL(fsm->states[0].visits, 0);
	CU_ASSERT_NOT_EQUAL(fsm->words[0].entry, 0);
	CU_ASSERT_NOT_EQUAL(fsm->words[1].entry, 0);
	kt_fsm_free(fsm);
	/* A fragment's state with the same k-tail as the start is merged with the start. */
	fsm = infer_strings(3, 2, (const char *const[]){"ab", "<xab"});
	CU_ASSERT_EQUAL(fsm->n_states, 4);
	CU_ASSERT_EQUAL(fsm->states[0].visits, 2);
	kt_fsm_free(fsm);
}

static void test_huge_k(void)
{
	const char *const strings[] = {"abab", "abb>", "<b>"};
	struct kt_fsm *a = infer_strings(5, 3, strings);
	kt_words *words = set_of_strings(strings, 3);
	struct kt_fsm *b = infer(words, INT64_MAX);
	char text[200];

	b->k = a->k;
	CU_ASSERT_TRUE(same_machine(a, b, text, sizeof(text)));
	kt_fsm_free(a);
	kt_fsm_free(b);
	kt_words_free(words);
}

/*
 * Draws short words whose second letter is one of `kinds`, so that nodes have up to that
 * many children, many with equal subtrees; some words are cut.
 */
static kt_words *draw_bushes(uint32_t n_words, uint32_t kinds, uint64_t seed)
{
	struct random random = {.state = seed};
	struct kt_word_info info = KT_WORD_INFO_INIT;
	kt_words *words;

	CU_ASSERT_EQUAL_FATAL(kt_words_new(&words), KT_OK);
	for (uint32_t i = 0; i < n_words; i++) {
		info.cut_begin = random_below(&random, 20) == 0;
		info.cut_end = random_below(&random, 20) == 0;
		CU_ASSERT_EQUAL_FATAL(kt_words_begin(words, &info), KT_OK);
		rig_append_number(words, random_below(&random, 3));
		rig_append_number(words, random_below(&random, kinds));
		for (uint32_t j = random_below(&random, 4); j > 0; j--) {
			rig_append_number(words, random_below(&random, 2));
		}
	}
	return words;
}

static void test_bushes(void)
{
	static const uint32_t kinds[] = {3, 40, 300, 1000};
	char text[200];

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		kt_words *words = draw_bushes(1200, kinds[i], 77 + i);
		struct reference *reference = reference_new_from(words, KT_MACHINE_PTA);

		for (uint64_t k = 0; k < 7; k++) {
			struct kt_fsm *fsm = infer(words, k);

			CU_ASSERT_TRUE(same_machine(fsm, reference_infer(reference, k),
						    text, sizeof(text)));
			kt_fsm_free(fsm);
		}
		reference_free(reference);
		kt_words_free(words);
	}
}

/*
 * There are too many letters for the reference, so the machines of a sweep are compared
 * with those inferred for each k alone.
 */
static void test_sweep(void)
{
	kt_words *words = draw_bushes(40000, 50, 5);
	struct kt_sweep_options options = KT_SWEEP_OPTIONS_INIT;
	struct kt_sweep_row row;
	kt_sweep *sweep = NULL;
	bool more = true;
	char text[200];

	options.lo = 0;
	options.hi = 12;
	options.machine = KT_MACHINE_PTA;
	CU_ASSERT_EQUAL_FATAL(kt_sweep_new(&sweep, words, &options), KT_OK);
	while (kt_sweep_next(&more, &row, sweep) == KT_OK && more) {
		struct kt_fsm *one = infer(words, row.k);
		struct kt_fsm *swept = NULL;

		CU_ASSERT_EQUAL_FATAL(kt_sweep_machine(&swept, sweep), KT_OK);
		CU_ASSERT_TRUE(same_machine(one, swept, text, sizeof(text)));
		CU_ASSERT_EQUAL(row.states, one->n_states);
		kt_fsm_free(one);
		kt_fsm_free(swept);
	}
	CU_ASSERT_FALSE(more);
	CU_ASSERT_EQUAL(row.k, 0);
	kt_sweep_free(sweep);
	kt_words_free(words);
}

/* One word of one repeated letter: each round of refining splits one node off. */
static void test_long_chain(void)
{
	static uint32_t letters[300000];
	struct kt_word_info info = {.name = "w", .cut_end = true};
	struct kt_fsm *fsm;
	kt_words *words;

	CU_ASSERT_EQUAL_FATAL(kt_words_new(&words), KT_OK);
	CU_ASSERT_EQUAL_FATAL(kt_words_letter(letters, words, "a", 1), KT_OK);
	CU_ASSERT_EQUAL_FATAL(kt_words_begin(words, &info), KT_OK);
	CU_ASSERT_EQUAL_FATAL(kt_words_append(words, letters, 300000), KT_OK);
	fsm = infer(words, 299999);
	CU_ASSERT_EQUAL(fsm->n_states, 1);
	kt_fsm_free(fsm);
	fsm = infer(words, 300000);
	CU_ASSERT_EQUAL(fsm->n_states, 300001);
	kt_fsm_free(fsm);
	kt_words_free(words);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"golden table", test_golden_table},
		{"every member of a machine", test_members},
		{"fragments", test_fragments},
		{"huge k", test_huge_k},
		{"bushes", test_bushes},
		{"sweep", test_sweep},
		{"long chain", test_long_chain},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("pta", tests);
}
