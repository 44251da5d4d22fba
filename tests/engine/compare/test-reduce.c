/* SPDX-License-Identifier: MIT */
/* Compares reduced words and machines with those of slow oracles. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/ktail.h>

#include "tests/engine/oracle/random-machines.h"
#include "tests/suite.h"

#define STATES_MAX 64

static const char *const some[] = {"b", "a"};
static const struct kt_reduction runs = {some, 2, false};
static const struct kt_reduction without = {some, 2, true};

static bool is_less(char letter)
{
	return letter == 'a' || letter == 'b';
}

/* Writes the reduced word to out, with R for each run. */
static void reduce_string(char *out, const char *word, bool omit)
{
	for (size_t i = 0; word[i]; i++) {
		if (!is_less(word[i])) {
			*out++ = word[i];
		} else if (!omit && (i == 0 || !is_less(word[i - 1]))) {
			*out++ = 'R';
		}
	}
	*out = '\0';
}

static char letter_of(const char *name)
{
	return strcmp(name, "(a|b)+") == 0 ? 'R' : name[0];
}

/* Writes the i-th word of a set to out as a string, with R for a run. */
static void read_string(char *out, const kt_words *words, size_t i)
{
	struct kt_word_info info;
	uint32_t letter;
	uint64_t n = 0;

	CU_ASSERT_EQUAL(kt_words_get(words, i, &info, &n), KT_OK);
	for (uint64_t j = 0; j < n; j++) {
		CU_ASSERT_EQUAL(kt_words_read(words, i, j, 1, &letter), KT_OK);
		out[j] = letter_of(kt_words_letter_name(words, letter));
	}
	out[n] = '\0';
}

static void check_words(const char *word, const struct kt_reduction *reduction)
{
	kt_words *words = set_of_strings(&word, 1);
	kt_words *reduced = NULL;
	char expected[5000];
	char found[5000];

	reduce_string(expected, word, reduction->omit);
	CU_ASSERT_EQUAL_FATAL(kt_reduce_words(&reduced, words, reduction), KT_OK);
	read_string(found, reduced, 0);
	CU_ASSERT_STRING_EQUAL(found, expected);
	kt_words_free(reduced);
	kt_words_free(words);
}

static void test_words(void)
{
	char word[4097];

	for (uint64_t seed = 1; seed <= 300; seed++) {
		struct random random = {.state = seed * 3};
		uint32_t n = random_below(&random, seed % 10 ? 12 : 4096);

		for (uint32_t i = 0; i < n; i++) {
			word[i] = (char)('a' + random_below(&random, 4));
		}
		word[n] = '\0';
		check_words(word, &runs);
		check_words(word, &without);
	}
}

/* Reducing a reduced word changes nothing. */
static void test_twice(void)
{
	const char *const word = "xabacba";
	kt_words *words = set_of_strings(&word, 1);
	kt_words *once;
	kt_words *twice;
	char text[10];

	CU_ASSERT_EQUAL_FATAL(kt_reduce_words(&once, words, &runs), KT_OK);
	CU_ASSERT_EQUAL_FATAL(kt_reduce_words(&twice, once, &runs), KT_OK);
	read_string(text, twice, 0);
	CU_ASSERT_STRING_EQUAL(text, "xRcR");
	kt_words_free(words);
	kt_words_free(once);
	kt_words_free(twice);
}

/* --- machines: sets of states as boolean arrays --- */

/*
 * Adds to `to` the states that the letter `which` leads to from the states `from`; R stands
 * for the letters a and b. If `again` is true, continues from the added states until
 * nothing changes.
 */
static void move(bool *to, const bool *from, const struct kt_fsm *fsm, char which,
		 bool again)
{
	bool changed = true;

	for (int pass = 0; changed && (again || pass == 0); pass++) {
		changed = false;
		for (size_t i = 0; i < fsm->n_transitions; i++) {
			const struct kt_fsm_transition *t = &fsm->transitions[i];
			char letter = fsm->letters[t->letter][0];
			bool fits = which == 'R' ? is_less(letter) : letter == which;

			if (fits && (from[t->from] || (again && to[t->from])) &&
			    !to[t->to]) {
				to[t->to] = true;
				changed = true;
			}
		}
	}
}

/* Returns whether some word of the machine is reduced to `word`. */
static bool has_origin(const struct kt_fsm *fsm, const char *word, bool omit)
{
	bool now[STATES_MAX] = {false};
	bool any = true;

	now[fsm->start] = true;
	if (omit) {
		move(now, now, fsm, 'R', true);
	}
	for (size_t i = 0; any && word[i]; i++) {
		bool next[STATES_MAX] = {false};

		if (word[i] == 'R' && i > 0 && word[i - 1] == 'R') {
			return false;
		}
		move(next, now, fsm, word[i], word[i] == 'R');
		if (omit) {
			move(next, next, fsm, 'R', true);
		}
		memcpy(now, next, sizeof(now));
		any = false;
		for (size_t s = 0; s < fsm->n_states; s++) {
			any = any || now[s];
		}
	}
	return any;
}

static bool reads(const struct kt_fsm *fsm, const char *word)
{
	uint32_t state = fsm->start;

	for (; *word; word++) {
		size_t i = 0;

		while (i < fsm->n_transitions &&
		       (fsm->transitions[i].from != state ||
			letter_of(fsm->letters[fsm->transitions[i].letter]) != *word)) {
			i++;
		}
		if (i == fsm->n_transitions) {
			return false;
		}
		state = fsm->transitions[i].to;
	}
	return true;
}

static void check_machine(const struct kt_fsm *fsm, const struct kt_reduction *reduction)
{
	static const char letters[] = "Rcde";
	struct kt_fsm *reduced = NULL;
	bool cut = true;
	bool same = false;

	CU_ASSERT_EQUAL_FATAL(
		kt_reduce_machine(&reduced, &cut, fsm, reduction, 10000, NULL), KT_OK);
	CU_ASSERT_FALSE_FATAL(cut);
	CU_ASSERT_EQUAL(kt_compare_equal(&same, reduced, reduced), KT_OK);
	CU_ASSERT_TRUE(same);
	for (unsigned n = 0; n < 5 * 5 * 5 * 5 * 5; n++) {
		char word[6] = "";
		size_t length = 0;

		for (unsigned rest = n; rest % 5; rest /= 5) {
			word[length++] = letters[rest % 5 - 1];
		}
		if (!reduction->omit || !strchr(word, 'R')) {
			CU_ASSERT_EQUAL(reads(reduced, word),
					has_origin(fsm, word, reduction->omit));
		}
	}
	kt_fsm_free(reduced);
}

static void test_machines(void)
{
	for (uint64_t seed = 1; seed <= 60; seed++) {
		struct random random = {.state = seed * 5};
		struct kt_fsm *fsm = random_machine(&random, 12, 5);

		check_machine(fsm, &runs);
		check_machine(fsm, &without);
		kt_fsm_free(fsm);
	}
}

static void test_limit(void)
{
	struct random random = {.state = 5};
	struct kt_fsm *fsm = random_machine(&random, 60, 5);
	struct kt_fsm *reduced = fsm;
	uint64_t left = UINT32_MAX;
	bool cut = false;

	CU_ASSERT_EQUAL(kt_reduce_machine(&reduced, &cut, fsm, &without, 1, NULL), KT_OK);
	CU_ASSERT_TRUE(cut);
	CU_ASSERT_PTR_NULL(reduced);
	/* The number of steps that the reduction takes is enough, and one less is not. */
	CU_ASSERT_EQUAL(kt_reduce_machine(&reduced, &cut, fsm, &without, 10000, &left),
			KT_OK);
	CU_ASSERT_FALSE(cut);
	kt_fsm_free(reduced);
	for (uint64_t less = 0; less < 2; less++) {
		uint64_t steps = UINT32_MAX - left - less;

		CU_ASSERT_EQUAL(
			kt_reduce_machine(&reduced, &cut, fsm, &without, 10000, &steps),
			KT_OK);
		CU_ASSERT_EQUAL(cut, less == 1);
		CU_ASSERT_EQUAL(reduced == NULL, less == 1);
		CU_ASSERT_EQUAL(steps, 0);
		kt_fsm_free(reduced);
	}
	kt_fsm_free(fsm);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"words", test_words},       {"runs of runs", test_twice},
		{"machines", test_machines}, {"the limits", test_limit},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("letters reduced", tests);
}
