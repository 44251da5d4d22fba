/* SPDX-License-Identifier: MIT */
/*
 * Compares scores with words and walks that are enumerated one by one. The random machines
 * are so small that all relevant words can be enumerated.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <ktail/ktail.h>

#include "score-rig.h"
#include "tests/suite.h"

#define STATES_MAX  3
#define LENGTH_MAX  6
#define WORD_LENGTH (STATES_MAX * STATES_MAX) /* longer words reach no new state pair */
#define MACHINES    2000

static const struct kt_fsm_transition *find(const struct kt_fsm *fsm, uint32_t state,
					    const char *letter)
{
	for (size_t i = 0; i < fsm->n_transitions; i++) {
		const struct kt_fsm_transition *t = &fsm->transitions[i];

		if (t->from == state && strcmp(fsm->letters[t->letter], letter) == 0) {
			return t;
		}
	}
	return NULL;
}

static bool says_the_same(const struct kt_fsm *a, uint32_t x, const struct kt_fsm *b,
			  uint32_t y)
{
	for (size_t i = 0; i < RIG_LETTERS; i++) {
		if (!find(a, x, rig_alphabet[i]) != !find(b, y, rig_alphabet[i])) {
			return false;
		}
	}
	return true;
}

/* --- all walks --- */

struct sums {
	double accepted;
	double letters;
	double fitting;
	double exact;
};

static double probability(const struct kt_fsm *fsm, const struct kt_fsm_transition *taken,
			  enum kt_score_choice choice)
{
	double n = 0;
	double sum = 0;

	for (size_t i = 0; i < fsm->n_transitions; i++) {
		if (fsm->transitions[i].from == taken->from) {
			n++;
			sum += (double)fsm->transitions[i].count;
		}
	}
	return choice == KT_SCORE_COUNTS && sum > 0 ? (double)taken->count / sum : 1 / n;
}

/*
 * Continues a walk of `from` at state x in all ways, with at most `left` letters. p is the
 * probability of the walk so far. y is the state of `in`, negative after a misfit.
 */
static void enumerate(struct sums *out, const struct kt_fsm *from, uint32_t x,
		      const struct kt_fsm *in, long y, uint64_t left, double p,
		      enum kt_score_choice choice)
{
	bool stuck = true;

	out->exact += y >= 0 && says_the_same(from, x, in, (uint32_t)y) ? p : 0;
	for (size_t i = 0; i < RIG_LETTERS && left; i++) {
		const struct kt_fsm_transition *t = find(from, x, rig_alphabet[i]);
		const struct kt_fsm_transition *u =
			y < 0 ? NULL : find(in, (uint32_t)y, rig_alphabet[i]);
		double q = t ? p * probability(from, t, choice) : 0;

		if (t) {
			stuck = false;
			out->letters += q;
			out->fitting += u ? q : 0;
			enumerate(out, from, t->to, in, u ? (long)u->to : -1, left - 1, q,
				  choice);
		}
	}
	if (stuck) {
		out->accepted += y >= 0 ? p : 0;
	}
}

static bool is_near(double a, double b)
{
	return fabs(a - b) < 1e-9;
}

static double ratio(double a, double b)
{
	return b > 0 ? a / b : 1;
}

/* The number of 95 % intervals, and of those that contain the true value. */
static unsigned n_intervals;
static unsigned n_held;

/*
 * Returns whether the share differs from the expected one by at most five standard
 * deviations plus one walk.
 */
static bool is_likely(const struct kt_score_share *share, double expected)
{
	double n = (double)share->whole;
	double sigma = sqrt(fmax(0, expected * (1 - expected)) / n);

	if (expected > 0.02 && expected < 0.98) {
		n_intervals++;
		n_held += share->low <= expected && expected <= share->high;
	}
	return fabs(share->value - expected) <= 5 * sigma + 1 / n;
}

static void check_walks(const struct kt_score_figures *f, const struct kt_fsm *machine,
			const struct kt_fsm *truth, const struct kt_score_options *options)
{
	struct sums there = {0};
	struct sums back = {0};

	enumerate(&there, machine, machine->start, truth, truth->start, options->length, 1,
		  options->choice);
	enumerate(&back, truth, truth->start, machine, machine->start, options->length, 1,
		  options->choice);
	CU_ASSERT(is_near(f->precision.words_expected, there.accepted));
	CU_ASSERT(is_near(f->precision.letters_expected,
			  ratio(there.fitting, there.letters)));
	CU_ASSERT(is_near(f->recall.words_expected, back.accepted));
	CU_ASSERT(is_near(f->recall.letters_expected, ratio(back.fitting, back.letters)));
	CU_ASSERT(is_near(f->exactness_expected,
			  (there.exact + back.exact) / (there.letters + back.letters + 2)));
	CU_ASSERT(is_likely(&f->precision.words, there.accepted));
	CU_ASSERT(is_likely(&f->recall.words, back.accepted));
	CU_ASSERT(fabs(f->precision.letters.value - ratio(there.fitting, there.letters)) <
		  0.15);
	CU_ASSERT(fabs(f->recall.letters.value - ratio(back.fitting, back.letters)) < 0.15);
	CU_ASSERT(fabs(f->exactness.value - f->exactness_expected) < 0.15);
}

static void test_walks(void)
{
	for (uint64_t seed = 1; seed <= MACHINES; seed++) {
		struct random random = {.state = seed * 0x9e3779b97f4a7c15u};
		struct kt_fsm *machine = rig_machine_random(&random, STATES_MAX);
		struct kt_fsm *truth = rig_machine_random(&random, STATES_MAX);
		struct kt_score_options options = KT_SCORE_OPTIONS_INIT;
		kt_score *score = NULL;

		options.walks = 500;
		options.seed = seed;
		options.length = random_below(&random, LENGTH_MAX + 1);
		options.choice = seed % 2 ? KT_SCORE_UNIFORM : KT_SCORE_COUNTS;
		CU_ASSERT_EQUAL_FATAL(kt_score_new(&score, machine, truth, &options),
				      KT_OK);
		check_walks(kt_score_figures(score), machine, truth, &options);
		kt_score_free(score);
		kt_fsm_free(machine);
		kt_fsm_free(truth);
	}
	printf("\n    %u of %u intervals held what they are for ", n_held, n_intervals);
	CU_ASSERT(n_intervals > 600);
	CU_ASSERT(n_held > 0.92 * n_intervals && n_held < 0.98 * n_intervals);
}

/* --- all words --- */

struct seen {
	bool taken[2 * STATES_MAX];
	bool lacked[2 * STATES_MAX];
	bool reached[STATES_MAX];
};

static void read_words(const struct kt_fsm *a, uint32_t x, struct seen *in_a,
		       const struct kt_fsm *b, uint32_t y, struct seen *in_b, unsigned left)
{
	for (size_t i = 0; i < RIG_LETTERS && left; i++) {
		const struct kt_fsm_transition *t = find(a, x, rig_alphabet[i]);
		const struct kt_fsm_transition *u = find(b, y, rig_alphabet[i]);

		if (t) {
			in_a->taken[t - a->transitions] |= u != NULL;
			in_a->lacked[t - a->transitions] |= u == NULL;
		}
		if (u) {
			in_b->taken[u - b->transitions] |= t != NULL;
			in_b->lacked[u - b->transitions] |= t == NULL;
		}
		if (t && u) {
			read_words(a, t->to, in_a, b, u->to, in_b, left - 1);
		}
	}
}

static void read_alone(const struct kt_fsm *a, uint32_t x, struct seen *in_a, unsigned left)
{
	in_a->reached[x] = true;
	for (size_t i = 0; i < RIG_LETTERS && left; i++) {
		const struct kt_fsm_transition *t = find(a, x, rig_alphabet[i]);

		if (t) {
			read_alone(a, t->to, in_a, left - 1);
		}
	}
}

/*
 * Compares the outcomes of one machine's transitions, and their numbers, with what reading
 * the words found. Writes to *alone whether some word is only in this machine's language.
 */
static void check_fates(const struct kt_fsm *fsm, const struct seen *seen,
			const kt_score *score, const struct kt_score_transitions *counted,
			enum kt_score_fate (*fate)(const kt_score *, size_t), bool *alone)
{
	uint64_t covered = 0;
	uint64_t partly = 0;
	uint64_t reached = 0;

	*alone = false;
	for (size_t i = 0; i < fsm->n_transitions; i++) {
		enum kt_score_fate expected =
			seen->taken[i] && seen->lacked[i]         ? KT_SCORE_PARTLY
			: seen->taken[i]                          ? KT_SCORE_COVERED
			: seen->lacked[i]                         ? KT_SCORE_LACKING
			: seen->reached[fsm->transitions[i].from] ? KT_SCORE_OUT_OF_WAY
								  : KT_SCORE_UNREACHABLE;

		CU_ASSERT_EQUAL(fate(score, i), expected);
		covered += seen->taken[i];
		partly += seen->taken[i] && seen->lacked[i];
		reached += seen->reached[fsm->transitions[i].from];
		*alone |= seen->lacked[i];
	}
	CU_ASSERT_EQUAL(counted->covered.part, covered);
	CU_ASSERT_EQUAL(counted->covered.whole, reached);
	CU_ASSERT_EQUAL(counted->partly, partly);
}

static void check_language(const kt_score *score, const struct kt_fsm *machine,
			   const struct kt_fsm *truth)
{
	const struct kt_score_figures *f = kt_score_figures(score);
	struct seen in_machine = {0};
	struct seen in_truth = {0};
	bool wrong;
	bool missing;

	read_words(machine, machine->start, &in_machine, truth, truth->start, &in_truth,
		   WORD_LENGTH);
	read_alone(machine, machine->start, &in_machine, STATES_MAX);
	read_alone(truth, truth->start, &in_truth, STATES_MAX);
	check_fates(machine, &in_machine, score, &f->machine, kt_score_machine_fate,
		    &wrong);
	check_fates(truth, &in_truth, score, &f->truth, kt_score_truth_fate, &missing);
	CU_ASSERT_EQUAL(f->language.complete, true);
	CU_ASSERT_EQUAL(f->language.precise, wrong ? KT_ANSWER_NO : KT_ANSWER_YES);
	CU_ASSERT_EQUAL(f->language.recalls, missing ? KT_ANSWER_NO : KT_ANSWER_YES);
	CU_ASSERT_EQUAL(f->language.equal, !wrong && !missing);
	CU_ASSERT_EQUAL(f->language.exact.part == f->language.exact.whole,
			!wrong && !missing);
}

static void test_languages(void)
{
	struct kt_score_options options = KT_SCORE_OPTIONS_INIT;

	options.walks = 0;
	for (uint64_t seed = 1; seed <= MACHINES; seed++) {
		struct random random = {.state = seed * 0xd1342543de82ef95u};
		struct kt_fsm *machine = rig_machine_random(&random, STATES_MAX);
		struct kt_fsm *truth = rig_machine_random(&random, STATES_MAX);
		kt_score *score = NULL;

		CU_ASSERT_EQUAL_FATAL(kt_score_new(&score, machine, truth, &options),
				      KT_OK);
		check_language(score, machine, truth);
		kt_score_free(score);
		kt_fsm_free(machine);
		kt_fsm_free(truth);
	}
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"walks", test_walks},
		{"languages", test_languages},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("score-oracle", tests);
}
