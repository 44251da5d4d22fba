/* SPDX-License-Identifier: MIT */
/*
 * Scores against words and walks that are written out one by one. Random machines are
 * small, so that all words that matter can be.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/ktail.h>

#include "random-sets.h"
#include "tests/suite.h"

#define STATES_MAX  3
#define LENGTH_MAX  6
#define WORD_LENGTH (STATES_MAX * STATES_MAX) /* then no pair of states is new */
#define MACHINES    2000

static struct kt_fsm *machine_new(size_t n_states, const char *const *letters, size_t n)
{
	struct kt_fsm *fsm = NULL;

	if (kt_fsm_new(&fsm) != KT_OK) {
		abort();
	}
	fsm->n_states = n_states;
	fsm->states = calloc(n_states + 1, sizeof(*fsm->states));
	fsm->letters = calloc(n + 1, sizeof(*fsm->letters));
	fsm->transitions = calloc(n_states * n + 1, sizeof(*fsm->transitions));
	for (size_t i = 0; i < n; i++) {
		fsm->letters[fsm->n_letters++] = strdup(letters[i]);
	}
	return fsm;
}

static void connect(struct kt_fsm *fsm, uint32_t from, uint32_t letter, uint32_t to,
		    uint64_t count)
{
	fsm->transitions[fsm->n_transitions++] = (struct kt_fsm_transition){
		.from = from, .letter = letter, .to = to, .count = count};
}

/* Up to `most` states, and two of three letters: so letters' numbers differ. */
static struct kt_fsm *machine_random(struct random *random, uint32_t most)
{
	static const char *const pool[][2] = {{"a", "b"}, {"a", "c"}, {"b", "c"}};
	uint32_t n_states = 1 + random_below(random, most);
	struct kt_fsm *fsm = machine_new(n_states, pool[random_below(random, 3)], 2);

	fsm->start = random_below(random, n_states);
	for (uint32_t i = 0; i < n_states; i++) {
		for (uint32_t j = 0; j < 2; j++) {
			if (random_below(random, 4)) {
				connect(fsm, i, j, random_below(random, n_states),
					random_below(random, 4));
			}
		}
	}
	return fsm;
}

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

static const char *const alphabet[] = {"a", "b", "c"};

#define LETTERS (sizeof(alphabet) / sizeof(alphabet[0]))

static bool says_the_same(const struct kt_fsm *a, uint32_t x, const struct kt_fsm *b,
			  uint32_t y)
{
	for (size_t i = 0; i < LETTERS; i++) {
		if (!find(a, x, alphabet[i]) != !find(b, y, alphabet[i])) {
			return false;
		}
	}
	return true;
}

/* --- walks, all of them --- */

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

/* All walks that go on from here, of which this one has probability p; y < 0: misfit. */
static void enumerate(struct sums *out, const struct kt_fsm *from, uint32_t x,
		      const struct kt_fsm *in, long y, uint64_t left, double p,
		      enum kt_score_choice choice)
{
	bool stuck = true;

	out->exact += y >= 0 && says_the_same(from, x, in, (uint32_t)y) ? p : 0;
	for (size_t i = 0; i < LETTERS && left; i++) {
		const struct kt_fsm_transition *t = find(from, x, alphabet[i]);
		const struct kt_fsm_transition *u =
			y < 0 ? NULL : find(in, (uint32_t)y, alphabet[i]);
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

/* How often an interval at 95 % held what it is for. */
static unsigned n_intervals;
static unsigned n_held;

/* Five standard deviations, and a walk. */
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
		struct kt_fsm *machine = machine_random(&random, STATES_MAX);
		struct kt_fsm *truth = machine_random(&random, STATES_MAX);
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

/* --- languages: all words --- */

struct seen {
	bool taken[2 * STATES_MAX];
	bool lacked[2 * STATES_MAX];
	bool reached[STATES_MAX];
};

static void read_words(const struct kt_fsm *a, uint32_t x, struct seen *in_a,
		       const struct kt_fsm *b, uint32_t y, struct seen *in_b, unsigned left)
{
	for (size_t i = 0; i < LETTERS && left; i++) {
		const struct kt_fsm_transition *t = find(a, x, alphabet[i]);
		const struct kt_fsm_transition *u = find(b, y, alphabet[i]);

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
	for (size_t i = 0; i < LETTERS && left; i++) {
		const struct kt_fsm_transition *t = find(a, x, alphabet[i]);

		if (t) {
			read_alone(a, t->to, in_a, left - 1);
		}
	}
}

/* What the words say of one machine's transitions. */
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
		struct kt_fsm *machine = machine_random(&random, STATES_MAX);
		struct kt_fsm *truth = machine_random(&random, STATES_MAX);
		kt_score *score = NULL;

		CU_ASSERT_EQUAL_FATAL(kt_score_new(&score, machine, truth, &options),
				      KT_OK);
		check_language(score, machine, truth);
		kt_score_free(score);
		kt_fsm_free(machine);
		kt_fsm_free(truth);
	}
}

/* --- properties of larger ones --- */

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
		struct kt_fsm *a = machine_random(&random, 60);
		struct kt_fsm *b = machine_random(&random, 60);

		check_itself(a, &options);
		check_swapped(a, b, &options);
		kt_fsm_free(a);
		kt_fsm_free(b);
	}
}

/* --- by hand --- */

/* a loops; with `also`, so does b. */
static struct kt_fsm *loop(bool also)
{
	struct kt_fsm *fsm = machine_new(1, alphabet, 2);

	connect(fsm, 0, 0, 0, 3);
	if (also) {
		connect(fsm, 0, 1, 0, 1);
	}
	return fsm;
}

/* Where the share itself is just at the edge of what is likely: Wilson's definition. */
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

	options.choice = KT_SCORE_COUNTS; /* a three times of four */
	CU_ASSERT_EQUAL_FATAL(kt_score_new(&score, machine, truth, &options), KT_OK);
	CU_ASSERT_EQUAL(kt_score_figures(score)->precision.words_expected, 0.5625);
	kt_score_free(score);

	/* None of the walks fits. */
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

/* A chain of a's, so that there are as many pairs as states. */
static struct kt_fsm *chain(uint32_t n_states)
{
	struct kt_fsm *fsm = machine_new(n_states, alphabet, 1);

	for (uint32_t i = 0; i + 1 < n_states; i++) {
		connect(fsm, i, 0, i + 1, 1);
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

	/* Too many steps to expect anything. */
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
		{"walks", test_walks},           {"languages", test_languages},
		{"properties", test_properties}, {"loop", test_loop},
		{"seeds", test_seeds},           {"limit", test_limit},
		{"refused", test_refused},       CU_TEST_INFO_NULL,
	};

	return kt_run_suite("score", tests);
}
