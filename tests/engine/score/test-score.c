/* SPDX-License-Identifier: MIT */
/* Scores: properties that hold for all machines, and scores computed by hand. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/ktail.h>

#include "score-rig.h"
#include "tests/suite.h"

/* --- properties of larger machines --- */

static bool is_near(double a, double b)
{
	return fabs(a - b) < 1e-9;
}

static bool same_walks(const struct kt_score_walks *a, const struct kt_score_walks *b)
{
	return a->words.part == b->words.part && a->words.whole == b->words.whole &&
	       a->letters.part == b->letters.part && a->letters.whole == b->letters.whole &&
	       a->stuck == b->stuck && is_near(a->words_expected, b->words_expected) &&
	       is_near(a->letters_expected, b->letters_expected);
}

static void check_itself(const struct kt_fsm *fsm, const struct kt_score_options *options)
{
	const struct kt_score_figures *f;
	kt_score *score = NULL;

	CU_ASSERT_EQUAL_FATAL(kt_score_new(&score, fsm, fsm, options), KT_OK);
	f = kt_score_figures(score);
	CU_ASSERT_EQUAL(f->precision.words.value, 1);
	CU_ASSERT_EQUAL(f->recall.words.value, 1);
	CU_ASSERT_EQUAL(f->precision.letters.value, 1);
	CU_ASSERT_EQUAL(f->exactness.value, 1);
	CU_ASSERT(is_near(f->precision.words_expected, 1));
	CU_ASSERT(is_near(f->exactness_expected, 1));
	CU_ASSERT_EQUAL(f->f1, 1);
	CU_ASSERT_EQUAL(f->letters_f1, 1);
	CU_ASSERT_EQUAL(f->language.equal, true);
	CU_ASSERT_EQUAL(f->language.exact.value, 1);
	CU_ASSERT_EQUAL(f->truth.covered.value, 1);
	CU_ASSERT_EQUAL(f->machine.covered.value, 1);
	CU_ASSERT_EQUAL(f->precision.words.high, 1);
	CU_ASSERT(f->precision.words.low > 0.9);
	kt_score_free(score);
}

static void check_swapped(const struct kt_fsm *a, const struct kt_fsm *b,
			  const struct kt_score_options *options)
{
	const struct kt_score_figures *f;
	const struct kt_score_figures *g;
	kt_score *there = NULL;
	kt_score *back = NULL;

	CU_ASSERT_EQUAL_FATAL(kt_score_new(&there, a, b, options), KT_OK);
	CU_ASSERT_EQUAL_FATAL(kt_score_new(&back, b, a, options), KT_OK);
	f = kt_score_figures(there);
	g = kt_score_figures(back);
	CU_ASSERT(same_walks(&f->precision, &g->recall));
	CU_ASSERT(same_walks(&f->recall, &g->precision));
	CU_ASSERT_EQUAL(f->exactness.part, g->exactness.part);
	CU_ASSERT_EQUAL(f->f1, g->f1);
	CU_ASSERT_EQUAL(f->language.equal, g->language.equal);
	CU_ASSERT_EQUAL(f->language.precise, g->language.recalls);
	CU_ASSERT_EQUAL(f->language.exact.part, g->language.exact.part);
	CU_ASSERT_EQUAL(f->truth.covered.part, g->machine.covered.part);
	CU_ASSERT_EQUAL(f->truth.partly, g->machine.partly);
	kt_score_free(there);
	kt_score_free(back);
}

static void test_properties(void)
{
	struct kt_score_options options = KT_SCORE_OPTIONS_INIT;

	options.walks = 100;
	options.length = 50;
	for (uint64_t seed = 1; seed <= 100; seed++) {
		struct random random = {.state = seed};
		struct kt_fsm *a = rig_machine_random(&random, 60);
		struct kt_fsm *b = rig_machine_random(&random, 60);

		check_itself(a, &options);
		check_swapped(a, b, &options);
		kt_fsm_free(a);
		kt_fsm_free(b);
	}
}

/* --- by hand --- */

/* Returns a machine of one state with a loop a and, if `also`, a loop b. */
static struct kt_fsm *loop(bool also)
{
	struct kt_fsm *fsm = rig_machine_new(1, rig_alphabet, 2);

	rig_connect(fsm, 0, 0, 0, 3);
	if (also) {
		rig_connect(fsm, 0, 1, 0, 1);
	}
	return fsm;
}

/* Returns whether p is a bound of Wilson's interval for the share. */
static bool is_bound(double p, const struct kt_score_share *share)
{
	double z = 1.959963984540054;
	double far = share->value - p;

	return fabs(far * far - z * z * p * (1 - p) / (double)share->whole) < 1e-12;
}

static void test_loop(void)
{
	struct kt_score_options options = KT_SCORE_OPTIONS_INIT;
	const struct kt_score_figures *f;
	struct kt_fsm *machine = loop(true);
	struct kt_fsm *truth = loop(false);
	kt_score *score = NULL;

	options.length = 2;
	CU_ASSERT_EQUAL_FATAL(kt_score_new(&score, machine, truth, &options), KT_OK);
	f = kt_score_figures(score);
	CU_ASSERT_EQUAL(f->precision.words_expected, 0.25);
	CU_ASSERT_EQUAL(f->precision.letters_expected, 0.375);
	CU_ASSERT_EQUAL(f->recall.words.value, 1);
	CU_ASSERT_EQUAL(f->exactness.value, 0);
	CU_ASSERT(is_bound(f->precision.words.low, &f->precision.words));
	CU_ASSERT(is_bound(f->precision.words.high, &f->precision.words));
	CU_ASSERT_EQUAL(f->language.recalls, KT_ANSWER_YES);
	CU_ASSERT_EQUAL(f->language.precise, KT_ANSWER_NO);
	CU_ASSERT_EQUAL(f->language.next_precision.value, 0.5);
	CU_ASSERT_EQUAL(f->language.next_recall.value, 1);
	CU_ASSERT_EQUAL(f->truth.covered.value, 1);
	CU_ASSERT_EQUAL(f->machine.covered.value, 0.5);
	CU_ASSERT_EQUAL(kt_score_machine_fate(score, 1), KT_SCORE_LACKING);
	kt_score_free(score);

	options.choice = KT_SCORE_COUNTS; /* a with probability 3/4 */
	CU_ASSERT_EQUAL_FATAL(kt_score_new(&score, machine, truth, &options), KT_OK);
	CU_ASSERT_EQUAL(kt_score_figures(score)->precision.words_expected, 0.5625);
	kt_score_free(score);

	/* The truth can read no walk of the machine. */
	truth->n_transitions = 0;
	options.walks = 10;
	CU_ASSERT_EQUAL_FATAL(kt_score_new(&score, machine, truth, &options), KT_OK);
	f = kt_score_figures(score);
	CU_ASSERT_EQUAL(f->precision.words.value, 0);
	CU_ASSERT_EQUAL(f->precision.words.low, 0);
	CU_ASSERT(is_bound(f->precision.words.high, &f->precision.words));
	CU_ASSERT_EQUAL(f->recall.stuck, 10);
	CU_ASSERT_EQUAL(f->recall.letters.whole, 0);
	CU_ASSERT_EQUAL(f->recall.letters.value, 1);
	CU_ASSERT_EQUAL(f->f1, 0);
	kt_score_free(score);
	kt_fsm_free(machine);
	kt_fsm_free(truth);
}

static void test_seeds(void)
{
	struct kt_score_options options = KT_SCORE_OPTIONS_INIT;
	struct kt_fsm *a = loop(true);
	struct kt_fsm *b = loop(false);
	uint64_t fitting[3];

	options.walks = 1000;
	for (size_t i = 0; i < 3; i++) {
		kt_score *score = NULL;

		options.seed = i == 2 ? 5 : 4;
		CU_ASSERT_EQUAL_FATAL(kt_score_new(&score, a, b, &options), KT_OK);
		fitting[i] = kt_score_figures(score)->precision.letters.part;
		kt_score_free(score);
	}
	CU_ASSERT_EQUAL(fitting[0], fitting[1]);
	CU_ASSERT_NOT_EQUAL(fitting[0], fitting[2]);
	kt_fsm_free(a);
	kt_fsm_free(b);
}

/*
 * Returns a chain of letters a. Common words of two chains reach as many pairs of states as
 * the shorter chain has states.
 */
static struct kt_fsm *chain(uint32_t n_states)
{
	struct kt_fsm *fsm = rig_machine_new(n_states, rig_alphabet, 1);

	for (uint32_t i = 0; i + 1 < n_states; i++) {
		rig_connect(fsm, i, 0, i + 1, 1);
	}
	return fsm;
}

static void test_limit(void)
{
	struct kt_score_options options = KT_SCORE_OPTIONS_INIT;
	const struct kt_score_figures *f;
	struct kt_fsm *fsm = chain(100);
	struct kt_fsm *longer = chain(200);
	kt_score *score = NULL;

	options.walks = 10;
	options.most_pairs = 99;
	CU_ASSERT_EQUAL_FATAL(kt_score_new(&score, fsm, longer, &options), KT_OK);
	f = kt_score_figures(score);
	CU_ASSERT_EQUAL(f->language.complete, false);
	CU_ASSERT_EQUAL(f->language.equal, false);
	CU_ASSERT_EQUAL(f->language.precise, KT_ANSWER_UNKNOWN);
	CU_ASSERT_EQUAL(f->precision.words.value, 1);
	CU_ASSERT(isnan(f->precision.words_expected));
	CU_ASSERT(isnan(f->recall.letters_expected));
	CU_ASSERT(isnan(f->exactness_expected));
	kt_score_free(score);

	options.most_pairs = 100;
	CU_ASSERT_EQUAL_FATAL(kt_score_new(&score, fsm, longer, &options), KT_OK);
	f = kt_score_figures(score);
	CU_ASSERT_EQUAL(f->language.complete, true);
	CU_ASSERT_EQUAL(f->language.precise, KT_ANSWER_YES);
	CU_ASSERT_EQUAL(f->language.recalls, KT_ANSWER_NO);
	CU_ASSERT_EQUAL(f->truth.covered.part, 99);
	CU_ASSERT_EQUAL(f->truth.covered.whole, 199);
	CU_ASSERT_EQUAL(kt_score_truth_fate(score, 99), KT_SCORE_LACKING);
	CU_ASSERT_EQUAL(kt_score_truth_fate(score, 100), KT_SCORE_OUT_OF_WAY);
	kt_score_free(score);

	/* Expected values for walks of this length would take too many steps. */
	options.length = 1000000000;
	options.walks = 0;
	CU_ASSERT_EQUAL_FATAL(kt_score_new(&score, fsm, longer, &options), KT_OK);
	f = kt_score_figures(score);
	CU_ASSERT(isnan(f->precision.words_expected));
	CU_ASSERT_EQUAL(f->precision.words.value, 1);
	CU_ASSERT_EQUAL(f->precision.words.low, 0);
	kt_score_free(score);
	kt_fsm_free(fsm);
	kt_fsm_free(longer);
}

static void refuse(const struct kt_fsm *machine, const struct kt_fsm *truth,
		   const struct kt_score_options *options, const char *what)
{
	kt_score *score = NULL;

	CU_ASSERT_EQUAL(kt_score_new(&score, machine, truth, options), KT_E_USAGE);
	CU_ASSERT_PTR_NULL(score);
	CU_ASSERT_PTR_NOT_NULL(strstr(kt_error_message(), what));
}

static void test_refused(void)
{
	struct kt_score_options options = KT_SCORE_OPTIONS_INIT;
	struct kt_fsm *good = loop(true);
	struct kt_fsm *bad = loop(true);

	refuse(NULL, good, &options, "no machine");
	refuse(good, NULL, &options, "no machine");
	refuse(good, good, NULL, "options");
	bad->transitions[1].letter = 0;
	refuse(bad, good, &options, "not deterministic");
	refuse(good, bad, &options, "not deterministic");
	bad->transitions[1].letter = 2;
	refuse(bad, good, &options, "score machine");
	bad->n_transitions = 0;
	bad->n_states = 0;
	refuse(good, bad, &options, "score machine");
	options.length = UINT64_MAX;
	refuse(good, good, &options, "too long");
	options.length = UINT32_MAX;
	options.walks = UINT64_MAX / 16;
	refuse(good, good, &options, "too long");
	kt_score_free(NULL);
	kt_fsm_free(good);
	kt_fsm_free(bad);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"properties", test_properties}, {"loop", test_loop},
		{"seeds", test_seeds},           {"limit", test_limit},
		{"refused", test_refused},       CU_TEST_INFO_NULL,
	};

	return kt_run_suite("score", tests);
}
