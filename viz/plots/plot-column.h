/* SPDX-License-Identifier: MIT */
/*
 * Draws a column of a distilled machine: boxes with arrows beside them. Also draws texts
 * and frames, which the rest of the picture uses. Lengths are in points.
 */
#ifndef KTAIL_VIZ_PLOT_COLUMN_H
#define KTAIL_VIZ_PLOT_COLUMN_H

#include "viz/plots/arrange-distilled.h"
#include "base/distilled/read-distilled.h"
#include "viz/drawing/scene.h"

#define KT_PLOT_PAD    6.0
#define KT_PLOT_TEXT   9.5  /* size of all texts but names and headings */
#define KT_PLOT_NAME   12.0 /* size of a state's name */
#define KT_PLOT_HEAD   14.0 /* distance from a box's top to the baseline of its name */
#define KT_PLOT_LINE   12.0 /* height of a line of a list */
#define KT_PLOT_LISTED 7    /* the maximum number of lines of a list */

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
	size_t listed;     /* lines of a list, at least 1 */
	bool letters;      /* boxes have a line of letters */
	struct kt_arrangement at;
	double x, width;       /* left edge and width of the boxes; set by the caller */
	double stub;           /* length of an arrow from its box to the first lane */
	uint64_t busiest;      /* highest number of visits of a box */
	uint64_t most;         /* highest count of a drawn arrow */
	double lane_widths[2]; /* distances between lanes: left, right */
	size_t n_keys;         /* arrows drawn so far that have a key in place of letters */
};

/*
 * Arranges the column from y = top downwards. `all` is the sum of the counts. The caller
 * clears plot->at. KT_E_MEMORY. Takes as long as kt_arrange_distilled().
 */
int kt_column_plot_arrange(struct kt_column_plot *plot, uint64_t all, double top);

/*
 * Returns the width of the arrows in a margin, with less distance between them if there are
 * many.
 */
double kt_column_plot_margin(struct kt_column_plot *plot, enum kt_lane_margin margin);

/*
 * Lists the letters of the arrows that have keys, from y downwards, in lines of `width`, at
 * most two for each arrow unless `all`. Without plot->scene, nothing is drawn. Returns y
 * after the last line. The widths of the columns must be set.
 */
double kt_column_plot_keys(struct kt_column_plot *plot, double x, double y, double width,
			   bool all);

/* Draw the parts of an arranged column. */
void kt_column_plot_boxes(struct kt_column_plot *plot);
void kt_column_plot_arrows(struct kt_column_plot *plot);
void kt_column_plot_hovers(struct kt_column_plot *plot);

/* Says below the boxes, from x on, how many arrows are not drawn. */
void kt_column_plot_foot(struct kt_column_plot *plot, double x);

void kt_plot_text(struct kt_scene *scene, double x, double y, const char *text, double size,
		  enum kt_anchor anchor, struct kt_colour colour, bool bold);

/* Copies a text, truncated to a width; truncated text ends in "…". */
void kt_plot_fit(char *out, size_t size, const char *text, double width, double text_size,
		 bool bold);

/* Writes a line of a list: the text on the left, the figure on the right. */
void kt_plot_line(struct kt_scene *scene, double x, double width, double y,
		  const char *text, const char *figure, struct kt_colour colour);

/* Says at the end of a list how many lines it does not show. */
void kt_plot_more(struct kt_scene *scene, double x, double y,
		  const struct kt_distilled_lines *lines, size_t listed);

void kt_plot_frame(struct kt_scene *scene, double x, double y, double width, double height,
		   struct kt_colour colour, bool dashed);

/*
 * Return how many items of a list are shown, and the height of the list. The list has at
 * most `listed` lines, including the line of kt_plot_more().
 */
size_t kt_plot_listed(const struct kt_distilled_lines *lines, size_t listed);
double kt_plot_lines_height(const struct kt_distilled_lines *lines, size_t listed);

/*
 * Writes a list's texts with their counts into `out`, separated by commas, as many as there
 * is space for.
 */
void kt_plot_join(char *out, size_t size, const struct kt_distilled_lines *lines);

/*
 * Writes a text from the baseline y downwards, broken into at most `most` lines of `width`,
 * and returns y after them. If `scene` is NULL, only measures.
 */
double kt_plot_paragraph(struct kt_scene *scene, double x, double y, double width,
			 const char *text, size_t most, struct kt_colour colour);

/* Returns "s" unless n is 1. Static. */
const char *kt_plot_plural(uint64_t n);

#endif
