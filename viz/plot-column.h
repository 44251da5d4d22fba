/* SPDX-License-Identifier: MIT */
/*
 * Draws a column of a distilled machine: boxes with arrows beside them; and texts and
 * frames, for the rest of the picture. Lengths are in points.
 */
#ifndef KTAIL_VIZ_PLOT_COLUMN_H
#define KTAIL_VIZ_PLOT_COLUMN_H

#include "viz/arrange-distilled.h"
#include "base/distilled/read-distilled.h"
#include "viz/scene.h"

#define KT_PLOT_PAD    10.0
#define KT_PLOT_TEXT   11.0 /* size of most texts */
#define KT_PLOT_HEAD   20.0 /* distance from a box's top to the baseline of its name */
#define KT_PLOT_LINE   15.0 /* height of a line of a list */
#define KT_PLOT_LISTED 6    /* the maximum number of lines of a list */

extern const struct kt_colour kt_plot_ink;
extern const struct kt_colour kt_plot_grey;

/* All zero except for the members above `at`, which the caller sets. */
struct kt_column_plot {
	struct kt_scene *scene;               /* Weak */
	const struct kt_drawn_column *column; /* Weak */
	/*
	 * The system's column: boxes have no labels, but the states of the other column,
	 * and arrows have letters.
	 */
	bool narrow;
	size_t n_machines; /* number of merged machines */
	double width;      /* of the boxes */
	double stub;       /* length of an arrow from its box to the first lane */
	struct kt_arrangement at;
	double x;              /* left edge of the boxes; set by the caller */
	uint64_t busiest;      /* highest number of visits of a box */
	uint64_t most;         /* highest count of a drawn arrow */
	double lane_widths[2]; /* distances between lanes: left, right */
};

/*
 * Arranges the column from y = top downwards; all: sum of the counts. The caller clears
 * plot->at. KT_E_MEMORY. Takes as long as kt_arrange_distilled().
 */
int kt_column_plot_arrange(struct kt_column_plot *plot, uint64_t all, double top);

/* Returns the width that the arrows in a margin need at full distances. */
double kt_column_plot_margin(const struct kt_column_plot *plot, enum kt_lane_margin margin);

/* Makes the arrows in a margin fit into `space`. */
void kt_column_plot_fit(struct kt_column_plot *plot, enum kt_lane_margin margin,
			double space);

/* Draw the parts of an arranged column. */
void kt_column_plot_boxes(struct kt_column_plot *plot);
void kt_column_plot_arrows(struct kt_column_plot *plot);
void kt_column_plot_hovers(struct kt_column_plot *plot);

/* Says below the boxes which arrows are not drawn. */
void kt_column_plot_foot(struct kt_column_plot *plot);

void kt_plot_text(struct kt_scene *scene, double x, double y, const char *text, double size,
		  enum kt_anchor anchor, struct kt_colour colour, bool bold);

/* Copies a text, truncated to a width; truncated text ends in "…". */
void kt_plot_fit(char *out, size_t size, const char *text, double width, double text_size);

/* Writes a line of a list: the text on the left, the figure on the right. */
void kt_plot_line(struct kt_scene *scene, double x, double width, double y,
		  const char *text, const char *figure, struct kt_colour colour);

/* Says at the end of a list how many lines it does not show. */
void kt_plot_more(struct kt_scene *scene, double x, double y,
		  const struct kt_distilled_lines *lines);

void kt_plot_frame(struct kt_scene *scene, double x, double y, double width, double height,
		   struct kt_colour colour, bool dashed);

/* Returns how many lines of a list are shown, and their height with that of kt_plot_more().
 */
size_t kt_plot_listed(const struct kt_distilled_lines *lines);
double kt_plot_lines_height(const struct kt_distilled_lines *lines);

/* Returns "s" unless n is 1. Static. */
const char *kt_plot_plural(uint64_t n);

#endif
