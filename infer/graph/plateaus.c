/* SPDX-License-Identifier: MIT */
/*
 * Joint plateaus: as many k as possible one after the other, from small to large, in which
 * states, transitions and complex states all stay within a hundredth. It must be two k at
 * least, and a tenth of the k that it begins with: one letter more of many changes little.
 */
#include "infer/graph/curve.h"

#include "base/array.h"
#include "base/try.h"

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
