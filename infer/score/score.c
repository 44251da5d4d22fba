/* SPDX-License-Identifier: MIT */
#include <ktail/score.h>

#include <math.h>
#include <stdlib.h>

#include "base/try.h"
#include "infer/compare/difference.h"
#include "infer/compare/product.h"
#include "infer/score/walks.h"

#define Z_95 1.959963984540054 /* two-sided 95 % quantile of the normal distribution */

enum { MACHINE = 0, TRUTH = 1 };

struct kt_score {
	struct kt_score_figures figures;
	kt_compare *compare;   /* Owned by this */
	struct kt_product own; /* used if the languages are equal, because kt_compare_new()
				* then makes no product */
	const struct kt_product *product; /* Weak: `own` or compare->product */
	struct kt_links links;
	bool *reached[2]; /* Owned by this: for each state, whether some word reaches it */
};

/* --- shares --- */

static struct kt_score_share share(uint64_t part, uint64_t whole)
{
	double value = whole ? (double)part / (double)whole : 1;

	return (struct kt_score_share){part, whole, value, NAN, NAN};
}

/*
 * Returns a share with Wilson's interval: E. B. Wilson, "Probable inference, the law of
 * succession, and statistical inference", 1927.
 */
static struct kt_score_share share_of_walks(uint64_t part, uint64_t whole)
{
	struct kt_score_share out = share(part, whole);
	double n = (double)whole;
	double divisor = 1 + Z_95 * Z_95 / n;
	double middle = (out.value + Z_95 * Z_95 / (2 * n)) / divisor;
	double half = Z_95 *
		      sqrt(out.value * (1 - out.value) / n + Z_95 * Z_95 / (4 * n * n)) /
		      divisor;

	/*
	 * If `part` is 0, `low` is exactly 0, and if `part` is `whole`, `high` is exactly
	 * 1; the formula can miss these bounds slightly, by rounding.
	 */
	out.low = whole && part ? fmax(0, middle - half) : 0;
	out.high = whole && part < whole ? fmin(1, middle + half) : 1;
	return out;
}

static double harmonic_mean(double a, double b)
{
	return a + b > 0 ? 2 * a * b / (a + b) : 0;
}

/* --- walks --- */

static struct kt_score_walks judge(const struct kt_walk_tally *tally,
				   const struct kt_expectation *expected, uint64_t walks)
{
	double whole = expected->letters;

	return (struct kt_score_walks){
		.words = share_of_walks(tally->accepted, walks),
		.letters = share(tally->fitting, tally->letters),
		.stuck = tally->stuck,
		.words_expected = expected->accepted,
		.letters_expected = whole > 0      ? expected->fitting / whole
				    : isnan(whole) ? NAN
						   : 1,
	};
}

static int walk_both(kt_score *score, const struct kt_score_options *options)
{
	const struct kt_joint *joint = &score->compare->joint;
	struct kt_score_figures *f = &score->figures;
	struct kt_expectation expected[2];
	struct kt_walk_tally tally[2];

	for (int s = 0; s < 2; s++) {
		KT_TRY(kt_expect_walks(&expected[s], joint, score->product, &score->links,
				       s, options));
		kt_walk_tally(&tally[s], joint, s, options);
	}
	f->precision = judge(&tally[MACHINE], &expected[MACHINE], options->walks);
	f->recall = judge(&tally[TRUTH], &expected[TRUTH], options->walks);
	f->exactness = share(tally[0].exact + tally[1].exact,
			     tally[0].positions + tally[1].positions);
	f->exactness_expected = (expected[0].exact + expected[1].exact) /
				(expected[0].positions + expected[1].positions);
	f->f1 = harmonic_mean(f->precision.words.value, f->recall.words.value);
	f->letters_f1 = harmonic_mean(f->precision.letters.value, f->recall.letters.value);
	return KT_OK;
}

/* --- languages --- */

/* Finds the states that can be reached from the start of a machine. */
static int find_reached(bool **out, const struct kt_joint_machine *machine)
{
	const struct kt_fsm *fsm = machine->fsm;
	uint32_t *queue = calloc(fsm->n_states, sizeof(*queue));
	size_t n = 1;

	*out = calloc(fsm->n_states, sizeof(**out));
	if (!*out || !queue) {
		free(queue);
		return kt_no_memory("score machine");
	}
	queue[0] = fsm->start;
	(*out)[queue[0]] = true;
	for (size_t i = 0; i < n; i++) {
		for (size_t j = machine->first[queue[i]];
		     j < machine->first[queue[i] + (size_t)1]; j++) {
			uint32_t to = fsm->transitions[j].to;

			if (!(*out)[to]) {
				(*out)[to] = true;
				queue[n++] = to;
			}
		}
	}
	free(queue);
	return KT_OK;
}

static enum kt_score_fate fate_of(const kt_score *score, int which, size_t i)
{
	const struct kt_fsm *fsm = score->compare->joint.machine[which].fsm;

	if (score->links.taken[which][i]) {
		return score->links.lacked[which][i] ? KT_SCORE_PARTLY : KT_SCORE_COVERED;
	}
	if (score->links.lacked[which][i]) {
		return KT_SCORE_LACKING;
	}
	return score->reached[which][fsm->transitions[i].from] ? KT_SCORE_OUT_OF_WAY
							       : KT_SCORE_UNREACHABLE;
}

static struct kt_score_transitions count_transitions(const kt_score *score, int which)
{
	size_t n = score->compare->joint.machine[which].fsm->n_transitions;
	uint64_t fates[KT_SCORE_UNREACHABLE + 1] = {0};

	for (size_t i = 0; i < n; i++) {
		fates[fate_of(score, which, i)]++;
	}
	return (struct kt_score_transitions){
		.covered = share(fates[KT_SCORE_COVERED] + fates[KT_SCORE_PARTLY],
				 n - fates[KT_SCORE_UNREACHABLE]),
		.partly = fates[KT_SCORE_PARTLY],
	};
}

/* --- the score --- */

static int check_request(const struct kt_fsm *machine, const struct kt_fsm *truth,
			 const struct kt_score_options *options)
{
	if (!machine || !truth || !options) {
		return kt_error(KT_E_USAGE,
				"score machine: no machine, truth or options given");
	}
	if (options->choice != KT_SCORE_UNIFORM && options->choice != KT_SCORE_COUNTS) {
		return kt_error(KT_E_USAGE, "score machine: unknown choice: %d",
				(int)options->choice);
	}
	/*
	 * The total numbers of letters and of positions of all walks must fit an int64_t.
	 */
	if (options->length >= INT64_MAX ||
	    (options->walks && options->length + 1 > INT64_MAX / 2 / options->walks)) {
		return kt_error(KT_E_USAGE,
				"score machine: walks are too many or too long");
	}
	return KT_OK;
}

int kt_score_new(kt_score **out, const struct kt_fsm *machine, const struct kt_fsm *truth,
		 const struct kt_score_options *options)
{
	struct kt_compare_options how = {0};
	const struct kt_compare_summary *summary;
	struct kt_score_figures *f;
	const struct kt_joint *joint;
	kt_score *score;
	int code;

	*out = NULL;
	KT_TRY(check_request(machine, truth, options));
	score = calloc(1, sizeof(*score));
	if (!score) {
		return kt_no_memory("score machine");
	}
	how.most_pairs = options->most_pairs ? options->most_pairs : 1;
	code = kt_compare_new(&score->compare, machine, truth, &how);
	if (code) {
		kt_error_prepend(code, "score machine (old) by truth (new)");
		goto end;
	}
	joint = &score->compare->joint;
	summary = kt_compare_summary(score->compare);
	score->product = &score->compare->product;
	if (summary->equal) {
		score->product = &score->own;
		KT_TRY_END(kt_product_init(&score->own, joint, how.most_pairs));
	}
	KT_TRY_END(kt_links_init(&score->links, joint, score->product));
	for (int s = 0; s < 2; s++) {
		KT_TRY_END(find_reached(&score->reached[s], &joint->machine[s]));
	}
	KT_TRY_END(walk_both(score, options));

	f = &score->figures;
	f->machine = count_transitions(score, MACHINE);
	f->truth = count_transitions(score, TRUTH);
	f->language = (struct kt_score_language){
		.complete = score->product->complete,
		.exact = share(score->links.n_exact, score->product->n_pairs),
		.next_precision = share(score->links.n, score->links.n_letters[MACHINE]),
		.next_recall = share(score->links.n, score->links.n_letters[TRUTH]),
		.equal = summary->equal,
		.precise = summary->old_in_new,
		.recalls = summary->new_in_old,
	};
end:
	if (code) {
		kt_score_free(score);
		return code;
	}
	*out = score;
	return KT_OK;
}

void kt_score_free(kt_score *score)
{
	if (!score) {
		return;
	}
	kt_links_clear(&score->links);
	kt_product_clear(&score->own);
	kt_compare_free(score->compare);
	free(score->reached[0]);
	free(score->reached[1]);
	free(score);
}

const struct kt_score_figures *kt_score_figures(const kt_score *score)
{
	return &score->figures;
}

const kt_compare *kt_score_compare(const kt_score *score)
{
	return score->compare;
}

enum kt_score_fate kt_score_truth_fate(const kt_score *score, size_t i)
{
	return fate_of(score, TRUTH, i);
}

enum kt_score_fate kt_score_machine_fate(const kt_score *score, size_t i)
{
	return fate_of(score, MACHINE, i);
}
