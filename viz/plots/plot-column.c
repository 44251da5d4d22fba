/* SPDX-License-Identifier: MIT */
#include "viz/plots/plot-column.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/try.h"
#include "base/utf8.h"
#include "viz/drawing/keys.h"
#include "viz/drawing/text-width.h"

#define LANE        9.0  /* distance between lanes, if there is enough space */
#define MOST_LANES  48.0 /* space for all lanes of a margin except the first */
#define HEAD_HEIGHT 19.0
#define FOOT_HEIGHT 5.0
#define TEXT_MAX    4096 /* bytes of a list that is written as a text */

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

void kt_plot_fit(char *out, size_t size, const char *text, double width, double text_size,
		 bool bold)
{
	double (*const measure)(const char *, double) =
		bold ? kt_bold_width : kt_text_width;
	size_t length = strlen(text);
	size_t n = 0;

	snprintf(out, size, "%s", text);
	if (length < size && measure(text, text_size) <= width) {
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
		if (measure(out, text_size) > width) {
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

	kt_plot_fit(line, sizeof(line), text, available, KT_PLOT_TEXT, false);
	kt_plot_text(scene, x + KT_PLOT_PAD, y, line, KT_PLOT_TEXT, KT_ANCHOR_START, colour,
		     false);
	kt_plot_text(scene, x + width - KT_PLOT_PAD, y, figure, KT_PLOT_TEXT, KT_ANCHOR_END,
		     kt_plot_grey, false);
}

const char *kt_plot_plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

void kt_plot_join(char *out, size_t size, const struct kt_distilled_lines *lines)
{
	size_t n = 0;

	*out = '\0';
	for (size_t i = 0; i < lines->n && n + 128 < size; i++) {
		/* A no-break space keeps the count beside its text. */
		n += (size_t)snprintf(out + n, size - n, "%s%.64s\u00a0%" PRIu64,
				      i ? ", " : "",
				      lines->items[i].text ? lines->items[i].text : "?",
				      lines->items[i].count);
	}
}

double kt_plot_paragraph(struct kt_scene *scene, double x, double y, double width,
			 const char *text, size_t most, struct kt_colour colour)
{
	for (size_t i = 0; i < most && *text; i++, y += KT_PLOT_LINE) {
		size_t n = kt_text_line(text, KT_PLOT_TEXT, width);
		char line[1024];

		/* The last line has what is left, truncated. */
		n = i + 1 == most || !n ? strlen(text) : n;
		snprintf(line, sizeof(line), "%.*s", (int)(n < 1000 ? n : 1000), text);
		if (scene) {
			char part[1024];

			kt_plot_fit(part, sizeof(part), line, width, KT_PLOT_TEXT, false);
			kt_plot_text(scene, x, y, part, KT_PLOT_TEXT, KT_ANCHOR_START,
				     colour, false);
		}
		text += n;
		text += strspn(text, " ");
	}
	return y;
}

/* --- boxes --- */

static bool is_cut(const struct kt_distilled_lines *lines, size_t listed)
{
	return lines->n > listed || lines->more;
}

size_t kt_plot_listed(const struct kt_distilled_lines *lines, size_t listed)
{
	listed -= is_cut(lines, listed) && listed > 1;
	return lines->n < listed ? lines->n : listed;
}

double kt_plot_lines_height(const struct kt_distilled_lines *lines, size_t listed)
{
	return (double)(kt_plot_listed(lines, listed) + is_cut(lines, listed)) *
	       KT_PLOT_LINE;
}

void kt_plot_frame(struct kt_scene *scene, double x, double y, double width, double height,
		   struct kt_colour colour, bool dashed)
{
	const struct kt_point2 points[] = {
		{x, y}, {x + width, y}, {x + width, y + height}, {x, y + height}, {x, y}};

	kt_scene_line(scene, points, 5, dashed ? 1.4 : 1.2, colour, dashed);
}

void kt_plot_more(struct kt_scene *scene, double x, double y,
		  const struct kt_distilled_lines *lines, size_t listed)
{
	uint64_t more = lines->n - kt_plot_listed(lines, listed) + lines->more;
	char text[64];

	if (more) {
		snprintf(text, sizeof(text), "and %" PRIu64 " more", more);
		kt_plot_text(scene, x + KT_PLOT_PAD, y, text, KT_PLOT_TEXT, KT_ANCHOR_START,
			     kt_plot_grey, false);
	}
}

/* Returns the space for a name beside `text`. */
static double name_width(const struct kt_column_plot *plot, const char *text)
{
	return plot->width - 2 * KT_PLOT_PAD - kt_text_width(text, KT_PLOT_TEXT) - 4;
}

static bool name_fits(const struct kt_column_plot *plot, const char *name, const char *text)
{
	return kt_bold_width(name, KT_PLOT_NAME) <= name_width(plot, text);
}

/* Returns the phase that most letters of a state have; NULL: none. */
static const struct kt_distilled_line *main_phase(const struct kt_distilled_box *box)
{
	const struct kt_distilled_line *most = NULL;

	for (size_t i = 0; i < box->phases.n; i++) {
		most = !most || box->phases.items[i].count > most->count
			       ? &box->phases.items[i]
			       : most;
	}
	return most;
}

/* Writes the phase beside the name, if there is space before `text`. */
static void put_phase(struct kt_column_plot *plot, const struct kt_distilled_box *box,
		      double top, const char *name, const char *text)
{
	const struct kt_distilled_line *phase = main_phase(box);
	const double used = kt_bold_width(name, KT_PLOT_NAME) + 5;

	if (!plot->narrow && phase && phase->text &&
	    used + kt_text_width(phase->text, KT_PLOT_TEXT) + 4 <= name_width(plot, text)) {
		kt_plot_text(plot->scene, plot->x + KT_PLOT_PAD + used, top + KT_PLOT_HEAD,
			     phase->text, KT_PLOT_TEXT, KT_ANCHOR_START, kt_plot_grey,
			     false);
	}
}

/*
 * Writes a state's name, the number of its visits, and how many of them come from the state
 * itself.
 */
static void put_head(struct kt_column_plot *plot, const struct kt_distilled_box *box,
		     size_t state, double top)
{
	uint64_t loops = 0;
	char text[256];
	char name[256];
	size_t n = 0;

	for (size_t i = 0; i < plot->column->n_arrows; i++) {
		const struct kt_distilled_arrow *a = &plot->column->arrows[i];

		if (a->from == state && a->to == state) {
			loops = a->count;
			break;
		}
	}
	if (kt_distilled_is_partial(box->in, plot->n_machines)) {
		n = (size_t)snprintf(text, sizeof(text), "in %u of %zu  ·  ",
				     kt_distilled_count_in(box->in), plot->n_machines);
	}
	n += (size_t)snprintf(text + n, sizeof(text) - n, "%" PRIu64, box->visits);
	if (loops) {
		snprintf(text + n, sizeof(text) - n, " (%" PRIu64 ")", loops);
		/*
		 * If there is no space for both, leave out the loops, which are also in a
		 * tooltip.
		 */
		text[name_fits(plot, box->name, text) ? sizeof(text) - 1 : n] = '\0';
	}
	kt_plot_fit(name, sizeof(name), box->name, name_width(plot, text), KT_PLOT_NAME,
		    true);
	kt_plot_text(plot->scene, plot->x + KT_PLOT_PAD, top + KT_PLOT_HEAD, name,
		     KT_PLOT_NAME, KT_ANCHOR_START, box->paper ? kt_plot_ink : new_colour,
		     true);
	put_phase(plot, box, top, name, text);
	kt_plot_text(plot->scene, plot->x + plot->width - KT_PLOT_PAD, top + KT_PLOT_HEAD,
		     text, KT_PLOT_TEXT, KT_ANCHOR_END, kt_plot_ink, false);
}

/* Writes a list on one line, truncated. Returns y of the next line. */
static double put_joined(struct kt_column_plot *plot,
			 const struct kt_distilled_lines *lines, double y)
{
	char text[TEXT_MAX];

	kt_plot_join(text, sizeof(text), lines);
	return kt_plot_paragraph(plot->scene, plot->x + KT_PLOT_PAD, y,
				 plot->width - 2 * KT_PLOT_PAD, text, 1, kt_plot_grey);
}

/*
 * Draws a state's box: its name, then its labels and letters. In the narrow column, the box
 * has letters and the states of the other column instead.
 */
static void put_box(struct kt_column_plot *plot, size_t state)
{
	const struct kt_distilled_box *box = &plot->column->states[state];
	const struct kt_placed_box *at = &plot->at.boxes[state];
	const struct kt_distilled_lines *lines = &box->system;
	double y = at->top + KT_PLOT_HEAD + KT_PLOT_LINE + 1;

	kt_scene_rectangle(plot->scene, plot->x, at->top, plot->width, at->height,
			   kt_temperature_tint(kt_temperature(box->visits, plot->busiest)));
	kt_plot_frame(plot->scene, plot->x, at->top, plot->width, at->height,
		      box->paper ? kt_plot_ink : new_colour, !box->paper);
	put_head(plot, box, state, at->top);
	for (size_t i = 0; !plot->narrow && i < kt_plot_listed(lines, plot->listed); i++) {
		const char *label = lines->items[i].text;
		char figure[32];

		snprintf(figure, sizeof(figure), "%" PRIu64, lines->items[i].count);
		kt_plot_line(plot->scene, plot->x, plot->width, y,
			     label ? label : "no label", figure,
			     label ? kt_plot_ink : kt_plot_grey);
		y += KT_PLOT_LINE;
	}
	if (!plot->narrow && is_cut(lines, plot->listed)) {
		kt_plot_more(plot->scene, plot->x, y, lines, plot->listed);
		y += KT_PLOT_LINE;
	}
	if (plot->letters) {
		y = put_joined(plot, &box->letters, y);
	}
	if (plot->narrow) {
		put_joined(plot, &box->during, y);
	}
}

/* --- arrows --- */

/* Writes the letters of an arrow, the most frequent first. */
static void join_letters(char *out, size_t size, const struct kt_distilled_lines *letters)
{
	size_t n = 0;

	*out = '\0';
	for (size_t i = 0; i < letters->n && n + 96 < size; i++) {
		n += (size_t)snprintf(out + n, size - n, "%s%.64s", i ? ", " : "",
				      letters->items[i].text ? letters->items[i].text
							     : "?");
	}
}

/* Returns the space for the letters of an arrow, beside its count. */
static double letters_space(const struct kt_column_plot *plot,
			    const struct kt_placed_arrow *a, const char *count)
{
	return (a->margin == KT_LANE_NONE ? plot->width / 2 : plot->stub) - 14 -
	       kt_text_width(count, KT_PLOT_TEXT);
}

/* Returns whether an arrow's letters do not fit beside it, so that it needs a key. */
static bool needs_key(const struct kt_column_plot *plot, const struct kt_placed_arrow *a)
{
	char count[32];
	char letters[TEXT_MAX];

	if (!plot->narrow || !a->arrow->letters.n) {
		return false;
	}
	snprintf(count, sizeof(count), "%" PRIu64, a->arrow->count);
	join_letters(letters, sizeof(letters), &a->arrow->letters);
	return kt_text_width(letters, KT_PLOT_TEXT) > letters_space(plot, a, count);
}

/*
 * Writes an arrow's count. In the narrow column, its letters or their key follow; a tooltip
 * has all letters. The text begins at `x` and `y` or, if `right` is false, ends there.
 */
static void put_count(struct kt_column_plot *plot, const struct kt_placed_arrow *a,
		      double x, double y, bool right, struct kt_colour colour)
{
	const struct kt_distilled_arrow *arrow = a->arrow;
	const enum kt_anchor anchor = right ? KT_ANCHOR_START : KT_ANCHOR_END;
	const bool key = needs_key(plot, a);
	char letters[TEXT_MAX];
	char count[32];
	double used;
	double width;

	snprintf(count, sizeof(count), "%" PRIu64, arrow->count);
	kt_plot_text(plot->scene, x, y, count, KT_PLOT_TEXT, anchor, colour, false);
	if (!plot->narrow || !arrow->letters.n) {
		return;
	}
	used = kt_text_width(count, KT_PLOT_TEXT) + 5;
	width = used + letters_space(plot, a, count);
	if (key) {
		char text[KT_KEY_SIZE];

		snprintf(letters, sizeof(letters), "%s", kt_key(text, plot->n_keys++));
	} else {
		join_letters(letters, sizeof(letters), &arrow->letters);
	}
	kt_plot_text(plot->scene, right ? x + used : x - used, y, letters, KT_PLOT_TEXT,
		     anchor, key ? kt_plot_ink : kt_plot_grey, key);
	kt_plot_join(letters, sizeof(letters), &arrow->letters);
	kt_scene_hover(plot->scene, right ? x : x - width, y - 9, width, 11, letters);
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
		put_count(plot, a, down ? x + 8 : x + away * 8,
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
	const struct kt_distilled_line *most = main_phase(box);
	char text[4096];
	size_t n = (size_t)snprintf(text, sizeof(text), "%.64s: %" PRIu64 " visit%s",
				    box->name, box->visits, kt_plot_plural(box->visits));

	if (most && n + 100 < sizeof(text)) {
		n += (size_t)snprintf(text + n, sizeof(text) - n, ", mostly %.16s",
				      most->text);
	}
	n += say_arrows(text + n, sizeof(text) - n, plot, state, false);
	n += say_arrows(text + n, sizeof(text) - n, plot, state, true);
	if (box->merged && n + 64 < sizeof(text)) {
		snprintf(text + n, sizeof(text) - n, "; %" PRIu64 " state%s of the machine",
			 box->merged, kt_plot_plural(box->merged));
	}
	kt_scene_hover(plot->scene, plot->x, at->top, plot->width, at->height, text);
}

/* --- the column --- */

/* Returns the length of an arrow's first part, which has its count and key beside it. */
static double stub_of(const struct kt_column_plot *plot)
{
	char count[32];

	snprintf(count, sizeof(count), "%" PRIu64, plot->most);
	return kt_text_width(count, KT_PLOT_TEXT) + 12 +
	       (plot->narrow ? kt_bold_width("  z", KT_PLOT_TEXT) : 0);
}

/* Keys are in the order in which a reader comes to the arrows: downwards. */
static int compare_arrows(const void *a, const void *b)
{
	const struct kt_placed_arrow *x = a;
	const struct kt_placed_arrow *y = b;

	if (x->from != y->from) {
		return x->from < y->from ? -1 : 1;
	}
	return x->arrow < y->arrow ? -1 : x->arrow > y->arrow;
}

int kt_column_plot_arrange(struct kt_column_plot *plot, uint64_t all, double top)
{
	const struct kt_drawn_column *column = plot->column;
	double heights[KT_DISTILLED_STATES];

	for (size_t i = 0; i < column->n_states; i++) {
		const struct kt_distilled_box *box = &column->states[i];
		bool letters = plot->letters && box->letters.n;

		heights[i] = HEAD_HEIGHT + (letters ? KT_PLOT_LINE : 0) + FOOT_HEIGHT;
		if (plot->narrow) {
			heights[i] += box->during.n ? KT_PLOT_LINE : 0;
		} else {
			heights[i] = fmax(heights[i] + kt_plot_lines_height(&box->system,
									    plot->listed),
					  kt_plot_lines_height(&box->user, plot->listed) +
						  FOOT_HEIGHT);
		}
		plot->busiest = box->visits > plot->busiest ? box->visits : plot->busiest;
	}
	kt_arrangement_clear(&plot->at);
	KT_TRY(kt_arrange_distilled(&plot->at, column, all, heights, top));
	qsort(plot->at.arrows, plot->at.n_arrows, sizeof(*plot->at.arrows), compare_arrows);
	for (size_t i = 0; i < plot->at.n_arrows; i++) {
		uint64_t count = plot->at.arrows[i].arrow->count;

		plot->most = count > plot->most ? count : plot->most;
	}
	plot->stub = stub_of(plot);
	return KT_OK;
}

double kt_column_plot_margin(struct kt_column_plot *plot, enum kt_lane_margin margin)
{
	uint32_t lanes = plot->at.lanes[margin];

	plot->lane_widths[margin] = lanes > 1 ? fmin(LANE, MOST_LANES / (lanes - 1)) : LANE;
	return lanes ? plot->stub + (lanes - 1) * plot->lane_widths[margin] : 0;
}

double kt_column_plot_keys(struct kt_column_plot *plot, double x, double y, double width,
			   bool all)
{
	size_t n = 0;

	for (size_t i = 0; i < plot->at.n_arrows; i++) {
		const struct kt_placed_arrow *a = &plot->at.arrows[i];
		const double indent = kt_bold_width("zz", KT_PLOT_TEXT) + 4;
		char letters[TEXT_MAX];
		char key[KT_KEY_SIZE];

		if (!needs_key(plot, a)) {
			continue;
		}
		if (plot->scene) {
			kt_plot_text(plot->scene, x, y, kt_key(key, n), KT_PLOT_TEXT,
				     KT_ANCHOR_START, kt_plot_ink, true);
		}
		n++;
		kt_plot_join(letters, sizeof(letters), &a->arrow->letters);
		y = kt_plot_paragraph(plot->scene, x + indent, y, width - indent, letters,
				      all ? SIZE_MAX : 2, kt_plot_grey);
	}
	return y;
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

void kt_column_plot_foot(struct kt_column_plot *plot, double x)
{
	char text[128];

	if (plot->at.left_out) {
		snprintf(text, sizeof(text),
			 "%zu rare arrow%s not drawn, %" PRIu64 " time%s",
			 plot->at.left_out, kt_plot_plural(plot->at.left_out),
			 plot->at.left_out_counts,
			 kt_plot_plural(plot->at.left_out_counts));
		kt_plot_text(plot->scene, x, plot->at.bottom + 14, text, KT_PLOT_TEXT,
			     KT_ANCHOR_START, kt_plot_grey, false);
	}
}
