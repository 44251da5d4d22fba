/* SPDX-License-Identifier: MIT */
#include <ktail/score.h>

#include <math.h>
#include <stdlib.h>

#include "infer/engine/expect.h"
#include "infer/engine/pairs.h"
#include "infer/engine/walk.h"

#define Z_95 1.959963984540054 /* of the normal distribution, both sides */

struct kt_score {
	struct kt_score_figures figures;
	struct kt_walk_side machine;
	struct kt_walk_side truth;
	struct kt_pairs pairs;
	bool *in_machine; /* Owned by this, by state: some word leads there */
	bool *in_truth;
};

static int out_of_memory(void)
{
	return kt_error(KT_E_MEMORY, "score machine: out of memory");
}

/* --- shares --- */

static struct kt_score_share share(uint64_t part, uint64_t whole)
{
	double value = whole ? (double)part / (double)whole : 1;

	return (struct kt_score_share){part, whole, value, NAN, NAN};
}

/* E. B. Wilson, "Probable inference, the law of succession, and statistical inference",
 * 1927. */
static struct kt_score_share share_of_walks(uint64_t part, uint64_t whole)
{
	struct kt_score_share out = share(part, whole);
	double n = (double)whole;
	double divisor = 1 + Z_95 * Z_95 / n;
	double middle = (out.value + Z_95 * Z_95 / (2 * n)) / divisor;
	double half = Z_95 *
		      sqrt(out.value * (1 - out.value) / n + Z_95 * Z_95 / (4 * n * n)) /
		      divisor;

	/* At the ends rounding may put the bound just beside 0 or 1. */
	out.low = whole && part ? fmax(0, middle - half) : 0;
	out.high = whole && part < whole ? fmin(1, middle + half) : 1;
	return out;
}

static double harmonic_mean(double a, double b)
{
	return a + b > 0 ? 2 * a * b / (a + b) : 0;
}

/* --- walks --- */

static double ratio(double part, double whole)
{
	return whole > 0 ? part / whole : isnan(whole) ? NAN : 1;
}

static struct kt_score_walks judge(const struct kt_walk_tally *tally,
				   const struct kt_expectation *expected, uint64_t walks)
{
	return (struct kt_score_walks){
		.words = share_of_walks(tally->accepted, walks),
		.letters = share(tally->fitting, tally->letters),
		.stuck = tally->stuck,
		.words_expected = expected->accepted,
		.letters_expected = ratio(expected->fitting, expected->letters),
	};
}

static int walk_both(kt_score *score, const struct kt_score_options *options)
{
	struct kt_score_figures *f = &score->figures;
	struct kt_expectation there;
	struct kt_expectation back;
	struct kt_walk_tally precision;
	struct kt_walk_tally recall;
	int code = kt_expect_walks(&there, &score->pairs, &score->machine, &score->truth,
				   false, options);

	code = code ? code
		    : kt_expect_walks(&back, &score->pairs, &score->machine, &score->truth,
				      true, options);
	if (code) {
		return code;
	}
	kt_walk_tally(&precision, &score->machine, &score->truth, options);
	kt_walk_tally(&recall, &score->truth, &score->machine, options);
	f->precision = judge(&precision, &there, options->walks);
	f->recall = judge(&recall, &back, options->walks);
	f->exactness = share(precision.exact + recall.exact,
			     precision.positions + recall.positions);
	f->exactness_expected =
		(there.exact + back.exact) / (there.positions + back.positions);
	f->f1 = harmonic_mean(f->precision.words.value, f->recall.words.value);
	f->letters_f1 = harmonic_mean(f->precision.letters.value, f->recall.letters.value);
	return KT_OK;
}

/* --- languages --- */

/* Which states of a machine words reach. */
static int find_reached(bool **out, const struct kt_arcs *arcs)
{
	size_t n_states = arcs->fsm->n_states;
	uint32_t *queue = calloc(n_states, sizeof(*queue));
	size_t n = 1;

	*out = calloc(n_states, sizeof(**out));
	if (!*out || !queue) {
		free(queue);
		return out_of_memory();
	}
	queue[0] = arcs->fsm->start;
	(*out)[queue[0]] = true;
	for (size_t i = 0; i < n; i++) {
		size_t degree;
		const struct kt_fsm_transition *t = kt_arcs_of(arcs, queue[i], &degree);

		for (size_t j = 0; j < degree; j++) {
			if (!(*out)[t[j].to]) {
				(*out)[t[j].to] = true;
				queue[n++] = t[j].to;
			}
		}
	}
	free(queue);
	return KT_OK;
}

static enum kt_score_fate fate_of(const struct kt_fsm *fsm, const bool *reached,
				  const struct kt_pairs_seen *seen, size_t i)
{
	if (seen->taken[i]) {
		return seen->lacked[i] ? KT_SCORE_PARTLY : KT_SCORE_COVERED;
	}
	if (seen->lacked[i]) {
		return KT_SCORE_LACKING;
	}
	return reached[fsm->transitions[i].from] ? KT_SCORE_OUT_OF_WAY
						 : KT_SCORE_UNREACHABLE;
}

/* Also says whether some word is in this machine's language alone. */
static struct kt_score_transitions count_transitions(bool *alone, const struct kt_fsm *fsm,
						     const bool *reached,
						     const struct kt_pairs_seen *seen)
{
	uint64_t fates[KT_SCORE_UNREACHABLE + 1] = {0};
	uint64_t covered;

	for (size_t i = 0; i < fsm->n_transitions; i++) {
		fates[fate_of(fsm, reached, seen, i)]++;
	}
	covered = fates[KT_SCORE_COVERED] + fates[KT_SCORE_PARTLY];
	*alone = fates[KT_SCORE_PARTLY] + fates[KT_SCORE_LACKING] > 0;
	return (struct kt_score_transitions){
		.covered = share(covered, fsm->n_transitions - fates[KT_SCORE_UNREACHABLE]),
		.partly = fates[KT_SCORE_PARTLY],
	};
}

static enum kt_score_answer answer(bool counterexample, bool complete)
{
	return counterexample ? KT_SCORE_NO : complete ? KT_SCORE_YES : KT_SCORE_UNKNOWN;
}

static void compare_languages(kt_score *score)
{
	const struct kt_pairs *pairs = &score->pairs;
	struct kt_score_figures *f = &score->figures;
	bool wrong;
	bool missing;

	f->machine = count_transitions(&wrong, score->machine.arcs.fsm, score->in_machine,
				       &pairs->in_a);
	f->truth = count_transitions(&missing, score->truth.arcs.fsm, score->in_truth,
				     &pairs->in_b);
	f->language = (struct kt_score_language){
		.complete = pairs->complete,
		.exact = share(pairs->exact, pairs->n),
		.equal = answer(wrong || missing, pairs->complete),
		.precise = answer(wrong, pairs->complete),
		.recalls = answer(missing, pairs->complete),
	};
}

/* --- the whole --- */

static int make_sides(kt_score *score, const struct kt_fsm *machine,
		      const struct kt_fsm *truth)
{
	int code = kt_arcs_make(&score->machine.arcs, machine);

	if (code) {
		return kt_error_prepend(code, "score machine");
	}
	code = kt_arcs_make(&score->truth.arcs, truth);
	if (code) {
		return kt_error_prepend(code, "score machine: its truth");
	}
	code = kt_arcs_translate(&score->machine.there, machine, truth);
	return code ? code : kt_arcs_translate(&score->truth.there, truth, machine);
}

static int check_request(const struct kt_fsm *machine, const struct kt_fsm *truth,
			 const struct kt_score_options *options)
{
	if (!machine || !truth || !options) {
		return kt_error(KT_E_USAGE,
				"score machine: no machine, truth or options given");
	}
	if (options->choice != KT_SCORE_UNIFORM && options->choice != KT_SCORE_COUNTS) {
		return kt_error(KT_E_USAGE, "score machine: there is no choice %d",
				(int)options->choice);
	}
	/* Letters and positions of all walks are counted. */
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
	kt_score *score;
	int code = check_request(machine, truth, options);

	*out = NULL;
	if (code) {
		return code;
	}
	score = calloc(1, sizeof(*score));
	if (!score) {
		return out_of_memory();
	}
	code = make_sides(score, machine, truth);
	code = code ? code : find_reached(&score->in_machine, &score->machine.arcs);
	code = code ? code : find_reached(&score->in_truth, &score->truth.arcs);
	code = code ? code
		    : kt_pairs_find(&score->pairs, &score->machine, &score->truth,
				    options->pairs_max);
	code = code ? code : walk_both(score, options);
	if (code) {
		kt_score_free(score);
		return code;
	}
	compare_languages(score);
	*out = score;
	return KT_OK;
}

void kt_score_free(kt_score *score)
{
	if (!score) {
		return;
	}
	kt_pairs_clear(&score->pairs);
	kt_arcs_clear(&score->machine.arcs);
	kt_arcs_clear(&score->truth.arcs);
	free(score->machine.there);
	free(score->truth.there);
	free(score->in_machine);
	free(score->in_truth);
	free(score);
}

const struct kt_score_figures *kt_score_figures(const kt_score *score)
{
	return &score->figures;
}

enum kt_score_fate kt_score_truth_fate(const kt_score *score, size_t i)
{
	return fate_of(score->truth.arcs.fsm, score->in_truth, &score->pairs.in_b, i);
}

enum kt_score_fate kt_score_machine_fate(const kt_score *score, size_t i)
{
	return fate_of(score->machine.arcs.fsm, score->in_machine, &score->pairs.in_a, i);
}
