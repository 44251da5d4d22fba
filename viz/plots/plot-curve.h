/* SPDX-License-Identifier: MIT */
/* One curve of a sweep's plot: a size over k. */
#ifndef KTAIL_VIZ_PLOT_CURVE_H
#define KTAIL_VIZ_PLOT_CURVE_H

#include "viz/plots/plot-frame.h"

struct kt_curve_style {
	const struct kt_colour *colour; /* Weak */
	double width;
	enum kt_dash dash;
	struct kt_dot dot;
	bool dotted;   /* has a marker at every row if there are few rows */
	size_t offset; /* of the size in struct kt_sweep_size */
};

/* Returns the size that a curve shows for a row. */
uint64_t kt_curve_value(const struct kt_curve_style *style,
			const struct kt_sweep_size *row);

/* Returns the position of a row; plot->x and plot->y must be set. */
struct kt_point2 kt_curve_point(const struct kt_plot *plot,
				const struct kt_curve_style *style,
				const struct kt_sweep_size *row);

/*
 * Draws a curve. Rows of consecutive k are connected, a thin dashed line bridges missing k,
 * and a row without a neighbour has a marker. O(rows).
 */
void kt_plot_curve(struct kt_plot *plot, const struct kt_curve_style *style,
		   const struct kt_sweep_table *sweep);

/* Draws a vertical line at a k, from slightly above the curves down to the axis. */
void kt_plot_mark(struct kt_plot *plot, uint64_t k, double width, struct kt_colour colour,
		  enum kt_dash dash);

#endif
