/* SPDX-License-Identifier: MIT */
/*
 * Joint plateaus: as many k as possible one after the other, from small to large, in which
 * states, transitions and complex states all stay within a hundredth. It must be two k at
 * least, and a tenth of the k that it begins with: one letter more of many changes little.
 */
#include "infer/graph/curve.h"

#include "base/array.h"

#define CLOSE_PARTS  100
#define LENGTH_PARTS 10

struct bounds {
	uint64_t least;
	uint64_t most;
};

/* Sizes of a machine that a plateau is joint in. */
struct extent {
	struct bounds states;
	struct bounds transitions;
	struct bounds complex;
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

static struct extent begin(const struct kt_sweep_row *row)
{
	return (struct extent){
		.states = {row->states, row->states},
		.transitions = {row->transitions, row->transitions},
		.complex = {row->complex, row->complex},
	};
}

/* Whether a plateau goes on with one more k; if not, the extent is of no use any more. */
static bool extend(struct extent *extent, const struct kt_sweep_row *row)
{
	widen(&extent->states, row->states);
	widen(&extent->transitions, row->transitions);
	widen(&extent->complex, row->complex);
	return is_close(&extent->states) && is_close(&extent->transitions) &&
	       is_close(&extent->complex);
}

static size_t find_last(const struct kt_curve *curve, size_t first)
{
	struct extent extent = begin(&curve->points[first].row);
	size_t last = first;

	while (last + 1 < curve->n_points &&
	       extend(&extent, &curve->points[last + 1].row)) {
		last++;
	}
	return last;
}

static bool is_long(const struct kt_curve *curve, size_t first, size_t last)
{
	uint64_t n = last - first + 1;

	return n >= 2 && n * LENGTH_PARTS >= curve->points[first].row.k;
}

int kt_plateaus_find(struct kt_curve *curve)
{
	size_t last;

	curve->n_plateaus = 0;
	for (size_t first = 0; first < curve->n_points; first = last + 1) {
		last = find_last(curve, first);
		if (is_long(curve, first, last)) {
			int code = kt_array_reserve(&curve->plateaus,
						    &curve->plateaus_capacity,
						    curve->n_plateaus + 1);

			if (code) {
				return code;
			}
			curve->plateaus[curve->n_plateaus++] =
				(struct kt_plateau){first, last, KT_VERDICT_UNKNOWN};
		}
	}
	return KT_OK;
}
