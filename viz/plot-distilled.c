/* SPDX-License-Identifier: MIT */
#include "viz/plot-distilled.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <ktail/status.h>

#include "base/try.h"
#include "base/utf8.h"
#include "viz/arrange-distilled.h"

#define WIDTH        1200.0
#define MARGIN       24.0
#define SYSTEM_X     236.0
#define SYSTEM_WIDTH 410.0
#define USER_X       806.0
#define USER_WIDTH   (WIDTH - MARGIN - USER_X)
#define TOP          132.0
#define STUB         46.0 /* length of an arrow from its box to the first lane */
#define LANE         13.0 /* distance between lanes, if there is enough space */
#define PAD          10.0
#define TEXT_SIZE    11.0
#define COUNT_SIZE   9.5
#define HEAD         20.0 /* distance from a box's top to the baseline of its name */

static const struct kt_colour ink = {0x20, 0x24, 0x2b};
static const struct kt_colour grey = {0x5f, 0x66, 0x70};
static const struct kt_colour line_grey = {0xc9, 0xce, 0xd4};
static const struct kt_colour pale = {0xf6, 0xf7, 0xf9};
static const struct kt_colour new_colour = {0x7a, 0x3e, 0x9d};

struct plot {
	struct kt_scene *scene;
	const struct kt_distilled_view *view;
	struct kt_arrangement at;
	uint64_t busiest;      /* highest number of visits of a box */
	uint64_t most;         /* highest count of a drawn arrow */
	double lane_widths[2]; /* distances between lanes: left, right */
};

/*
 * Returns the width of the picture. Without API calls, there is no column for the user
 * interface.
 */
static double width_of(const struct kt_distilled_view *view)
{
	return view->calls ? WIDTH : USER_X + MARGIN;
}

/* --- texts --- */

static void put_text(struct plot *plot, double x, double y, const char *text, double size,
		     enum kt_anchor anchor, struct kt_colour colour, bool bold)
{
	struct kt_shape *shape =
		kt_scene_text(plot->scene, x, y, text, size, anchor, colour);

	if (shape) {
		shape->bold = bold;
	}
}

/* Copies a text, truncated to a width in points; truncated text ends in "…". */
static void fit_text(char *out, size_t size, const char *text, double width,
		     double text_size)
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

/* Writes a line of a list: the text on the left, the figure on the right. */
static void put_line(struct plot *plot, double x, double width, double y, const char *text,
		     const char *figure, struct kt_colour colour)
{
	double available = width - 2 * PAD - kt_text_width(figure, TEXT_SIZE) - 8;
	char line[512];

	fit_text(line, sizeof(line), text, available, TEXT_SIZE);
	put_text(plot, x + PAD, y, line, TEXT_SIZE, KT_ANCHOR_START, colour, false);
	put_text(plot, x + width - PAD, y, figure, TEXT_SIZE, KT_ANCHOR_END, grey, false);
}

static const char *plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

/* --- boxes --- */

static void put_frame(struct plot *plot, double x, double y, double width, double height,
		      struct kt_colour colour, bool dashed)
{
	const struct kt_point2 points[] = {
		{x, y}, {x + width, y}, {x + width, y + height}, {x, y + height}, {x, y}};

	kt_scene_line(plot->scene, points, 5, dashed ? 1.4 : 1.2, colour, dashed);
}

static void put_more(struct plot *plot, double x, double y,
		     const struct kt_distilled_lines *lines, size_t listed)
{
	uint64_t more = lines->n - listed + lines->more;
	char text[64];

	if (more) {
		snprintf(text, sizeof(text), "and %" PRIu64 " more", more);
		put_text(plot, x + PAD, y, text, TEXT_SIZE, KT_ANCHOR_START, grey, false);
	}
}

static void put_head(struct plot *plot, const struct kt_distilled_box *box, size_t state,
		     double top)
{
	uint64_t loops = 0;
	char text[256];
	char name[256];
	size_t n;

	for (size_t i = 0; i < plot->view->n_arrows; i++) {
		const struct kt_distilled_arrow *a = &plot->view->arrows[i];

		if (a->from == state && a->to == state) {
			loops = a->count;
			break;
		}
	}
	n = (size_t)snprintf(text, sizeof(text), "%" PRIu64 " visit%s", box->visits,
			     plural(box->visits));
	if (loops) {
		n += (size_t)snprintf(text + n, sizeof(text) - n,
				      ", %" PRIu64 " from itself", loops);
	}
	if (box->merged) {
		snprintf(text + n, sizeof(text) - n, "  ·  %" PRIu64 " state%s",
			 box->merged, plural(box->merged));
	}
	fit_text(name, sizeof(name), box->name,
		 SYSTEM_WIDTH - 2 * PAD - kt_text_width(text, TEXT_SIZE) - 8, 14);
	put_text(plot, SYSTEM_X + PAD, top + HEAD, name, 14, KT_ANCHOR_START,
		 box->paper ? ink : new_colour, true);
	put_text(plot, SYSTEM_X + SYSTEM_WIDTH - PAD, top + HEAD, text, TEXT_SIZE,
		 KT_ANCHOR_END, ink, false);
}

/* Draws a state's box: from top to bottom, the state's name, labels and letters. */
static void put_system_box(struct plot *plot, size_t state)
{
	const struct kt_distilled_box *box = &plot->view->states[state];
	const struct kt_placed_box *at = &plot->at.boxes[state];
	const struct kt_distilled_lines *lines = &box->system;
	size_t n = lines->n < KT_DISTILLED_LISTED ? lines->n : KT_DISTILLED_LISTED;
	double y = at->top + HEAD + KT_DISTILLED_LINE + 3;
	char text[512] = "";
	char line[512];
	size_t length = 0;

	kt_scene_rectangle(plot->scene, SYSTEM_X, at->top, SYSTEM_WIDTH, at->height,
			   kt_temperature_tint(kt_temperature(box->visits, plot->busiest)));
	put_frame(plot, SYSTEM_X, at->top, SYSTEM_WIDTH, at->height,
		  box->paper ? ink : new_colour, !box->paper);
	put_head(plot, box, state, at->top);
	for (size_t i = 0; i < n; i++) {
		const char *label = lines->items[i].text;
		char figure[32];

		snprintf(figure, sizeof(figure), "%" PRIu64, lines->items[i].count);
		put_line(plot, SYSTEM_X, SYSTEM_WIDTH, y, label ? label : "no label",
			 figure, label ? ink : grey);
		y += KT_DISTILLED_LINE;
	}
	put_more(plot, SYSTEM_X, y, lines, n);
	if (!box->letters.n) {
		return;
	}
	y += lines->n > n || lines->more ? KT_DISTILLED_LINE : 0;
	lines = &box->letters;
	for (size_t i = 0; i < lines->n && length + 96 < sizeof(text); i++) {
		length += (size_t)snprintf(
			text + length, sizeof(text) - length, "%s%.64s %" PRIu64,
			i ? "  " : "", lines->items[i].text ? lines->items[i].text : "?",
			lines->items[i].count);
	}
	/*
	 * NVIDIA's names (with '_') are in capitals, which are wider than kt_text_width()
	 * assumes, so allow fewer characters.
	 */
	fit_text(line, sizeof(line), text,
		 (SYSTEM_WIDTH - 2 * PAD) * (strchr(text, '_') ? 0.8 : 1), COUNT_SIZE);
	put_text(plot, SYSTEM_X + PAD, y, line, COUNT_SIZE, KT_ANCHOR_START, grey, false);
}

static void put_user_box(struct plot *plot, size_t state)
{
	const struct kt_distilled_lines *lines = &plot->view->states[state].user;
	const struct kt_placed_box *at = &plot->at.boxes[state];
	size_t n = lines->n < KT_DISTILLED_LISTED ? lines->n : KT_DISTILLED_LISTED;
	const struct kt_point2 join[] = {{SYSTEM_X + SYSTEM_WIDTH, at->top + HEAD - 4},
					 {USER_X, at->top + HEAD - 4}};
	bool more = lines->n > n || lines->more;
	double height = (double)(n + more) * KT_DISTILLED_LINE + PAD + 4;
	double y = at->top + HEAD - 2;

	if (n == 0 || !plot->view->calls) {
		return;
	}
	kt_scene_line(plot->scene, join, 2, 0.8, line_grey, true);
	kt_scene_rectangle(plot->scene, USER_X, at->top, USER_WIDTH, height, pale);
	put_frame(plot, USER_X, at->top, USER_WIDTH, height, line_grey, false);
	for (size_t i = 0; i < n; i++) {
		const struct kt_distilled_line *line = &lines->items[i];
		char figure[96] = "";
		size_t length = 0;

		if (line->text) {
			length = (size_t)snprintf(figure, sizeof(figure),
						  "%" PRIu64 " call%s, ", line->calls,
						  plural(line->calls));
		}
		snprintf(figure + length, sizeof(figure) - length, "%" PRIu64 " letter%s",
			 line->count, plural(line->count));
		put_line(plot, USER_X, USER_WIDTH, y,
			 line->text ? line->text : "outside of calls", figure,
			 line->text ? ink : grey);
		y += KT_DISTILLED_LINE;
	}
	put_more(plot, USER_X, y, lines, n);
}

/* --- arrows --- */

/*
 * Draws each arrow with its tip and count. An arrow leads straight down to the next box, or
 * around the boxes between its ends.
 */
static void put_arrows(struct plot *plot)
{
	for (size_t i = 0; i < plot->at.n_arrows; i++) {
		const struct kt_placed_arrow *a = &plot->at.arrows[i];
		double temperature = kt_temperature(a->arrow->count, plot->most);
		struct kt_colour colour = kt_temperature_stroke(temperature);
		double width = 0.8 + 1.6 * temperature;
		bool down = a->margin == KT_LANE_NONE;
		bool right = a->margin == KT_LANE_RIGHT;
		double away = right ? 1 : -1;
		double x = down    ? SYSTEM_X + SYSTEM_WIDTH / 2
			   : right ? SYSTEM_X + SYSTEM_WIDTH
				   : SYSTEM_X;
		double lane =
			down ? x
			     : x + away * (STUB + a->lane * plot->lane_widths[a->margin]);
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
		char text[32];

		kt_scene_line(plot->scene, down ? straight : around, down ? 2 : 4, width,
			      colour, false);
		kt_scene_line(plot->scene, tip, 3, width, colour, false);
		snprintf(text, sizeof(text), "%" PRIu64, a->arrow->count);
		put_text(plot, down ? x + 8 : x + away * 5,
			 down ? (a->from + a->to) / 2 + 3 : a->from - 2.5, text, COUNT_SIZE,
			 down || right ? KT_ANCHOR_START : KT_ANCHOR_END, colour, false);
	}
}

/* --- tooltips --- */

static size_t say_arrows(char *text, size_t size, const struct plot *plot, size_t state,
			 bool out)
{
	size_t n = 0;
	bool any = false;

	for (size_t i = 0; i < plot->view->n_arrows; i++) {
		const struct kt_distilled_arrow *a = &plot->view->arrows[i];
		size_t here = out ? a->from : a->to;
		size_t other = out ? a->to : a->from;

		if (here == state && n + 120 < size) {
			n += (size_t)snprintf(text + n, size - n, "%s%.64s %" PRIu64,
					      any   ? ", "
					      : out ? "; to "
						    : "; from ",
					      plot->view->states[other].name, a->count);
			any = true;
		}
	}
	return n;
}

static void put_hover(struct plot *plot, size_t state)
{
	const struct kt_distilled_box *box = &plot->view->states[state];
	const struct kt_placed_box *at = &plot->at.boxes[state];
	char text[4096];
	size_t n = (size_t)snprintf(text, sizeof(text), "%.64s: %" PRIu64 " visit%s",
				    box->name, box->visits, plural(box->visits));

	if (box->phase && n + 100 < sizeof(text)) {
		n += (size_t)snprintf(text + n, sizeof(text) - n, ", mostly %.16s",
				      box->phase);
	}
	n += say_arrows(text + n, sizeof(text) - n, plot, state, false);
	say_arrows(text + n, sizeof(text) - n, plot, state, true);
	kt_scene_hover(plot->scene, SYSTEM_X, at->top, SYSTEM_WIDTH, at->height, text);
}

/* --- head and foot --- */

static void put_heading(struct plot *plot, const char *title)
{
	const struct kt_distilled_view *v = plot->view;
	char text[1024];
	char line[1024];
	size_t n;

	kt_scene_group(plot->scene, "heading");
	put_text(plot, MARGIN, 36, title ? title : "The machine, distilled", 20,
		 KT_ANCHOR_START, ink, true);
	n = (size_t)snprintf(text, sizeof(text),
			     "%" PRIu64 " letter%s of %" PRIu64 " word%s", v->letters,
			     plural(v->letters), v->words, plural(v->words));
	if (!v->no_k) {
		n += (size_t)snprintf(text + n, sizeof(text) - n, "  ·  k = %" PRIu64,
				      v->k);
	}
	if (v->unplaced) {
		n += (size_t)snprintf(text + n, sizeof(text) - n,
				      "  ·  %" PRIu64 " letters not in the machine",
				      v->unplaced);
	}
	for (size_t i = 0; i < v->n_traces && n + 300 < sizeof(text); i++) {
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%.200s",
				      i ? ", " : "  ·  ", v->traces[i]);
	}
	fit_text(line, sizeof(line), text, width_of(v) - 2 * MARGIN, 12);
	put_text(plot, MARGIN, 58, line, 12, KT_ANCHOR_START, ink, false);
	put_text(plot, MARGIN, 76,
		 "Solid frames: states of figure 4 of Menychtas, Shen and Scott (2013). "
		 "Dashed frames: not among them. Numbers at arrows: how often.",
		 TEXT_SIZE, KT_ANCHOR_START, grey, false);
	put_text(plot, SYSTEM_X, TOP - 16, "System interface: what the driver does", 13,
		 KT_ANCHOR_START, ink, true);
	if (v->calls) {
		put_text(plot, USER_X, TOP - 16, "User interface: in which calls", 13,
			 KT_ANCHOR_START, ink, true);
	} else {
		put_text(plot, SYSTEM_X + SYSTEM_WIDTH, TOP - 16, "no calls in the traces",
			 TEXT_SIZE, KT_ANCHOR_END, grey, false);
	}
}

int kt_plot_distilled(struct kt_scene *scene, const struct kt_distilled_view *view,
		      const char *title)
{
	static const double lane_space[] = {[KT_LANE_LEFT] = SYSTEM_X - MARGIN,
					    [KT_LANE_RIGHT] =
						    USER_X - SYSTEM_X - SYSTEM_WIDTH - 14};
	struct plot plot = {.scene = scene, .view = view};
	char text[128];

	KT_TRY(kt_arrange_distilled(&plot.at, view, TOP));
	for (size_t i = 0; i < view->n_states; i++) {
		uint64_t visits = view->states[i].visits;

		plot.busiest = visits > plot.busiest ? visits : plot.busiest;
	}
	for (size_t i = 0; i < plot.at.n_arrows; i++) {
		uint64_t count = plot.at.arrows[i].arrow->count;

		plot.most = count > plot.most ? count : plot.most;
	}
	for (int margin = KT_LANE_LEFT; margin <= KT_LANE_RIGHT; margin++) {
		uint32_t lanes = plot.at.lanes[margin];

		plot.lane_widths[margin] =
			lanes > 1 ? fmin(LANE, (lane_space[margin] - STUB) / (lanes - 1))
				  : LANE;
	}
	scene->width = width_of(view);
	scene->height = plot.at.bottom + 44;
	put_heading(&plot, title);
	kt_scene_group(scene, "user");
	for (size_t i = 0; i < view->n_states; i++) {
		put_user_box(&plot, i);
	}
	kt_scene_group(scene, "system");
	for (size_t i = 0; i < view->n_states; i++) {
		put_system_box(&plot, i);
	}
	kt_scene_group(scene, "arrows");
	put_arrows(&plot);
	kt_scene_group(scene, "states");
	for (size_t i = 0; i < view->n_states; i++) {
		put_hover(&plot, i);
	}
	if (plot.at.left_out) {
		snprintf(text, sizeof(text),
			 "%zu arrow%s not drawn: rarely taken, %" PRIu64 " time%s in total",
			 plot.at.left_out, plural(plot.at.left_out),
			 plot.at.left_out_counts, plural(plot.at.left_out_counts));
		put_text(&plot, SYSTEM_X, plot.at.bottom + 24, text, TEXT_SIZE,
			 KT_ANCHOR_START, grey, false);
	}
	kt_arrangement_clear(&plot.at);
	return scene->code;
}
