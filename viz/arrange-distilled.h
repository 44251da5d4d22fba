/* SPDX-License-Identifier: MIT */
/*
 * Where the boxes and arrows of a distilled machine go: boxes below each other in order,
 * arrows downwards on their right, arrows upwards on their left, one lane beside the other,
 * so that no two share a piece of a lane. Lengths are in points.
 */
#ifndef KTAIL_VIZ_ARRANGE_DISTILLED_H
#define KTAIL_VIZ_ARRANGE_DISTILLED_H

#include "viz/read-distilled.h"

/* Lines of a list in a box, at most; and what a line takes. */
#define KT_DISTILLED_LISTED 6
#define KT_DISTILLED_LINE   15.0

enum kt_lane_margin {
	KT_LANE_LEFT,  /* upwards */
	KT_LANE_RIGHT, /* downwards */
	KT_LANE_NONE,  /* to the box below */
};

struct kt_placed_box {
	double top;
	double height;
	uint32_t ports[2]; /* on the left, on the right */
	uint32_t used[2];
};

struct kt_placed_arrow {
	const struct kt_distilled_arrow *arrow; /* Weak */
	enum kt_lane_margin margin;
	double from; /* y of where it leaves, and arrives */
	double to;
	uint32_t lane; /* from 0, next to the boxes */
};

struct kt_arrangement {
	struct kt_placed_box *boxes;    /* Owned by this */
	struct kt_placed_arrow *arrows; /* Owned by this: those that are drawn */
	size_t n_arrows;
	uint32_t lanes[2]; /* on the left, on the right */
	double bottom;
	size_t left_out;          /* arrows that are not drawn: too seldom taken */
	uint64_t left_out_counts; /* how often they are, together */
};

/*
 * Arranges from y = top down. Loops are never drawn; of the other arrows those that make
 * up a two-hundredth of all, and each box's most frequent one in and out. KT_E_MEMORY; *out
 * is empty then. O(arrows^2).
 */
int kt_arrange_distilled(struct kt_arrangement *out, const struct kt_distilled_view *view,
			 double top);

void kt_arrangement_clear(struct kt_arrangement *arrangement);

#endif
