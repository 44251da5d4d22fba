/* SPDX-License-Identifier: MIT */
#include "infer/graph/curve.h"

#include <stdlib.h>

#include <ktail/infer.h>
#include <ktail/status.h>

#include "base/array.h"

static int measure(struct kt_curve_point *point, const struct kt_fsm *fsm)
{
	int code = kt_measure(&point->measures, fsm);

	point->measured = !code;
	return code;
}

/* The machine of the larger k next to it, whose classes it joins: is it the same? */
static bool is_same(const struct kt_sweep_row *a, const struct kt_sweep_row *b)
{
	return a->states == b->states && a->transitions == b->transitions;
}

static int measure_row(struct kt_curve_point *point, const struct kt_curve_point *larger,
		       kt_sweep *sweep)
{
	struct kt_fsm *fsm;
	int code;

	if (point->row.transitions > KT_CURVE_MEASURED) {
		return KT_OK;
	}
	if (larger && is_same(&larger->row, &point->row)) {
		point->measures = larger->measures;
		point->measured = larger->measured;
		return KT_OK;
	}
	code = kt_sweep_machine(&fsm, sweep);
	code = code ? code : measure(point, fsm);
	kt_fsm_free(fsm);
	return code;
}

/* The points in the order of the sweep, from the largest k to the smallest. */
static int sweep_points(struct kt_curve *curve, kt_sweep *sweep)
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
			    : measure_row(&point, n ? &curve->points[n - 1] : NULL, sweep);
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

static int measure_again(struct kt_curve_point *point, const kt_words *words,
			 const struct kt_sweep_options *options)
{
	struct kt_infer_options infer = KT_INFER_OPTIONS_INIT;
	struct kt_fsm *fsm;
	int code;

	infer.k = point->row.k;
	infer.machine = options->machine;
	code = kt_infer(&fsm, words, &infer);
	code = code ? code : measure(point, fsm);
	kt_fsm_free(fsm);
	return code;
}

/* What was too large for measuring every k, and could be chosen. */
static int measure_plateaus(struct kt_curve *curve, const kt_words *words,
			    const struct kt_sweep_options *options)
{
	int code = KT_OK;

	for (size_t i = 0; i < curve->n_plateaus && !code; i++) {
		size_t first = curve->plateaus[i].first;

		if (!curve->points[first].measured && !kt_curve_unfolded(curve, first)) {
			code = measure_again(&curve->points[first], words, options);
		}
	}
	return code;
}

int kt_curve_make(struct kt_curve *out, const kt_words *words,
		  const struct kt_sweep_options *options)
{
	kt_sweep *sweep = NULL;
	int code;

	*out = (struct kt_curve){
		.words = kt_words_count(words),
		.letters = kt_words_total(words),
	};
	code = kt_sweep_new(&sweep, words, options);
	code = code ? code : sweep_points(out, sweep);
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

void kt_curve_clear(struct kt_curve *curve)
{
	free(curve->points);
	free(curve->plateaus);
	*curve = (struct kt_curve){0};
}
