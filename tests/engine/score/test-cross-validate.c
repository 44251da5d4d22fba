/* SPDX-License-Identifier: MIT */
/*
 * Compares cross-validation with a loop that infers each machine by itself and reads each
 * word by scanning every transition.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/ktail.h>

#include "tests/engine/oracle/random-sets.h"
#include "tests/suite.h"

#define SETS  300
#define K_MAX 8

static void must(int code)
{
	if (code != KT_OK) {
		fprintf(stderr, "make test words: %s\n", kt_error_message());
		abort();
	}
}

/* --- the loop --- */

static const char *letter_at(const kt_words *words, size_t i, uint64_t j)
{
	uint32_t letter;

	must(kt_words_read(words, i, j, 1, &letter));
	return kt_words_letter_name(words, letter);
}

/* Adds a copy of the i-th word, named so that the canonical order is that of the set. */
static void copy_numbered(kt_words *to, const kt_words *from, size_t i)
{
	struct kt_word_info info;
	char name[24];
	uint64_t n;

	must(kt_words_get(from, i, &info, &n));
	copy_word(to, from, i);
	snprintf(name, sizeof(name), "w%03zu", i);
	info.name = name;
	must(kt_words_describe(to, &info));
}

/* Returns how many letters of the i-th word the machine can read, in any possible state. */
static uint64_t read_word(const struct kt_fsm *fsm, const kt_words *words, size_t i)
{
	bool *now = calloc(fsm->n_states, sizeof(*now));
	bool *next = calloc(fsm->n_states, sizeof(*next));
	struct kt_word_info info;
	bool fits = true;
	uint64_t n;
	uint64_t j;

	must(kt_words_get(words, i, &info, &n));
	for (size_t s = 0; s < fsm->n_states; s++) {
		now[s] = info.cut_begin || s == fsm->start;
	}
	for (j = 0; j < n; j++) {
		const char *letter = letter_at(words, i, j);

		memset(next, 0, fsm->n_states * sizeof(*next));
		fits = false;
		for (size_t t = 0; t < fsm->n_transitions; t++) {
			if (now[fsm->transitions[t].from] &&
			    strcmp(fsm->letters[fsm->transitions[t].letter], letter) == 0) {
				next[fsm->transitions[t].to] = true;
				fits = true;
			}
		}
		if (!fits) {
			break;
		}
		memcpy(now, next, fsm->n_states * sizeof(*next));
	}
	free(now);
	free(next);
	return j;
}

static void hold_out(struct kt_cross_row *row, const kt_words *words, size_t fold,
		     size_t folds, uint64_t k)
{
	struct kt_infer_options options = KT_INFER_OPTIONS_INIT;
	struct kt_fsm *fsm = NULL;
	kt_words *others = NULL;

	must(kt_words_new(&others));
	for (size_t i = 0; i < kt_words_count(words); i++) {
		if (i % folds != fold) {
			copy_word(others, words, i);
		}
	}
	options.k = k;
	must(kt_infer(&fsm, others, &options));
	for (size_t i = fold; i < kt_words_count(words); i += folds) {
		struct kt_word_info info;
		uint64_t fitting = read_word(fsm, words, i);
		uint64_t n;

		must(kt_words_get(words, i, &info, &n));
		row->words++;
		row->accepted += fitting == n;
		row->letters += n;
		row->fitting += fitting;
	}
	kt_fsm_free(fsm);
	kt_words_free(others);
}

static bool same_row(const struct kt_cross_row *a, const struct kt_cross_row *b)
{
	return a->k == b->k && a->words == b->words && a->accepted == b->accepted &&
	       a->letters == b->letters && a->fitting == b->fitting;
}

/* --- tests --- */

static kt_words *numbered(const kt_words *words)
{
	kt_words *out = NULL;

	must(kt_words_new(&out));
	for (size_t i = 0; i < kt_words_count(words); i++) {
		copy_numbered(out, words, i);
	}
	return out;
}

static void check_set(const kt_words *words, uint64_t folds)
{
	struct kt_cross_options options = KT_CROSS_OPTIONS_INIT;
	const struct kt_cross_row *rows;
	kt_cross *cross = NULL;
	size_t n;

	options.lo = folds % 2;
	options.hi = K_MAX;
	options.folds = folds;
	CU_ASSERT_EQUAL_FATAL(kt_cross_new(&cross, words, &options), KT_OK);
	folds = folds < kt_words_count(words) ? folds : kt_words_count(words);
	CU_ASSERT_EQUAL(kt_cross_folds(cross), folds);
	rows = kt_cross_rows(cross, &n);
	CU_ASSERT_EQUAL_FATAL(n, options.hi - options.lo + 1);
	for (size_t i = 0; i < n; i++) {
		struct kt_cross_row expected = {.k = options.lo + i};

		for (size_t fold = 0; fold < folds; fold++) {
			hold_out(&expected, words, fold, folds, expected.k);
		}
		CU_ASSERT(same_row(&rows[i], &expected));
	}
	kt_cross_free(cross);
}

static void test_sets(void)
{
	unsigned checked = 0;

	for (uint64_t seed = 1; seed <= SETS; seed++) {
		kt_words *drawn = random_set(seed, seed % 2 ? 5 : 40);
		kt_words *words = numbered(drawn);

		if (kt_words_count(words) > 1) {
			check_set(words, 2 + seed % 5);
			checked++;
		}
		kt_words_free(words);
		kt_words_free(drawn);
	}
	CU_ASSERT(checked > SETS / 2);
}

/* The order of words and the numbers of their letters do not change the folds. */
static void test_order(void)
{
	struct kt_cross_options options = KT_CROSS_OPTIONS_INIT;

	options.folds = 3;
	options.hi = K_MAX;
	for (uint64_t seed = 1; seed <= SETS; seed++) {
		kt_words *words = random_set(seed, 20);
		kt_words *other = reordered_set(words, seed);
		const struct kt_cross_row *rows[2];
		kt_cross *cross[2] = {NULL, NULL};
		size_t n;

		if (kt_words_count(words) > 1) {
			must(kt_cross_new(&cross[0], words, &options));
			must(kt_cross_new(&cross[1], other, &options));
			rows[0] = kt_cross_rows(cross[0], &n);
			rows[1] = kt_cross_rows(cross[1], &n);
			for (size_t i = 0; i < n; i++) {
				CU_ASSERT(same_row(&rows[0][i], &rows[1][i]));
			}
		}
		kt_cross_free(cross[0]);
		kt_cross_free(cross[1]);
		kt_words_free(words);
		kt_words_free(other);
	}
}

/*
 * The set is large enough for a second thread (THREAD_LETTERS). Each word ends in a letter
 * that no other word has.
 */
static void test_large(void)
{
	struct kt_cross_options options = KT_CROSS_OPTIONS_INIT;
	struct random random = {.state = 11};
	const struct kt_cross_row *rows;
	kt_cross *cross = NULL;
	kt_words *words = NULL;
	size_t n;

	must(kt_words_new(&words));
	for (unsigned i = 0; i < 20; i++) {
		struct kt_word_info info = KT_WORD_INFO_INIT;
		char name[16];
		uint32_t letter;

		must(kt_words_begin(words, &info));
		for (unsigned j = 0; j < 2000; j++) {
			int length = snprintf(name, sizeof(name), "%u",
					      j % 10 + random_below(&random, 2));

			must(kt_words_letter(&letter, words, name, (size_t)length));
			must(kt_words_append(words, &letter, 1));
		}
		must(kt_words_letter(&letter, words, name,
				     (size_t)snprintf(name, sizeof(name), "end %u", i)));
		must(kt_words_append(words, &letter, 1));
	}
	options.lo = 0;
	options.hi = 30;
	must(kt_cross_new(&cross, words, &options));
	rows = kt_cross_rows(cross, &n);
	CU_ASSERT_EQUAL(n, 31);
	CU_ASSERT_EQUAL(rows[0].letters, 20 * 2001);
	CU_ASSERT_EQUAL(rows[0].fitting, 20 * 2000); /* all but the last letters */
	CU_ASSERT_EQUAL(rows[0].accepted, 0);
	for (size_t i = 0; i < n; i++) {
		CU_ASSERT_EQUAL(rows[i].words, 20);
		CU_ASSERT(i == 0 || rows[i].fitting <= rows[i - 1].fitting);
	}
	CU_ASSERT(rows[30].fitting < rows[0].fitting / 2);
	kt_cross_free(cross);
	kt_words_free(words);
}

static void refuse(const kt_words *words, const struct kt_cross_options *options,
		   const char *what)
{
	kt_cross *cross = NULL;

	CU_ASSERT_EQUAL(kt_cross_new(&cross, words, options), KT_E_USAGE);
	CU_ASSERT_PTR_NULL(cross);
	CU_ASSERT_PTR_NOT_NULL(strstr(kt_error_message(), what));
}

static void test_refused(void)
{
	static const char *const strings[] = {"ab", "ab"};
	struct kt_cross_options options = KT_CROSS_OPTIONS_INIT;
	kt_words *one = set_of_strings(strings, 1);
	kt_words *two = set_of_strings(strings, 2);

	refuse(NULL, &options, "no words");
	refuse(two, NULL, "no options");
	refuse(one, &options, "two words");
	options.folds = 1;
	refuse(two, &options, "two folds");
	options.folds = 2;
	options.lo = 41;
	refuse(two, &options, "range");
	options.lo = 0;
	options.hi = UINT64_MAX;
	refuse(two, &options, "range");
	kt_cross_free(NULL);
	kt_words_free(one);
	kt_words_free(two);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"sets", test_sets},       {"order", test_order}, {"large", test_large},
		{"refused", test_refused}, CU_TEST_INFO_NULL,
	};

	return kt_run_suite("cross-validate", tests);
}
