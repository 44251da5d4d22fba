/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "infer-rig.h"
#include "tests/engine/oracle/random-sets.h"
#include "tests/engine/oracle/reference.h"
#include "tests/suite.h"

static struct kt_fsm *infer(const kt_words *words, uint64_t k)
{
	return rig_infer(words, KT_MACHINE_CHAINS, k);
}

static struct kt_fsm *infer_strings(uint64_t k, size_t n, const char *const *strings)
{
	return rig_infer_strings(KT_MACHINE_CHAINS, k, n, strings);
}

static void test_golden_table(void)
{
	static const struct rig_row rows[] = {
		{{"", "aaaa"}, 2, 2, 1, 1},
		{{"a", "ab", "abab"}, 3, 2, 1, 2},
		{{"ab", "abc"}, 2, 2, 3, 3},
		{{"abab"}, 1, 1, 2, 2},
		{{"ab", "cb"}, 2, 1, 3, 3},
		{{"abc", "xbc"}, 2, 9, 4, 4},
		{{"aab", "ab"}, 2, 9, 3, 3},
		{{"abcd", "xbc"}, 2, 2, 4, 5},
		{{""}, 1, 0, 1, 0},
		{{""}, 1, 3, 1, 0},
		{{"abc", "xbc", "<b>"}, 3, 0, 1, 4},
	};

	rig_check_rows(rows, sizeof(rows) / sizeof(rows[0]), KT_MACHINE_CHAINS);
}

/* Every member of one small machine, computed by hand. */
static void test_members(void)
{
	struct kt_fsm *fsm = infer_strings(1, 2, (const char *const[]){"ab", "cb"});

	CU_ASSERT_EQUAL(fsm->k, 1);
	CU_ASSERT_STRING_EQUAL(fsm->machine, "chains");
	CU_ASSERT_STRING_EQUAL(fsm->word, "process");
	CU_ASSERT_PTR_NULL(fsm->alphabet_json);
	CU_ASSERT_EQUAL(fsm->n_letters, 3);
	CU_ASSERT_EQUAL(fsm->start, 0);
	rig_check_transition(fsm, 0, 0, "a", 1, 1);
	rig_check_transition(fsm, 1, 0, "c", 1, 1);
	rig_check_transition(fsm, 2, 1, "b", 2, 2);
	CU_ASSERT_EQUAL(fsm->states[0].visits, 2);
	CU_ASSERT_EQUAL(fsm->states[1].visits, 2);
	CU_ASSERT_EQUAL(fsm->states[2].visits, 2);
	CU_ASSERT_EQUAL(fsm->states[0].ends + fsm->states[1].ends, 0);
	CU_ASSERT_EQUAL(fsm->states[2].ends, 2);
	for (size_t i = 0; i < 2; i++) {
		CU_ASSERT_EQUAL(fsm->words[i].events, 2);
		CU_ASSERT_EQUAL(fsm->words[i].entry, 0);
		CU_ASSERT_EQUAL(fsm->words[i].exit, 2);
		CU_ASSERT_TRUE(fsm->words[i].complete);
	}
	/* Words of the same name are sorted by hash: printf 'a\nb\n' | xxhsum -H2 */
	CU_ASSERT_TRUE(strcmp(fsm->words[0].hash, fsm->words[1].hash) < 0);
	kt_fsm_free(fsm);
}

static void test_hash(void)
{
	struct kt_fsm *fsm = infer_strings(3, 2, (const char *const[]){"", "abc"});

	/* xxhsum -H2 of nothing, and of "a\nb\nc\n" */
	CU_ASSERT_STRING_EQUAL(fsm->words[1].hash, "99aa06d3014798d86001c324468d497f");
	CU_ASSERT_STRING_EQUAL(fsm->words[0].hash, "8107af94127a92e5649b50e8ff688e15");
	kt_fsm_free(fsm);
}

/* Names about as long as the buffer through which words are hashed (BUFFER_SIZE). */
static void test_long_letters(void)
{
	static const size_t lengths[] = {1, 65534, 3, 65535, 65536, 2, 65537, 200000};
	struct reference *reference;
	kt_words *words;
	struct kt_fsm *fsm;
	char text[200];

	CU_ASSERT_EQUAL_FATAL(kt_words_new(&words), KT_OK);
	CU_ASSERT_EQUAL(kt_words_begin(words, &(struct kt_word_info){.name = "w"}), KT_OK);
	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		char *name = malloc(lengths[i]);
		uint32_t letter;

		CU_ASSERT_PTR_NOT_NULL_FATAL(name);
		memset(name, 'a', lengths[i]);
		CU_ASSERT_EQUAL(kt_words_letter(&letter, words, name, lengths[i]), KT_OK);
		CU_ASSERT_EQUAL(kt_words_append(words, &letter, 1), KT_OK);
		free(name);
	}
	fsm = infer(words, 1);
	reference = reference_new(words);
	CU_ASSERT_TRUE(
		same_machine(fsm, reference_infer(reference, 1), text, sizeof(text)));
	reference_free(reference);
	kt_fsm_free(fsm);
	kt_words_free(words);
}

static void test_only_fragments(void)
{
	struct kt_fsm *fsm = infer_strings(2, 2, (const char *const[]){"<ab", "<bb>"});

	CU_ASSERT_EQUAL(fsm->states[0].visits, 0);
	CU_ASSERT_EQUAL(fsm->states[0].ends, 0);
	CU_ASSERT_TRUE(fsm->n_states > 1);
	CU_ASSERT_TRUE(fsm->transitions[0].from != 0);
	CU_ASSERT_TRUE(fsm->words[0].entry != 0);
	CU_ASSERT_FALSE(fsm->words[0].complete);
	kt_fsm_free(fsm);
	fsm = infer_strings(0, 2, (const char *const[]){"<ab", "<bb>"});
	CU_ASSERT_EQUAL(fsm->n_states, 1);
	CU_ASSERT_EQUAL(fsm->states[0].visits, 6);
	CU_ASSERT_EQUAL(fsm->states[0].ends, 1);
	kt_fsm_free(fsm);
}

/* A fragment enters the state of the whole word at which the fragment's letters follow. */
static void test_entry_state(void)
{
	struct kt_fsm *fsm = infer_strings(2, 2, (const char *const[]){"abcabd", "<cabd"});
	const struct kt_fsm_word *fragment = &fsm->words[fsm->words[0].complete];

	CU_ASSERT_EQUAL(fragment->events, 4);
	CU_ASSERT_EQUAL(fragment->entry, 2);
	CU_ASSERT_EQUAL(fsm->words[0].exit, fsm->words[1].exit);
	kt_fsm_free(fsm);
}

/* Truncated ends have unknown k-tails, so the ends of two words stay separate states. */
static void test_cut_ends(void)
{
	struct kt_fsm *fsm = infer_strings(2, 2, (const char *const[]){"ax>", "bx>"});

	CU_ASSERT_EQUAL(fsm->n_states, 5);
	CU_ASSERT_EQUAL(fsm->n_transitions, 4);
	CU_ASSERT_NOT_EQUAL(fsm->words[0].exit, fsm->words[1].exit);
	kt_fsm_free(fsm);
	fsm = infer_strings(2, 2, (const char *const[]){"ax", "bx"});
	CU_ASSERT_EQUAL(fsm->n_states, 3);
	kt_fsm_free(fsm);
	/* Both words have the same letters, so determinising merges their ends. */
	fsm = infer_strings(2, 2, (const char *const[]){"ax>", "ax"});
	CU_ASSERT_EQUAL(fsm->n_states, 3);
	CU_ASSERT_EQUAL(fsm->states[2].ends, 1);
	kt_fsm_free(fsm);
}

static void test_start(void)
{
	/*
	 * A word from the start is cut after fewer than k letters, so the start's k-tail
	 * is unknown, and the start is not merged with another state.
	 */
	struct kt_fsm *fsm = infer_strings(2, 2, (const char *const[]){"a>", "aaaa"});

	CU_ASSERT_EQUAL(fsm->n_states, 2);
	CU_ASSERT_EQUAL(fsm->states[0].visits, 2);
	kt_fsm_free(fsm);
	fsm = infer_strings(2, 2, (const char *const[]){"aa>", "aaaa"});
	CU_ASSERT_EQUAL(fsm->n_states, 1);
	kt_fsm_free(fsm);
	/* A fragment's state with the same k-tail as the start is merged with the start. */
	fsm = infer_strings(3, 2, (const char *const[]){"ab", "<xab"});
	CU_ASSERT_EQUAL(fsm->n_states, 4);
	CU_ASSERT_EQUAL(fsm->states[0].visits, 2);
	CU_ASSERT_EQUAL(fsm->words[0].entry + fsm->words[1].entry, 3);
	kt_fsm_free(fsm);
}

/* Words that differ only in which end is cut are sorted, whatever the input's order. */
static void test_order_of_twins(void)
{
	static const char *const orders[][3] = {{"<ab", "ab>", "<ab>"},
						{"<ab>", "ab>", "<ab"}};
	struct kt_fsm *a = infer_strings(3, 3, orders[0]);
	struct kt_fsm *b = infer_strings(3, 3, orders[1]);
	char text[200];

	CU_ASSERT_TRUE(same_machine(a, b, text, sizeof(text)));
	kt_fsm_free(a);
	kt_fsm_free(b);
}

static void test_huge_k(void)
{
	struct kt_fsm *a = infer_strings(INT64_MAX, 2, (const char *const[]){"abab", "b>"});
	struct kt_fsm *b = infer_strings(5, 2, (const char *const[]){"abab", "b>"});
	char text[200];

	a->k = b->k;
	CU_ASSERT_TRUE(same_machine(a, b, text, sizeof(text)));
	kt_fsm_free(a);
	kt_fsm_free(b);
}

/* Returns one word: `kinds` letters in turn, twice. Its machine is one cycle. */
static kt_words *rounds(uint32_t kinds)
{
	kt_words *words;
	char name[16];
	uint32_t letter;

	CU_ASSERT_EQUAL_FATAL(kt_words_new(&words), KT_OK);
	CU_ASSERT_EQUAL(kt_words_begin(words, &(struct kt_word_info){.name = "w"}), KT_OK);
	for (uint32_t i = 0; i < 2 * kinds; i++) {
		snprintf(name, sizeof(name), "%05u", i % kinds);
		CU_ASSERT_EQUAL_FATAL(kt_words_letter(&letter, words, name, 5), KT_OK);
		CU_ASSERT_EQUAL_FATAL(kt_words_append(words, &letter, 1), KT_OK);
	}
	return words;
}

/*
 * Numbers of letters just below and above each change of a symbol's width (text.c) or of
 * the encoding for sorting (suffixes.c).
 */
static void test_many_letters(void)
{
	static const uint32_t kinds[] = {254, 255, 65279, 65280, 65534, 65535, 70000};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		kt_words *words = rounds(kinds[i]);

		for (uint64_t k = 1; k <= kinds[i]; k *= 20) {
			struct kt_fsm *fsm = infer(words, k);

			CU_ASSERT_EQUAL_FATAL(fsm->n_states, kinds[i]);
			CU_ASSERT_EQUAL_FATAL(fsm->n_transitions, kinds[i]);
			for (uint32_t j = 0; j < kinds[i]; j++) {
				CU_ASSERT_FATAL(fsm->transitions[j].letter == j &&
						fsm->transitions[j].to ==
							(j + 1) % kinds[i] &&
						fsm->transitions[j].count == 2);
			}
			kt_fsm_free(fsm);
		}
		kt_words_free(words);
	}
}

/*
 * Returns a word of 520 different letters, so that a symbol takes two bytes, and three
 * words of letters whose symbols have the same low byte as each other or as a separator.
 */
static kt_words *near_letters(struct random *random)
{
	static const uint32_t near[] = {3, 259, 515, 4, 260, 254, 255, 510, 511};
	struct kt_word_info info = KT_WORD_INFO_INIT;
	kt_words *words;

	CU_ASSERT_EQUAL_FATAL(kt_words_new(&words), KT_OK);
	CU_ASSERT_EQUAL(kt_words_begin(words, &info), KT_OK);
	for (uint32_t i = 0; i < 520; i++) {
		rig_append_number(words, i);
	}
	for (uint32_t i = 0; i < 3; i++) {
		uint32_t kinds = 2 + random_below(random, 8);
		uint32_t n = random_below(random, 100);

		info.cut_begin = random_below(random, 2);
		info.cut_end = random_below(random, 2);
		CU_ASSERT_EQUAL(kt_words_begin(words, &info), KT_OK);
		for (uint32_t j = 0; j < n; j++) {
			rig_append_number(words, near[random_below(random, kinds)]);
		}
	}
	return words;
}

static void test_near_letters(void)
{
	struct random random = {.state = 99};
	char text[200];

	for (uint32_t i = 0; i < 60; i++) {
		kt_words *words = near_letters(&random);
		struct reference *reference = reference_new(words);

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

static kt_words *random_word(uint32_t n, uint32_t kinds)
{
	struct random random = {.state = 12345};
	kt_words *words;

	CU_ASSERT_EQUAL_FATAL(kt_words_new(&words), KT_OK);
	CU_ASSERT_EQUAL(kt_words_begin(words, &(struct kt_word_info){.name = "w"}), KT_OK);
	for (uint32_t i = 0; i < n; i++) {
		char name[16];
		uint32_t letter;
		int length =
			snprintf(name, sizeof(name), "%u", random_below(&random, kinds));

		CU_ASSERT_EQUAL_FATAL(kt_words_letter(&letter, words, name, (size_t)length),
				      KT_OK);
		CU_ASSERT_EQUAL_FATAL(kt_words_append(words, &letter, 1), KT_OK);
	}
	return words;
}

/* Determinising merges states with hundreds of transitions. */
static void test_large_states(void)
{
	kt_words *words = random_word(6000, 300);
	struct reference *reference = reference_new(words);
	char text[200];

	for (uint64_t k = 0; k < 4; k++) {
		struct kt_fsm *fsm = infer(words, k);

		CU_ASSERT_TRUE(same_machine(fsm, reference_infer(reference, k), text,
					    sizeof(text)));
		kt_fsm_free(fsm);
	}
	reference_free(reference);
	kt_words_free(words);
}

/*
 * The word is so long that a second thread computes its hash (THREAD_LETTERS); the machine
 * must be the same each time.
 */
static void test_thread(void)
{
	kt_words *words = random_word(150000, 20);
	struct kt_fsm *a = infer(words, 3);
	struct kt_fsm *b = infer(words, 3);
	char text[200];

	CU_ASSERT_TRUE(same_machine(a, b, text, sizeof(text)));
	CU_ASSERT_EQUAL(a->words[0].events, 150000);
	kt_fsm_free(a);
	kt_fsm_free(b);
	kt_words_free(words);
}

static void test_options(void)
{
	kt_words *words = set_of_strings((const char *const[]){"ab"}, 1);
	struct kt_infer_options options = KT_INFER_OPTIONS_INIT;
	struct kt_fsm *fsm = NULL;

	options.k = 1;
	options.word = "thread";
	options.alphabet_json = "{\"name\": \"table1\"}";
	CU_ASSERT_EQUAL_FATAL(kt_infer(&fsm, words, &options), KT_OK);
	CU_ASSERT_STRING_EQUAL(fsm->word, "thread");
	CU_ASSERT_STRING_EQUAL(fsm->alphabet_json, "{\"name\": \"table1\"}");
	kt_fsm_free(fsm);
	options.word = NULL;
	CU_ASSERT_EQUAL_FATAL(kt_infer(&fsm, words, &options), KT_OK);
	CU_ASSERT_STRING_EQUAL(fsm->word, "process");
	kt_fsm_free(fsm);
	kt_words_free(words);
}

static void test_refusals(void)
{
	kt_words *words = set_of_strings(NULL, 0);
	struct kt_infer_options options = KT_INFER_OPTIONS_INIT;
	struct kt_fsm *fsm = (struct kt_fsm *)&options;

	CU_ASSERT_EQUAL(kt_infer(&fsm, words, &options), KT_E_EMPTY);
	CU_ASSERT_PTR_NULL(fsm);
	CU_ASSERT_STRING_EQUAL(kt_error_message(), "infer machine: there are no words");
	CU_ASSERT_EQUAL(kt_infer(&fsm, NULL, &options), KT_E_USAGE);
	CU_ASSERT_EQUAL(kt_infer(&fsm, words, NULL), KT_E_USAGE);
	kt_words_free(words);
	words = set_of_strings((const char *const[]){"ab"}, 1);
	options.k = (uint64_t)INT64_MAX + 1;
	CU_ASSERT_EQUAL(kt_infer(&fsm, words, &options), KT_E_USAGE);
	options.k = 1;
	options.machine = (enum kt_machine)7;
	CU_ASSERT_EQUAL(kt_infer(&fsm, words, &options), KT_E_USAGE);
	CU_ASSERT_PTR_NULL(fsm);
	kt_words_free(words);
}

/* A machine that is written as JSON and read again is the same. */
static void test_json(void)
{
	for (uint64_t seed = 1; seed < 40; seed++) {
		kt_words *words = random_set(seed, 50);
		struct kt_fsm *fsm = infer(words, seed % 7);
		struct kt_fsm *back = NULL;
		FILE *file = tmpfile();
		char text[200];

		CU_ASSERT_PTR_NOT_NULL_FATAL(file);
		CU_ASSERT_EQUAL(kt_fsm_write_json(fsm, file), KT_OK);
		rewind(file);
		CU_ASSERT_EQUAL_FATAL(kt_fsm_read_json(&back, file, "machine"), KT_OK);
		CU_ASSERT_TRUE(same_machine(fsm, back, text, sizeof(text)));
		fclose(file);
		kt_fsm_free(back);
		kt_fsm_free(fsm);
		kt_words_free(words);
	}
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"golden table", test_golden_table},
		{"every member of a machine", test_members},
		{"hash", test_hash},
		{"long letters", test_long_letters},
		{"only fragments", test_only_fragments},
		{"entry state", test_entry_state},
		{"cut ends", test_cut_ends},
		{"start", test_start},
		{"order of twins", test_order_of_twins},
		{"huge k", test_huge_k},
		{"many letters", test_many_letters},
		{"near letters", test_near_letters},
		{"large states", test_large_states},
		{"thread", test_thread},
		{"options", test_options},
		{"refusals", test_refusals},
		{"json", test_json},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("infer", tests);
}
