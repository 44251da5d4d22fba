/* SPDX-License-Identifier: MIT */
#include "viz/plot-column.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <ktail/status.h>

#include "base/utf8.h"

#define LANE        13.0 /* distance between lanes, if there is enough space */
#define COUNT_SIZE  9.5
#define LETTER_SIZE 8.5
#define HEAD_HEIGHT 30.0
#define FOOT_HEIGHT 8.0

const struct kt_colour kt_plot_ink = {0x20, 0x24, 0x2b};
const struct kt_colour kt_plot_grey = {0x5f, 0x66, 0x70};
static const struct kt_colour new_colour = {0x7a, 0x3e, 0x9d};

/* --- texts --- */

void kt_plot_text(struct kt_scene *scene, double x, double y, const char *text, double size,
		  enum kt_anchor anchor, struct kt_colour colour, bool bold)
{
	struct kt_shape *shape = kt_scene_text(scene, x, y, text, size, anchor, colour);

	if (shape) {
		shape->bold = bold;
	}
}

void kt_plot_fit(char *out, size_t size, const char *text, double width, double text_size)
{
	size_t length = strlen(text);
	size_t n = 0;

	snprintf(out, size, "%s", text);
	if (length < size && kt_text_width(text, text_size) <= width) {
		return;
	}
	while (n < length) {
		size_t next = kt_utf8_sequence(text + n, length - n);

		next = next ? next : 1;
		if (n + next + sizeof("…") > size) {
			break;
		}
		memcpy(out, text, n + next);
		memcpy(out + n + next, "…", sizeof("…"));
		if (kt_text_width(out, text_size) > width) {
			break;
		}
		n += next;
	}
	memcpy(out, text, n);
	memcpy(out + n, "…", sizeof("…"));
}

void kt_plot_line(struct kt_scene *scene, double x, double width, double y,
		  const char *text, const char *figure, struct kt_colour colour)
{
	double available =
		width - 2 * KT_PLOT_PAD - kt_text_width(figure, KT_PLOT_TEXT) - 8;
	char line[512];

	kt_plot_fit(line, sizeof(line), text, available, KT_PLOT_TEXT);
	kt_plot_text(scene, x + KT_PLOT_PAD, y, line, KT_PLOT_TEXT, KT_ANCHOR_START, colour,
		     false);
	kt_plot_text(scene, x + width - KT_PLOT_PAD, y, figure, KT_PLOT_TEXT, KT_ANCHOR_END,
		     kt_plot_grey, false);
}

const char *kt_plot_plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

/* --- boxes --- */

size_t kt_plot_listed(const struct kt_distilled_lines *lines)
{
	return lines->n < KT_PLOT_LISTED ? lines->n : KT_PLOT_LISTED;
}

double kt_plot_lines_height(const struct kt_distilled_lines *lines)
{
	bool more = lines->n > KT_PLOT_LISTED || lines->more;

	return (double)(kt_plot_listed(lines) + more) * KT_PLOT_LINE;
}

void kt_plot_frame(struct kt_scene *scene, double x, double y, double width, double height,
		   struct kt_colour colour, bool dashed)
{
	const struct kt_point2 points[] = {
		{x, y}, {x + width, y}, {x + width, y + height}, {x, y + height}, {x, y}};

	kt_scene_line(scene, points, 5, dashed ? 1.4 : 1.2, colour, dashed);
}

void kt_plot_more(struct kt_scene *scene, double x, double y,
		  const struct kt_distilled_lines *lines)
{
	uint64_t more = lines->n - kt_plot_listed(lines) + lines->more;
	char text[64];

	if (more) {
		snprintf(text, sizeof(text), "and %" PRIu64 " more", more);
		kt_plot_text(scene, x + KT_PLOT_PAD, y, text, KT_PLOT_TEXT, KT_ANCHOR_START,
			     kt_plot_grey, false);
	}
}

static void put_head(struct kt_column_plot *plot, const struct kt_distilled_box *box,
		     size_t state, double top)
{
	uint64_t loops = 0;
	char text[256];
	char name[256];
	size_t n;

	for (size_t i = 0; i < plot->column->n_arrows; i++) {
		const struct kt_distilled_arrow *a = &plot->column->arrows[i];

		if (a->from == state && a->to == state) {
			loops = a->count;
			break;
		}
	}
	n = (size_t)snprintf(text, sizeof(text), "%" PRIu64 " visit%s", box->visits,
			     kt_plot_plural(box->visits));
	if (loops) {
		n += (size_t)snprintf(text + n, sizeof(text) - n,
				      ", %" PRIu64 " from itself", loops);
	}
	if (kt_distilled_is_partial(box->in, plot->n_machines)) {
		n += (size_t)snprintf(text + n, sizeof(text) - n, "  ·  in %u of %zu",
				      kt_distilled_count_in(box->in), plot->n_machines);
	}
	if (box->merged && !plot->narrow) {
		snprintf(text + n, sizeof(text) - n, "  ·  %" PRIu64 " state%s",
			 box->merged, kt_plot_plural(box->merged));
	}
	kt_plot_fit(name, sizeof(name), box->name,
		    plot->width - 2 * KT_PLOT_PAD - kt_text_width(text, KT_PLOT_TEXT) - 8,
		    14);
	kt_plot_text(plot->scene, plot->x + KT_PLOT_PAD, top + KT_PLOT_HEAD, name, 14,
		     KT_ANCHOR_START, box->paper ? kt_plot_ink : new_colour, true);
	kt_plot_text(plot->scene, plot->x + plot->width - KT_PLOT_PAD, top + KT_PLOT_HEAD,
		     text, KT_PLOT_TEXT, KT_ANCHOR_END, kt_plot_ink, false);
}

/* Joins the texts of a list, each with its count. */
static void join_lines(char *out, size_t size, const struct kt_distilled_lines *lines)
{
	size_t n = 0;

	*out = '\0';
	for (size_t i = 0; i < lines->n && n + 96 < size; i++) {
		n += (size_t)snprintf(out + n, size - n, "%s%.64s %" PRIu64, i ? "  " : "",
				      lines->items[i].text ? lines->items[i].text : "?",
				      lines->items[i].count);
	}
}

/* Writes a list on one line, truncated. */
static void put_joined(struct kt_column_plot *plot, const struct kt_distilled_lines *lines,
		       double y)
{
	double width = plot->width - 2 * KT_PLOT_PAD;
	char text[512];
	char line[512];

	join_lines(text, sizeof(text), lines);
	kt_plot_fit(line, sizeof(line), text, width, COUNT_SIZE);
	kt_plot_text(plot->scene, plot->x + KT_PLOT_PAD, y, line, COUNT_SIZE,
		     KT_ANCHOR_START, kt_plot_grey, false);
}

/*
 * Draws a state's box: its name, then labels and letters, or in the narrow column letters
 * and the states of the other column.
 */
static void put_box(struct kt_column_plot *plot, size_t state)
{
	const struct kt_distilled_box *box = &plot->column->states[state];
	const struct kt_placed_box *at = &plot->at.boxes[state];
	const struct kt_distilled_lines *lines = &box->system;
	double y = at->top + KT_PLOT_HEAD + KT_PLOT_LINE + 3;

	kt_scene_rectangle(plot->scene, plot->x, at->top, plot->width, at->height,
			   kt_temperature_tint(kt_temperature(box->visits, plot->busiest)));
	kt_plot_frame(plot->scene, plot->x, at->top, plot->width, at->height,
		      box->paper ? kt_plot_ink : new_colour, !box->paper);
	put_head(plot, box, state, at->top);
	for (size_t i = 0; i < kt_plot_listed(lines) && !plot->narrow; i++) {
		const char *label = lines->items[i].text;
		char figure[32];

		snprintf(figure, sizeof(figure), "%" PRIu64, lines->items[i].count);
		kt_plot_line(plot->scene, plot->x, plot->width, y,
			     label ? label : "no label", figure,
			     label ? kt_plot_ink : kt_plot_grey);
		y += KT_PLOT_LINE;
	}
	if (!plot->narrow) {
		kt_plot_more(plot->scene, plot->x, y, lines);
		y += lines->n > KT_PLOT_LISTED || lines->more ? KT_PLOT_LINE : 0;
	}
	if (box->letters.n) {
		put_joined(plot, &box->letters, y);
		y += KT_PLOT_LINE;
	}
	if (plot->narrow) {
		put_joined(plot, &box->during, y);
	}
}

/* --- arrows --- */

/*
 * Writes an arrow's count, in the narrow column with its letters, which a tooltip lists
 * completely. `x` and `y`: where the text begins, or if `right` is false, ends.
 */
static void put_count(struct kt_column_plot *plot, const struct kt_distilled_arrow *arrow,
		      double x, double y, bool right, struct kt_colour colour)
{
	const double width = plot->stub - 8;
	char count[32];
	char letters[512];
	char text[1024];
	double used;

	snprintf(count, sizeof(count), "%" PRIu64, arrow->count);
	kt_plot_text(plot->scene, x, y, count, COUNT_SIZE,
		     right ? KT_ANCHOR_START : KT_ANCHOR_END, colour, false);
	if (!plot->narrow || !arrow->letters.n) {
		return;
	}
	used = kt_text_width(count, COUNT_SIZE) + 5;
	snprintf(text, sizeof(text), "%.300s",
		 arrow->letters.items[0].text ? arrow->letters.items[0].text : "?");
	for (size_t i = 1; i < arrow->letters.n && strlen(text) < 300; i++) {
		const char *letter = arrow->letters.items[i].text;

		snprintf(text + strlen(text), sizeof(text) - strlen(text), ", %.64s",
			 letter ? letter : "?");
	}
	kt_plot_fit(letters, sizeof(letters), text, width - used, LETTER_SIZE);
	kt_plot_text(plot->scene, right ? x + used : x - used, y, letters, LETTER_SIZE,
		     right ? KT_ANCHOR_START : KT_ANCHOR_END, kt_plot_grey, false);
	join_lines(text, sizeof(text), &arrow->letters);
	kt_scene_hover(plot->scene, right ? x : x - width, y - 9, width, 11, text);
}

/*
 * Draws each arrow with its tip and count. An arrow leads straight down to the next box, or
 * around the boxes between its ends.
 */
void kt_column_plot_arrows(struct kt_column_plot *plot)
{
	for (size_t i = 0; i < plot->at.n_arrows; i++) {
		const struct kt_placed_arrow *a = &plot->at.arrows[i];
		double temperature = kt_temperature(a->arrow->count, plot->most);
		struct kt_colour colour = kt_temperature_stroke(temperature);
		double width = 0.8 + 1.6 * temperature;
		bool down = a->margin == KT_LANE_NONE;
		bool right = a->margin == KT_LANE_RIGHT;
		double away = right ? 1 : -1;
		double x = down    ? plot->x + plot->width / 2
			   : right ? plot->x + plot->width
				   : plot->x;
		double lane = down ? x
				   : x + away * (plot->stub +
						 a->lane * plot->lane_widths[a->margin]);
		/* direction in which the arrow arrives */
		double dx = down ? 0 : -away;
		double dy = down ? 1 : 0;
		const struct kt_point2 straight[] = {{x, a->from}, {x, a->to}};
		const struct kt_point2 around[] = {
			{x, a->from}, {lane, a->from}, {lane, a->to}, {x, a->to}};
		const struct kt_point2 tip[] = {
			{x - 6 * dx + 3.5 * dy, a->to - 6 * dy + 3.5 * dx},
			{x, a->to},
			{x - 6 * dx - 3.5 * dy, a->to - 6 * dy - 3.5 * dx}};

		kt_scene_line(plot->scene, down ? straight : around, down ? 2 : 4, width,
			      colour,
			      kt_distilled_is_partial(a->arrow->in, plot->n_machines));
		kt_scene_line(plot->scene, tip, 3, width, colour, false);
		put_count(plot, a->arrow, down ? x + 8 : x + away * 5,
			  down ? (a->from + a->to) / 2 + 3 : a->from - 3 - width / 2,
			  down || right, colour);
	}
}

/* --- tooltips --- */

static size_t say_arrows(char *text, size_t size, const struct kt_column_plot *plot,
			 size_t state, bool out)
{
	size_t n = 0;
	bool any = false;

	for (size_t i = 0; i < plot->column->n_arrows; i++) {
		const struct kt_distilled_arrow *a = &plot->column->arrows[i];
		size_t here = out ? a->from : a->to;
		size_t other = out ? a->to : a->from;

		if (here == state && n + 120 < size) {
			n += (size_t)snprintf(text + n, size - n, "%s%.64s %" PRIu64,
					      any   ? ", "
					      : out ? "; to "
						    : "; from ",
					      plot->column->states[other].name, a->count);
			any = true;
		}
	}
	return n;
}

static void put_hover(struct kt_column_plot *plot, size_t state)
{
	const struct kt_distilled_box *box = &plot->column->states[state];
	const struct kt_placed_box *at = &plot->at.boxes[state];
	const struct kt_distilled_line *most = NULL;
	char text[4096];
	size_t n = (size_t)snprintf(text, sizeof(text), "%.64s: %" PRIu64 " visit%s",
				    box->name, box->visits, kt_plot_plural(box->visits));

	for (size_t i = 0; i < box->phases.n; i++) {
		most = !most || box->phases.items[i].count > most->count
			       ? &box->phases.items[i]
			       : most;
	}
	if (most && n + 100 < sizeof(text)) {
		n += (size_t)snprintf(text + n, sizeof(text) - n, ", mostly %.16s",
				      most->text);
	}
	n += say_arrows(text + n, sizeof(text) - n, plot, state, false);
	say_arrows(text + n, sizeof(text) - n, plot, state, true);
	kt_scene_hover(plot->scene, plot->x, at->top, plot->width, at->height, text);
}

/* --- the column --- */

int kt_column_plot_arrange(struct kt_column_plot *plot, uint64_t all, double top)
{
	const struct kt_drawn_column *column = plot->column;
	double heights[KT_DISTILLED_STATES];
	int code;

	for (size_t i = 0; i < column->n_states; i++) {
		const struct kt_distilled_box *box = &column->states[i];
		double letters = box->letters.n ? KT_PLOT_LINE : 0;

		heights[i] = HEAD_HEIGHT + letters + FOOT_HEIGHT;
		if (plot->narrow) {
			heights[i] += box->during.n ? KT_PLOT_LINE : 0;
		} else {
			heights[i] =
				fmax(heights[i] + kt_plot_lines_height(&box->system),
				     kt_plot_lines_height(&box->user) + 2 * FOOT_HEIGHT);
		}
		plot->busiest = box->visits > plot->busiest ? box->visits : plot->busiest;
	}
	code = kt_arrange_distilled(&plot->at, column, all, heights, top);
	for (size_t i = 0; i < plot->at.n_arrows && !code; i++) {
		uint64_t count = plot->at.arrows[i].arrow->count;

		plot->most = count > plot->most ? count : plot->most;
	}
	return code;
}

double kt_column_plot_margin(const struct kt_column_plot *plot, enum kt_lane_margin margin)
{
	uint32_t lanes = plot->at.lanes[margin];

	return lanes ? plot->stub + (lanes - 1) * LANE : 0;
}

void kt_column_plot_fit(struct kt_column_plot *plot, enum kt_lane_margin margin,
			double space)
{
	uint32_t lanes = plot->at.lanes[margin];

	plot->lane_widths[margin] =
		lanes > 1 ? fmin(LANE, (space - plot->stub) / (lanes - 1)) : LANE;
}

void kt_column_plot_boxes(struct kt_column_plot *plot)
{
	for (size_t i = 0; i < plot->column->n_states; i++) {
		put_box(plot, i);
	}
}

void kt_column_plot_hovers(struct kt_column_plot *plot)
{
	for (size_t i = 0; i < plot->column->n_states; i++) {
		put_hover(plot, i);
	}
}

void kt_column_plot_foot(struct kt_column_plot *plot)
{
	char text[128];

	if (plot->at.left_out) {
		snprintf(text, sizeof(text),
			 "%zu arrow%s not drawn: rarely taken, %" PRIu64 " time%s in total",
			 plot->at.left_out, kt_plot_plural(plot->at.left_out),
			 plot->at.left_out_counts,
			 kt_plot_plural(plot->at.left_out_counts));
		kt_plot_text(plot->scene, plot->x, plot->at.bottom + 24, text, KT_PLOT_TEXT,
			     KT_ANCHOR_START, kt_plot_grey, false);
	}
}
