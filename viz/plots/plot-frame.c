/* SPDX-License-Identifier: MIT */
#include "viz/plots/plot-frame.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "viz/drawing/text-width.h"

#define WIDTH         840.0
#define MARGIN        24.0
#define AXIS_WIDTH    76.0  /* space to the left of the curves */
#define AXIS_HEIGHT   56.0  /* space below the curves */
#define CURVES_HEIGHT 360.0 /* height of the curves */
#define LINE_HEIGHT   20.0
#define KEY_WIDTH     24.0 /* width of an item's line or area in the legend */
#define REASON_LINES  4
#define SHORT_SIZE    1000000000 /* sizes from this on are abbreviated at the axis */

static const struct kt_colour ink = {0x20, 0x24, 0x2b};
static const struct kt_colour grey = {0x5f, 0x66, 0x70};
static const struct kt_colour line_grey = {0xdd, 0xe0, 0xe4};
static const struct kt_colour faint = {0xee, 0xf0, 0xf2};

/* --- heading and legend --- */

void kt_plot_begin(struct kt_plot *plot, const char *title, const char *line,
		   const char *text)
{
	struct kt_shape *heading;

	kt_scene_group(plot->scene, "heading");
	heading = kt_scene_text(plot->scene, MARGIN, 36,
				title ? title : "Sizes of the machines", 20,
				KT_ANCHOR_START, ink);
	if (heading) {
		heading->bold = true;
	}
	kt_scene_text(plot->scene, MARGIN, 58, line, 12, KT_ANCHOR_START, ink);
	plot->pen_y = 78;
	/*
	 * Break the text into at most REASON_LINES lines; if more text remains, the last
	 * line ends in "…".
	 */
	for (int i = 0; i < REASON_LINES && text[0]; i++) {
		size_t n = kt_text_line(text, 11, WIDTH - 2 * MARGIN);
		char part[1024];

		n = n ? n : strlen(text);
		n = n < sizeof(part) - 8 ? n : sizeof(part) - 8;
		snprintf(part, sizeof(part), "%.*s%s", (int)n, text,
			 text[n] && i + 1 == REASON_LINES ? " …" : "");
		kt_scene_text(plot->scene, MARGIN, plot->pen_y, part, 11, KT_ANCHOR_START,
			      grey);
		plot->pen_y += 16;
		text += n;
		text += strspn(text, " ");
	}
	plot->pen_x = MARGIN;
	plot->pen_y += 6;
}

void kt_plot_legend_break(struct kt_plot *plot)
{
	plot->pen_y += plot->pen_x > MARGIN ? LINE_HEIGHT : 0;
	plot->pen_x = MARGIN;
}

/*
 * Writes the text of the next item of the legend, on a new line if needed. Returns the x at
 * which the item's line or area begins.
 */
static double legend_position(struct kt_plot *plot, const char *text)
{
	double width = KEY_WIDTH + 6 + kt_text_width(text, 12) + 10;
	double x = plot->pen_x;

	if (x + width > WIDTH - MARGIN + 10) {
		kt_plot_legend_break(plot);
		x = plot->pen_x;
	}
	plot->pen_x = x + width;
	kt_scene_text(plot->scene, x + KEY_WIDTH + 6, plot->pen_y + 4, text, 12,
		      KT_ANCHOR_START, ink);
	return x;
}

void kt_plot_legend_line(struct kt_plot *plot, const char *text, double width,
			 struct kt_colour colour, const struct kt_dot *dot,
			 enum kt_dash dash)
{
	double x = legend_position(plot, text);
	const struct kt_point2 points[] = {{x, plot->pen_y}, {x + KEY_WIDTH, plot->pen_y}};

	kt_scene_dashed_line(plot->scene, points, 2, width, colour, dash);
	if (dot) {
		kt_plot_dot(plot, (struct kt_point2){x + KEY_WIDTH / 2, plot->pen_y}, dot,
			    colour);
	}
}

void kt_plot_dot(struct kt_plot *plot, struct kt_point2 at, const struct kt_dot *dot,
		 struct kt_colour colour)
{
	if (dot->square) {
		kt_scene_rectangle(plot->scene, at.x - dot->width / 2,
				   at.y - dot->width / 2, dot->width, dot->width, colour);
	} else {
		kt_scene_circle(plot->scene, at.x, at.y, dot->width, colour);
	}
}

void kt_plot_legend_area(struct kt_plot *plot, const char *text, struct kt_colour colour)
{
	double x = legend_position(plot, text);

	kt_scene_rectangle(plot->scene, x, plot->pen_y - 7, KEY_WIDTH, 14, colour);
}

void kt_plot_lay_out(struct kt_plot *plot, double labels)
{
	plot->left = AXIS_WIDTH;
	plot->right = WIDTH - MARGIN;
	plot->top = plot->pen_y + labels;
	plot->bottom = plot->top + CURVES_HEIGHT;
	plot->scene->width = WIDTH;
	plot->scene->height = plot->bottom + AXIS_HEIGHT;
}

/* --- axes --- */

/* Draws a grid line at a size, with a label if `written`. */
static void put_size(struct kt_plot *plot, uint64_t size, bool written)
{
	double y = kt_scale_size(&plot->y, size);
	const struct kt_point2 points[] = {{plot->left, y}, {plot->right, y}};
	char text[32];

	if (y < plot->top - 0.5 || y > plot->bottom + 0.5) {
		return;
	}
	kt_scene_line(plot->scene, points, 2, 0.8, written ? line_grey : faint, false);
	if (size < SHORT_SIZE) {
		snprintf(text, sizeof(text), "%" PRIu64, size);
	} else {
		snprintf(text, sizeof(text), "%.0e", (double)size);
	}
	if (written) {
		kt_scene_text(plot->scene, plot->left - 8, y + 4, text, 11, KT_ANCHOR_END,
			      ink);
	}
}

void kt_plot_axes(struct kt_plot *plot)
{
	const struct kt_point2 corner[] = {{plot->left, plot->top},
					   {plot->left, plot->bottom},
					   {plot->right, plot->bottom}};
	bool few = plot->y.high - plot->y.low < 3.1;
	uint64_t power = (uint64_t)llround(pow(10, plot->y.low));
	struct kt_shape *label;
	char text[32];
	double spacing;
	uint64_t k;

	kt_scene_group(plot->scene, "axes");
	if (plot->has_zero) {
		put_size(plot, 0, true);
	}
	/*
	 * Draw lines at the powers of ten and their multiples by 2 to 9. Label the powers
	 * and, if there are few powers, also the multiples by 2 and 5.
	 */
	for (; log10((double)power) <= plot->y.high; power *= 10) {
		put_size(plot, power, true);
		for (uint64_t i = 2; power < UINT64_MAX / 20 && i < 10; i++) {
			put_size(plot, i * power, few && (i == 2 || i == 5));
		}
		if (power > UINT64_MAX / 20) {
			break;
		}
	}
	kt_scene_line(plot->scene, corner, 3, 1, ink, false);
	snprintf(text, sizeof(text), "%" PRIu64, plot->x.last);
	spacing = kt_text_width(text, 11) + 8;
	k = kt_scale_next_k(&plot->x, -1, spacing);
	for (; k != UINT64_MAX; k = kt_scale_next_k(&plot->x, (double)k, spacing)) {
		double x = kt_scale_k(&plot->x, (double)k);
		const struct kt_point2 points[] = {{x, plot->bottom},
						   {x, plot->bottom + 5}};

		kt_scene_line(plot->scene, points, 2, 1, ink, false);
		snprintf(text, sizeof(text), "%" PRIu64, k);
		kt_scene_text(plot->scene, x, plot->bottom + 18, text, 11, KT_ANCHOR_MIDDLE,
			      ink);
	}
	kt_scene_text(
		plot->scene, (plot->left + plot->right) / 2, plot->bottom + 40,
		plot->x.logarithmic
			? "k: states are merged if their next k letters agree (log scale)"
			: "k: states are merged if their next k letters agree",
		12, KT_ANCHOR_MIDDLE, ink);
	label = kt_scene_text(plot->scene, 20, (plot->top + plot->bottom) / 2,
			      "size (log scale)", 12, KT_ANCHOR_MIDDLE, ink);
	if (label) {
		label->upward = true;
	}
}
