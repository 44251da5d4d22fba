/* SPDX-License-Identifier: MIT */
/* Compares how machines read words with an oracle that scans every transition. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <ktail/ktail.h>

#include "tests/engine/oracle/check-oracle.h"
#include "tests/engine/oracle/random-machines.h"
#include "tests/engine/oracle/random-sets.h"
#include "tests/suite.h"

/* --- machines --- */

/* Makes a machine of transitions {from, letter, to}; its letters are "a", "b", ... */
static struct kt_fsm *machine_of(uint32_t (*transitions)[3], size_t n, size_t n_states,
				 size_t n_letters)
{
	struct kt_fsm *fsm;

	CU_ASSERT_EQUAL_FATAL(kt_fsm_new(&fsm), KT_OK);
	fsm->letters = calloc(n_letters + 1, sizeof(*fsm->letters));
	fsm->states = calloc(n_states + 1, sizeof(*fsm->states));
	fsm->transitions = calloc(n + 1, sizeof(*fsm->transitions));
	for (; fsm->n_letters < n_letters; fsm->n_letters++) {
		char name[] = {(char)('a' + fsm->n_letters), '\0'};

		fsm->letters[fsm->n_letters] = strdup(name);
	}
	for (size_t i = 0; i < n; i++) {
		fsm->transitions[i].from = transitions[i][0];
		fsm->transitions[i].letter = transitions[i][1];
		fsm->transitions[i].to = transitions[i][2];
	}
	fsm->n_states = n_states;
	fsm->n_transitions = n;
	return fsm;
}

/* Reads random letters, known and unknown, with the engine and the oracle. */
static void compare(const struct kt_fsm *fsm, const kt_check *check, struct random *random,
		    bool cut)
{
	static struct check_oracle o;
	kt_check_word *word;

	check_oracle_begin(&o, fsm, cut);
	CU_ASSERT_EQUAL_FATAL(kt_check_begin(&word, check, cut), KT_OK);
	for (uint64_t i = 0; i < 40; i++) {
		uint32_t letter = random_below(random, (uint32_t)fsm->n_letters + 1);
		bool fits;

		/* Queries are made at random: they must not change later results. */
		CU_ASSERT(random_below(random, 3) > 0 ||
			  check_oracle_same_states(&o, word));
		CU_ASSERT(random_below(random, 3) > 0 ||
			  check_oracle_same_expected(&o, word));
		letter = letter == fsm->n_letters ? KT_CHECK_UNKNOWN : letter;
		CU_ASSERT_EQUAL(kt_check_position(word), i);
		CU_ASSERT_EQUAL_FATAL(kt_check_feed(&fits, word, letter), KT_OK);
		CU_ASSERT_EQUAL_FATAL(fits, check_oracle_feed(&o, letter));
		if (!fits) {
			CU_ASSERT_EQUAL(kt_check_position(word), i);
			CU_ASSERT(check_oracle_same_states(&o, word) &&
				  check_oracle_same_expected(&o, word));
			CU_ASSERT_EQUAL_FATAL(kt_check_skip(word, letter), KT_OK);
			check_oracle_skip(&o, letter);
		}
	}
	CU_ASSERT(check_oracle_same_states(&o, word));
	kt_check_end(word);
}

static void test_random_machines(void)
{
	for (uint64_t seed = 1; seed <= 3000; seed++) {
		struct random random = {.state = seed};
		struct kt_fsm *fsm = random_machine(&random, 12, 5);
		kt_check *check;

		CU_ASSERT_EQUAL_FATAL(kt_check_new(&check, fsm), KT_OK);
		compare(fsm, check, &random, false);
		compare(fsm, check, &random, true);
		kt_check_free(check);
		kt_fsm_free(fsm);
	}
}

/* --- inferred machines --- */

static struct kt_fsm *infer(const kt_words *words, uint64_t k)
{
	struct kt_infer_options options = KT_INFER_OPTIONS_INIT;
	struct kt_fsm *fsm;

	options.k = k;
	CU_ASSERT_EQUAL_FATAL(kt_infer(&fsm, words, &options), KT_OK);
	return fsm;
}

/* Returns how many letters of the i-th word the oracle can read. */
static uint64_t oracle_fitting(const kt_words *words, size_t i, const struct kt_fsm *fsm)
{
	static struct check_oracle o;
	struct kt_word_info info;
	uint64_t n;
	uint64_t at = 0;

	kt_words_get(words, i, &info, &n);
	check_oracle_begin(&o, fsm, info.cut_begin);
	for (bool fits = true; at < n; at += fits) {
		uint32_t number;
		uint32_t letter = 0;

		kt_words_read(words, i, at, 1, &number);
		while (letter < fsm->n_letters &&
		       strcmp(fsm->letters[letter], kt_words_letter_name(words, number))) {
			letter++;
		}
		fits = check_oracle_feed(&o, letter);
		if (!fits) {
			break;
		}
	}
	return at;
}

static void read_set(const struct kt_fsm *fsm, const kt_words *words, bool own)
{
	uint64_t *fitting = calloc(kt_words_count(words) + 1, sizeof(*fitting));
	kt_check *check;

	CU_ASSERT_EQUAL_FATAL(kt_check_new(&check, fsm), KT_OK);
	CU_ASSERT_EQUAL_FATAL(kt_check_words(fitting, check, words), KT_OK);
	for (size_t i = 0; i < kt_words_count(words); i++) {
		struct kt_word_info info;
		uint64_t n;

		kt_words_get(words, i, &info, &n);
		CU_ASSERT_EQUAL(fitting[i], oracle_fitting(words, i, fsm));
		CU_ASSERT(!own || fitting[i] == n);
	}
	kt_check_free(check);
	free(fitting);
}

/* A machine reads its own words completely, and others as far as the oracle does. */
static void test_inferred(void)
{
	for (uint64_t seed = 1; seed <= 400; seed++) {
		kt_words *words = random_set(seed, seed % 4 ? 8 : 60);
		kt_words *others = random_set(seed + 7, 20);

		for (uint64_t k = 0; k < 5; k++) {
			struct kt_fsm *fsm = infer(words, k);

			read_set(fsm, words, true);
			read_set(fsm, others, false);
			kt_fsm_free(fsm);
		}
		kt_words_free(words);
		kt_words_free(others);
	}
}

/* --- by hand --- */

/* States 0 and 1 are a cycle of a and b; c leads from state 1 to state 2, a dead end. */
static uint32_t small[][3] = {{0, 0, 1}, {1, 1, 0}, {1, 2, 2}};

static bool feed(kt_check_word *word, uint32_t letter)
{
	bool fits = false;

	CU_ASSERT_EQUAL(kt_check_feed(&fits, word, letter), KT_OK);
	return fits;
}

static void test_known_beginning(void)
{
	struct kt_fsm *fsm = machine_of(small, 3, 3, 4);
	const uint32_t *list;
	kt_check_word *word;
	kt_check *check;
	size_t n;

	CU_ASSERT_EQUAL_FATAL(kt_check_new(&check, fsm), KT_OK);
	CU_ASSERT_EQUAL_FATAL(kt_check_begin(&word, check, false), KT_OK);
	CU_ASSERT(feed(word, 0));
	CU_ASSERT_FALSE(feed(word, 0));
	CU_ASSERT_EQUAL(kt_check_expected(&list, &n, word), KT_OK);
	CU_ASSERT(n == 2 && list[0] == 1 && list[1] == 2);
	CU_ASSERT_EQUAL(kt_check_states(&list, &n, word), KT_OK);
	CU_ASSERT(n == 1 && list[0] == 1);
	/* After a skipped `a` the word may be in any state that an `a` leads to. */
	CU_ASSERT_EQUAL(kt_check_skip(word, 0), KT_OK);
	CU_ASSERT_EQUAL(kt_check_position(word), 2);
	CU_ASSERT(feed(word, 2));
	/* No transition leaves state 2. */
	CU_ASSERT_FALSE(feed(word, 1));
	CU_ASSERT_EQUAL(kt_check_expected(&list, &n, word), KT_OK);
	CU_ASSERT_EQUAL(n, 0);
	/* No transition has `d`: the word may be in any state. */
	CU_ASSERT_EQUAL(kt_check_skip(word, 3), KT_OK);
	CU_ASSERT_EQUAL(kt_check_states(&list, &n, word), KT_OK);
	CU_ASSERT_EQUAL(n, 3);
	kt_check_end(word);
	kt_check_free(check);
	kt_fsm_free(fsm);
}

static void test_cut_beginning(void)
{
	struct kt_fsm *fsm = machine_of(small, 3, 3, 4);
	const uint32_t *list;
	kt_check_word *word;
	kt_check *check;
	size_t n;

	CU_ASSERT_EQUAL_FATAL(kt_check_new(&check, fsm), KT_OK);
	CU_ASSERT_EQUAL_FATAL(kt_check_begin(&word, check, true), KT_OK);
	CU_ASSERT_EQUAL(kt_check_states(&list, &n, word), KT_OK);
	CU_ASSERT_EQUAL(n, 3);
	CU_ASSERT(feed(word, 1));
	CU_ASSERT(feed(word, 0));
	CU_ASSERT_FALSE(feed(word, 3));
	CU_ASSERT_FALSE(feed(word, KT_CHECK_UNKNOWN));
	kt_check_end(word);
	kt_check_free(check);
	kt_fsm_free(fsm);
}

static void test_letters(void)
{
	struct kt_fsm *fsm = machine_of(small, 3, 3, 4);
	kt_check *check;

	free(fsm->letters[1]);
	fsm->letters[1] = strdup("ab");
	CU_ASSERT_EQUAL_FATAL(kt_check_new(&check, fsm), KT_OK);
	CU_ASSERT_EQUAL(kt_check_letter(check, "a", 1), 0);
	CU_ASSERT_EQUAL(kt_check_letter(check, "ab", 2), 1);
	CU_ASSERT_EQUAL(kt_check_letter(check, "abc", 3), KT_CHECK_UNKNOWN);
	CU_ASSERT_EQUAL(kt_check_letter(check, "abc", 2), 1);
	CU_ASSERT_EQUAL(kt_check_letter(check, "d", 1), 3);
	CU_ASSERT_EQUAL(kt_check_letter(check, "", 0), KT_CHECK_UNKNOWN);
	CU_ASSERT_EQUAL(kt_check_letter(check, "z", 1), KT_CHECK_UNKNOWN);
	kt_check_free(check);
	kt_fsm_free(fsm);
}

static void test_refused(void)
{
	static uint32_t twice[][3] = {{0, 0, 1}, {0, 0, 0}};
	struct kt_fsm *fsm = machine_of(twice, 2, 2, 1);
	kt_check *check;

	CU_ASSERT_EQUAL(kt_check_new(&check, fsm), KT_E_USAGE);
	CU_ASSERT_PTR_NULL(check);
	fsm->n_states = 0;
	CU_ASSERT_EQUAL(kt_check_new(&check, fsm), KT_E_USAGE);
	CU_ASSERT_EQUAL(kt_check_new(&check, NULL), KT_E_USAGE);
	kt_fsm_free(fsm);
	kt_check_free(NULL);
	kt_check_end(NULL);
}

/* Makes a chain of n transitions, whose letters are all `kinds` letters in turn. */
static struct kt_fsm *chain_of(uint32_t n, uint32_t kinds)
{
	struct kt_fsm *fsm = machine_of(NULL, 0, n + (size_t)1, 0);
	char name[16];

	free(fsm->letters);
	free(fsm->transitions);
	fsm->letters = calloc(kinds, sizeof(*fsm->letters));
	fsm->transitions = calloc(n, sizeof(*fsm->transitions));
	CU_ASSERT_FATAL(fsm->letters && fsm->transitions);
	for (; fsm->n_letters < kinds; fsm->n_letters++) {
		snprintf(name, sizeof(name), "%06zu", fsm->n_letters);
		fsm->letters[fsm->n_letters] = strdup(name);
	}
	for (uint32_t i = 0; i < n; i++) {
		fsm->transitions[i].from = i;
		fsm->transitions[i].letter = i % kinds;
		fsm->transitions[i].to = i + 1;
	}
	fsm->n_transitions = n;
	return fsm;
}

/* Returns the CPU time of kt_check_new(), the least of three; frees the machine. */
static double time_of(struct kt_fsm *fsm)
{
	double least = 1e9;

	for (int i = 0; i < 3; i++) {
		clock_t begin = clock();
		kt_check *check = NULL;
		double seconds;

		CU_ASSERT_EQUAL_FATAL(kt_check_new(&check, fsm), KT_OK);
		seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
		least = seconds < least ? seconds : least;
		kt_check_free(check);
	}
	kt_fsm_free(fsm);
	return least;
}

/* kt_check_new() takes no longer if many states have transitions with the same letter. */
static void test_long_chain(void)
{
	double many = time_of(chain_of(400000, 400000));

	CU_ASSERT(time_of(chain_of(400000, 1)) < 5 * many + 0.05);
	CU_ASSERT(time_of(chain_of(400000, 7)) < 5 * many + 0.05);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"random machines, against the oracle", test_random_machines},
		{"a machine reads the words it was made of", test_inferred},
		{"a word whose beginning is known", test_known_beginning},
		{"a word whose beginning is cut", test_cut_beginning},
		{"letters by name", test_letters},
		{"machines that cannot be read with", test_refused},
		{"a long chain of few letters", test_long_chain},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("check", tests);
}
