/* SPDX-License-Identifier: MIT */
/*
 * Arranges a column of a distilled machine: boxes in order from top to bottom, downward
 * arrows on the right of the boxes, upward arrows on the left. The arrows run in parallel
 * lanes, and no two arrows share a part of a lane. Lengths are in points.
 */
#ifndef KTAIL_VIZ_ARRANGE_DISTILLED_H
#define KTAIL_VIZ_ARRANGE_DISTILLED_H

#include "base/distilled/read-distilled.h"

enum kt_lane_margin {
	KT_LANE_LEFT,  /* for upward arrows */
	KT_LANE_RIGHT, /* for downward arrows */
	KT_LANE_NONE,  /* for arrows straight to the box below */
};

struct kt_placed_box {
	double top;
	double height;
	uint32_t ports[2]; /* number of ports, where arrows meet the box: left, right */
	uint32_t used[2];
};

struct kt_placed_arrow {
	const struct kt_distilled_arrow *arrow; /* Weak */
	enum kt_lane_margin margin;
	double from; /* y where the arrow leaves its source; `to` is y where it arrives */
	double to;
	uint32_t lane; /* 0 is next to the boxes */
};

struct kt_arrangement {
	struct kt_placed_box *boxes;    /* Owned by this */
	struct kt_placed_arrow *arrows; /* Owned by this: the drawn arrows */
	size_t n_arrows;
	uint32_t lanes[2]; /* number of lanes: left, right */
	double bottom;
	size_t left_out;          /* arrows not drawn because of their low counts */
	uint64_t left_out_counts; /* sum of the counts of those arrows */
};

/*
 * Arranges boxes from y = top downwards. `heights` has their minimum heights. Loops are
 * never drawn. Any other arrow is drawn if it has at least 1/200 of `all`, the sum of the
 * counts; if it is the most frequent arrow into or out of a box; or if it is on the
 * strongest way from the first box to a box, or from a box to the last one (for boxes from
 * which no way leads there: to a box that only loops leave). KT_E_MEMORY; *out is then
 * empty. O(arrows^2 * lanes + boxes^2 * arrows).
 */
int kt_arrange_distilled(struct kt_arrangement *out, const struct kt_drawn_column *column,
			 uint64_t all, const double *heights, double top);

void kt_arrangement_clear(struct kt_arrangement *arrangement);

#endif
