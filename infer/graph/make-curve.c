/* SPDX-License-Identifier: MIT */
#include "infer/graph/curve.h"

#include <stdlib.h>

#include <ktail/status.h>

#include "base/array.h"

static int measure_machine(struct kt_curve_point *point, kt_sweep *sweep)
{
	struct kt_fsm *fsm;
	int code = kt_sweep_machine(&fsm, sweep);

	code = code ? code : kt_measure(&point->measures, fsm);
	point->measured = !code;
	kt_fsm_free(fsm);
	return code;
}

/* The machine of the larger k next to it, whose classes it joins: is it the same? */
static bool is_same(const struct kt_sweep_row *a, const struct kt_sweep_row *b)
{
	return a->states == b->states && a->transitions == b->transitions;
}

static int measure_row(struct kt_curve_point *point, const struct kt_curve_point *larger,
		       uint64_t limit, kt_sweep *sweep)
{
	if (point->row.transitions > limit) {
		return KT_OK;
	}
	if (larger && is_same(&larger->row, &point->row)) {
		point->measures = larger->measures;
		point->measured = larger->measured;
		return KT_OK;
	}
	return measure_machine(point, sweep);
}

/* The points in the order of the sweep, from the largest k to the smallest. */
static int sweep_points(struct kt_curve *curve, uint64_t limit, kt_sweep *sweep)
{
	struct kt_curve_point point = {0};
	bool more = true;
	int code = KT_OK;

	while (!code) {
		size_t n = curve->n_points;

		point = (struct kt_curve_point){0};
		code = kt_sweep_next(&more, &point.row, sweep);
		if (code || !more) {
			break;
		}
		code = kt_array_reserve(&curve->points, &curve->points_capacity, n + 1);
		code = code ? code
			    : measure_row(&point, n ? &curve->points[n - 1] : NULL, limit,
					  sweep);
		if (!code) {
			curve->points[curve->n_points++] = point;
		}
	}
	return code;
}

static void reverse(struct kt_curve *curve)
{
	for (size_t i = 0; i < curve->n_points / 2; i++) {
		struct kt_curve_point *a = &curve->points[i];
		struct kt_curve_point *b = &curve->points[curve->n_points - 1 - i];
		struct kt_curve_point kept = *a;

		*a = *b;
		*b = kept;
	}
}

/* What was too large for measuring every k, and could be chosen. */
static bool is_wanted(const struct kt_curve *curve, const struct kt_plateau *plateau)
{
	return !curve->points[plateau->first].measured &&
	       !kt_curve_unfolded(curve, plateau->first);
}

/* The range of k of the plateaus that are wanted; false if there are none. */
static bool find_wanted(struct kt_sweep_options *options, const struct kt_curve *curve)
{
	bool any = false;

	for (size_t i = 0; i < curve->n_plateaus; i++) {
		if (is_wanted(curve, &curve->plateaus[i])) {
			options->hi = curve->points[curve->plateaus[i].first].row.k;
			options->lo = any ? options->lo : options->hi;
			any = true;
		}
	}
	return any;
}

/* The plateau that is wanted and begins with that k, or NULL. */
static struct kt_curve_point *find_point(const struct kt_curve *curve, uint64_t k)
{
	for (size_t i = 0; i < curve->n_plateaus; i++) {
		struct kt_curve_point *point = &curve->points[curve->plateaus[i].first];

		if (point->row.k == k && is_wanted(curve, &curve->plateaus[i])) {
			return point;
		}
	}
	return NULL;
}

static int measure_wanted(struct kt_curve *curve, kt_sweep *sweep)
{
	struct kt_curve_point *point;
	struct kt_sweep_row row;
	bool more = true;
	int code = KT_OK;

	while (!code) {
		code = kt_sweep_next(&more, &row, sweep);
		if (code || !more) {
			break;
		}
		point = find_point(curve, row.k);
		code = point ? measure_machine(point, sweep) : KT_OK;
	}
	return code;
}

/* Only now it is known where plateaus begin: once more. */
static int measure_plateaus(struct kt_curve *curve, const kt_words *words,
			    const struct kt_sweep_options *options)
{
	struct kt_sweep_options range = *options;
	kt_sweep *sweep = NULL;
	int code;

	if (!find_wanted(&range, curve)) {
		return KT_OK;
	}
	code = kt_sweep_new(&sweep, words, &range);
	code = code ? code : measure_wanted(curve, sweep);
	kt_sweep_free(sweep);
	return code;
}

int kt_curve_make_up_to(struct kt_curve *out, const kt_words *words,
			const struct kt_sweep_options *options, uint64_t limit)
{
	kt_sweep *sweep = NULL;
	int code;

	*out = (struct kt_curve){
		.words = kt_words_count(words),
		.letters = kt_words_total(words),
	};
	code = kt_sweep_new(&sweep, words, options);
	code = code ? code : sweep_points(out, limit, sweep);
	kt_sweep_free(sweep);
	if (code) {
		return code;
	}
	reverse(out);
	code = kt_plateaus_find(out);
	code = code ? code : measure_plateaus(out, words, options);
	if (!code) {
		kt_curve_choose(out);
	}
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
