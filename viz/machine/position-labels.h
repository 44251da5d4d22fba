/* SPDX-License-Identifier: MIT */
/*
 * Places labels beside their lines so that they do not overlap lines, boxes or each other.
 * Lengths are in points; the direction of y does not matter.
 */
#ifndef KTAIL_VIZ_POSITION_LABELS_H
#define KTAIL_VIZ_POSITION_LABELS_H

#include <stdbool.h>
#include <stddef.h>

#include "viz/drawing/scene.h"

struct kt_span2 {
	struct kt_point2 low;  /* the corner with the smaller coordinates */
	struct kt_point2 high; /* the corner with the larger coordinates */
};

/* A line, and its label unless `label` is empty (low equals high). */
struct kt_labelled_line {
	struct kt_point2 *points; /* Owned by the caller; at least 2 if there is a label */
	size_t n_points;
	double width;
	struct kt_span2 heads[2]; /* areas of its arrow heads */
	size_t n_heads;
	struct kt_span2 label; /* where the label is, and after the call, where it goes */
	bool has_label;
};

struct kt_label_positions {
	struct kt_span2 area; /* labels stay within */
	struct kt_span2
		*boxes; /* Owned by the caller: areas that labels must not overlap */
	size_t n_boxes;
	struct kt_labelled_line *lines; /* Owned by the caller */
	size_t n_lines;
	size_t most_steps; /* limit for each of the two passes; 0: as many as take about a
			    * second */
	size_t steps;      /* set by the call: points, cells and pieces that were tested */
};

/* Labels that are not as they should be. */
struct kt_label_faults {
	size_t unmoved; /* overlap something */
	size_t unclear; /* are nearer to another line than to their own, or overlap */
};

/* Returns whether `a` is better: has fewer overlaps or, if equal, fewer unclear labels. */
bool kt_label_faults_fewer(const struct kt_label_faults *a,
			   const struct kt_label_faults *b);

/*
 * Moves each label that overlaps something, or is nearer to another line, to the first free
 * position beside its line: near the line's middle first, then towards the ends, then
 * farther from the line. It may only be near another line if there is no other position. If
 * a label finds no position that is nearest to its line, all labels are placed anew, those
 * of the shortest lines first, and the better of the two results is taken. A label for
 * which there is no free position stays where it is and is counted in faults->unmoved; if
 * there are thousands of labels, this also happens to the last ones, to save time.
 * KT_E_MEMORY. O(labels * positions * what is near them), at most about two seconds.
 */
int kt_position_labels(struct kt_label_positions *positions,
		       struct kt_label_faults *faults);

#endif
