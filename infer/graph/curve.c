/* SPDX-License-Identifier: MIT */
#include "infer/graph/curve.h"

#include <stdlib.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/progress.h"
#include "base/try.h"

/* --- the points --- */

static int measure_machine(struct kt_curve_point *point, kt_sweep *sweep)
{
	struct kt_fsm *fsm;
	int code;

	KT_TRY(kt_sweep_machine(&fsm, sweep));
	code = kt_measure(&point->measures, fsm);
	point->measured = !code;
	kt_fsm_free(fsm);
	return code;
}

/*
 * Returns whether the first machine of a plateau was too large to be measured in the first
 * sweep, but not so large that its size alone shows that it is little more than chains.
 */
static bool is_wanted(const struct kt_curve *curve, const struct kt_plateau *plateau)
{
	return !curve->points[plateau->first].measured &&
	       !kt_curve_unfolded(curve, plateau->first);
}

/*
 * Measures machines at the beginning of plateaus in a second sweep, since plateaus are only
 * known after the first.
 */
static int measure_plateaus(struct kt_curve *curve, const kt_words *words,
			    const struct kt_sweep_options *options)
{
	struct kt_sweep_options range = *options;
	struct kt_sweep_row row;
	kt_sweep *sweep = NULL;
	bool more = false;
	int code;

	/* Find the range of k from the first to the last of the machines to be measured. */
	for (size_t i = 0; i < curve->n_plateaus; i++) {
		if (is_wanted(curve, &curve->plateaus[i])) {
			range.hi = curve->points[curve->plateaus[i].first].row.k;
			range.lo = more ? range.lo : range.hi;
			more = true;
		}
	}
	if (!more) {
		return KT_OK;
	}
	KT_TRY(kt_sweep_new(&sweep, words, &range));
	KT_TRY_END(kt_sweep_next(&more, &row, sweep));
	while (more) {
		for (size_t i = 0; i < curve->n_plateaus; i++) {
			struct kt_plateau *plateau = &curve->plateaus[i];
			struct kt_curve_point *point = &curve->points[plateau->first];

			if (point->row.k == row.k && is_wanted(curve, plateau)) {
				KT_TRY_END(measure_machine(point, sweep));
				break;
			}
		}
		KT_TRY_END(kt_sweep_next(&more, &row, sweep));
	}
end:
	kt_sweep_free(sweep);
	return code;
}

int kt_curve_make_up_to(struct kt_curve *out, const kt_words *words,
			const struct kt_sweep_options *options, uint64_t limit)
{
	kt_sweep *sweep = NULL;
	bool more = true;
	int code;

	*out = (struct kt_curve){
		.words = kt_words_count(words),
		.letters = kt_words_total(words),
	};
	KT_TRY(kt_sweep_new(&sweep, words, options));
	kt_progress_begin("machines of every k", options->hi - options->lo + 1, 1);
	/* Take the points in the order of the sweep, from the largest k to the smallest. */
	for (;;) {
		struct kt_curve_point point = {0};
		size_t n = out->n_points;
		const struct kt_curve_point *larger;

		KT_TRY_END(kt_sweep_next(&more, &point.row, sweep));
		if (!more) {
			break;
		}
		KT_TRY_END(kt_array_reserve(&out->points, &out->points_capacity, n + 1));
		larger = n ? &out->points[n - 1] : NULL;
		if (point.row.transitions > limit) {
			/* too large: not measured */
		} else if (larger && larger->row.states == point.row.states &&
			   larger->row.transitions == point.row.transitions) {
			/*
			 * A smaller k can only merge states of the machine for the larger
			 * k. If both machines have the same size, they are the same.
			 */
			point.measures = larger->measures;
			point.measured = larger->measured;
		} else {
			KT_TRY_END(measure_machine(&point, sweep));
		}
		out->points[out->n_points++] = point;
		kt_progress_add(1);
	}
	kt_sweep_free(sweep);
	sweep = NULL;
	/* Reverse the points into ascending order of k. */
	for (size_t i = 0; i < out->n_points / 2; i++) {
		struct kt_curve_point *a = &out->points[i];
		struct kt_curve_point *b = &out->points[out->n_points - 1 - i];
		struct kt_curve_point kept = *a;

		*a = *b;
		*b = kept;
	}
	KT_TRY_END(kt_plateaus_find(out));
	KT_TRY_END(measure_plateaus(out, words, options));
	kt_curve_choose(out);
end:
	kt_progress_end();
	kt_sweep_free(sweep);
	return code;
}

int kt_curve_make(struct kt_curve *out, const kt_words *words,
		  const struct kt_sweep_options *options)
{
	return kt_curve_make_up_to(out, words, options, KT_CURVE_MEASURED);
}

void kt_curve_clear(struct kt_curve *curve)
{
	free(curve->points);
	free(curve->plateaus);
	*curve = (struct kt_curve){0};
}

/* --- plateaus --- */

/*
 * Joint plateaus: maximal ranges of consecutive k, from small to large, in which states,
 * transitions and complex states each vary by at most one hundredth. The number of k in a
 * plateau is at least two, and at least a tenth of the first k of the plateau, since one
 * letter more changes little when k is large.
 */

#define CLOSE_PARTS  100
#define LENGTH_PARTS 10

struct bounds {
	uint64_t least;
	uint64_t most;
};

static void widen(struct bounds *bounds, uint64_t value)
{
	bounds->least = value < bounds->least ? value : bounds->least;
	bounds->most = value > bounds->most ? value : bounds->most;
}

static bool is_close(const struct bounds *bounds)
{
	return bounds->most - bounds->least <= bounds->least / CLOSE_PARTS;
}

int kt_plateaus_find(struct kt_curve *curve)
{
	const struct kt_curve_point *points = curve->points;
	size_t last;

	curve->n_plateaus = 0;
	for (size_t first = 0; first < curve->n_points; first = last + 1) {
		const struct kt_sweep_row *row = &points[first].row;
		struct bounds states = {row->states, row->states};
		struct bounds transitions = {row->transitions, row->transitions};
		struct bounds complex = {row->complex, row->complex};
		uint64_t n;

		for (last = first; last + 1 < curve->n_points; last++) {
			row = &points[last + 1].row;
			widen(&states, row->states);
			widen(&transitions, row->transitions);
			widen(&complex, row->complex);
			if (!is_close(&states) || !is_close(&transitions) ||
			    !is_close(&complex)) {
				break;
			}
		}
		n = last - first + 1;
		if (n < 2 || n * LENGTH_PARTS < points[first].row.k) {
			continue;
		}
		KT_TRY(kt_array_reserve(&curve->plateaus, &curve->plateaus_capacity,
					curve->n_plateaus + 1));
		curve->plateaus[curve->n_plateaus++] =
			(struct kt_plateau){first, last, KT_VERDICT_UNKNOWN};
	}
	return KT_OK;
}

/* --- the choice --- */

/*
 * Among the machines at the beginning of joint plateaus, chooses the smallest one that is
 * not an extreme and that shows repeated work as cycles through more than one state,
 * following Menychtas, Shen and Scott (USENIX ATC 2013, section 3). The constants below
 * define "extreme" and "shows".
 */

/*
 * A machine is good only if at least 1/LETTERS_TO_CYCLES of the letters run through cycles.
 */
#define LETTERS_TO_CYCLES 10
/*
 * A machine is good only if a state represents at least this many positions of words on
 * average.
 */
#define POSITIONS_TO_STATES 2
/*
 * If no machine is good, at most 1/LETTERS_TO_MIXED of the letters may mix on self-loops.
 */
#define LETTERS_TO_MIXED 2

/*
 * A later machine, in which doorbells are not self-loops, replaces the smallest good
 * machine if it has at most this many times as many states.
 */
#define STATES_FOR_DOORBELLS 2

bool kt_curve_unfolded(const struct kt_curve *curve, size_t point)
{
	return curve->points[point].row.states >
	       (curve->letters + curve->words) / POSITIONS_TO_STATES;
}

enum kt_verdict kt_curve_judge(const struct kt_curve *curve, size_t point)
{
	const struct kt_measures *m = &curve->points[point].measures;

	if (!curve->points[point].measured) {
		return kt_curve_unfolded(curve, point) ? KT_VERDICT_UNFOLDED
						       : KT_VERDICT_UNKNOWN;
	}
	if (m->components == 0) {
		return KT_VERDICT_NO_CYCLE;
	}
	/*
	 * If at least as many letters mix on self-loops as run through cycles, too much
	 * order is lost.
	 */
	if (m->cycles <= m->mixed) {
		return KT_VERDICT_MIXED;
	}
	if (m->cycles < (m->letters + LETTERS_TO_CYCLES - 1) / LETTERS_TO_CYCLES) {
		return KT_VERDICT_RARE;
	}
	return kt_curve_unfolded(curve, point) ? KT_VERDICT_UNFOLDED : KT_VERDICT_GOOD;
}

bool kt_curve_doorbells_loop(const struct kt_curve *curve, size_t point)
{
	const struct kt_measures *m = &curve->points[point].measures;

	return m->looping_doorbells > m->doorbells / 2;
}

/*
 * Returns the plateau that is better for doorbells than the first good one, or the first
 * good one itself.
 */
static size_t better_for_doorbells(const struct kt_curve *curve, size_t first_good)
{
	size_t first = curve->plateaus[first_good].first;
	uint64_t most = curve->points[first].row.states * STATES_FOR_DOORBELLS;

	if (!kt_curve_doorbells_loop(curve, first)) {
		return first_good;
	}
	for (size_t i = first_good + 1; i < curve->n_plateaus; i++) {
		const struct kt_plateau *plateau = &curve->plateaus[i];

		if (plateau->verdict == KT_VERDICT_GOOD &&
		    curve->points[plateau->first].row.states <= most &&
		    !kt_curve_doorbells_loop(curve, plateau->first)) {
			return i;
		}
	}
	return first_good;
}

void kt_curve_choose(struct kt_curve *curve)
{
	for (size_t i = 0; i < curve->n_plateaus; i++) {
		struct kt_plateau *plateau = &curve->plateaus[i];

		plateau->verdict = kt_curve_judge(curve, plateau->first);
	}
	for (size_t i = 0; i < curve->n_plateaus; i++) {
		if (curve->plateaus[i].verdict == KT_VERDICT_GOOD) {
			i = better_for_doorbells(curve, i);
			curve->choice = (struct kt_choice){KT_CHOICE_PLATEAU,
							   curve->plateaus[i].first, i};
			return;
		}
	}
	for (size_t i = 0; i < curve->n_points; i++) {
		if (kt_curve_judge(curve, i) == KT_VERDICT_GOOD) {
			curve->choice = (struct kt_choice){KT_CHOICE_CYCLES, i, 0};
			return;
		}
	}
	/*
	 * If a program repeats one activity most of the time, mixed with polling, this
	 * activity outweighs all others and may not show as a cycle for any k. The other
	 * kinds of letters are still worth distinguishing, so take a plateau in which most
	 * kinds run through cycles.
	 */
	for (size_t i = 0; i < curve->n_plateaus; i++) {
		size_t first = curve->plateaus[i].first;
		const struct kt_curve_point *point = &curve->points[first];

		if (point->measured && !kt_curve_unfolded(curve, first) &&
		    point->measures.kinds_in_cycles > point->measures.kinds / 2) {
			curve->choice = (struct kt_choice){KT_CHOICE_KINDS, first, i};
			return;
		}
	}
	/*
	 * Skip k = 0: the machine's single state keeps no order, but passes this test if
	 * there is only one letter. A machine that was too large to be measured also
	 * passes, since its measures are 0.
	 */
	for (size_t i = 0; i < curve->n_points; i++) {
		const struct kt_curve_point *point = &curve->points[i];

		if (point->row.k > 0 &&
		    point->measures.mixed <= point->measures.letters / LETTERS_TO_MIXED) {
			curve->choice = (struct kt_choice){KT_CHOICE_ORDER, i, 0};
			return;
		}
	}
	curve->choice = (struct kt_choice){KT_CHOICE_LAST, curve->n_points - 1, 0};
}
