/* SPDX-License-Identifier: MIT */
#include "infer/graph/curve.h"

#include <stdlib.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/try.h"

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

/* What was too large for measuring every k, and could be chosen. */
static bool is_wanted(const struct kt_curve *curve, const struct kt_plateau *plateau)
{
	return !curve->points[plateau->first].measured &&
	       !kt_curve_unfolded(curve, plateau->first);
}

/* Only now it is known where plateaus begin: once more. */
static int measure_plateaus(struct kt_curve *curve, const kt_words *words,
			    const struct kt_sweep_options *options)
{
	struct kt_sweep_options range = *options;
	struct kt_sweep_row row;
	kt_sweep *sweep = NULL;
	bool more = false;
	int code;

	/* The range of k of the plateaus that are wanted, if there are any. */
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
	/* In the order of the sweep, from the largest k to the smallest. */
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
			/* It is not measured. */
		} else if (larger && larger->row.states == point.row.states &&
			   larger->row.transitions == point.row.transitions) {
			/* Its classes are those of the larger k, which it joins: the same.
			 */
			point.measures = larger->measures;
			point.measured = larger->measured;
		} else {
			KT_TRY_END(measure_machine(&point, sweep));
		}
		out->points[out->n_points++] = point;
	}
	kt_sweep_free(sweep);
	sweep = NULL;
	/* By k, ascending. */
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
