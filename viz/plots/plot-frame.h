/* SPDX-License-Identifier: MIT */
/* The frame of a sweep's plot: heading, legend and axes. */
#ifndef KTAIL_VIZ_PLOT_FRAME_H
#define KTAIL_VIZ_PLOT_FRAME_H

#include "viz/plots/read-sweep.h"
#include "viz/plots/scale.h"
#include "viz/drawing/scene.h"

struct kt_plot {
	struct kt_scene *scene;          /* Weak; scene->code records failures */
	double left, top, right, bottom; /* area of the curves, set by kt_plot_lay_out() */
	double pen_x, pen_y;             /* position of the next item of the legend */
	struct kt_scale x;
	struct kt_scale y;
	bool has_zero; /* the axis of sizes includes 0 */
};

/*
 * The form of the markers of rows on a curve: round or square, so that curves can be
 * distinguished in black and white.
 */
struct kt_dot {
	double width;
	bool square;
};

/* Draws a marker with its centre at `at`. */
void kt_plot_dot(struct kt_plot *plot, struct kt_point2 at, const struct kt_dot *dot,
		 struct kt_colour colour);

/*
 * Draws the heading: a title (NULL: "Sizes of the machines"), a line below it, and a text
 * of up to four lines, such as the reason for the chosen k. The caller then adds the
 * legend.
 */
void kt_plot_begin(struct kt_plot *plot, const char *title, const char *line,
		   const char *text);

/* Add an item to the legend: a line (with a marker, unless `dot` is NULL), or an area. */
void kt_plot_legend_line(struct kt_plot *plot, const char *text, double width,
			 struct kt_colour colour, const struct kt_dot *dot,
			 enum kt_dash dash);
void kt_plot_legend_area(struct kt_plot *plot, const char *text, struct kt_colour colour);

/* Begins a new line of the legend, unless the current one is empty. */
void kt_plot_legend_break(struct kt_plot *plot);

/*
 * Computes the area of the curves and the size of the picture; call it after the legend.
 * `labels` is the space in points above the curves, for labels of marked k.
 */
void kt_plot_lay_out(struct kt_plot *plot, double labels);

/* Draws the axes and grid lines; plot->x and plot->y must be set. */
void kt_plot_axes(struct kt_plot *plot);

#endif
