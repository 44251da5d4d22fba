/* SPDX-License-Identifier: MIT */
/* What is around the curves of a plot of a sweep: heading, legend, axes. */
#ifndef KTAIL_VIZ_PLOT_FRAME_H
#define KTAIL_VIZ_PLOT_FRAME_H

#include "viz/read-sweep.h"
#include "viz/scale.h"
#include "viz/scene.h"

struct kt_plot {
	struct kt_scene *scene;             /* Weak; its code says what failed */
	const struct kt_sweep_table *sweep; /* Weak */
	double left, top, right, bottom; /* of the curves' area; set by kt_plot_lay_out() */
	double pen_x, pen_y;             /* where the next of the legend goes */
	struct kt_scale x;
	struct kt_scale y;
	bool has_zero; /* 0 is on the axis of sizes */
};

/* What stands on a curve where a row is; round or square, so that curves differ in black
 * and white too. */
struct kt_dot {
	double width;
	bool square;
};

/* Draws a dot. */
void kt_plot_dot(struct kt_plot *plot, struct kt_point2 at, const struct kt_dot *dot,
		 struct kt_colour colour);

/* Writes the heading, and why the k was picked; the legend follows. */
void kt_plot_begin(struct kt_plot *plot, const char *title);

/* One more of the legend: a line (with a dot, unless that is NULL), or an area. */
void kt_plot_legend_line(struct kt_plot *plot, const char *text, double width,
			 struct kt_colour colour, const struct kt_dot *dot, bool dashed);
void kt_plot_legend_area(struct kt_plot *plot, const char *text, struct kt_colour colour);

/* After the legend: where the curves go, and how large the picture is. */
void kt_plot_lay_out(struct kt_plot *plot);

/* Draws the axes, with their lines across; the scales must be there. */
void kt_plot_axes(struct kt_plot *plot);

#endif
