/* SPDX-License-Identifier: MIT */
#include "viz/plots/plot-distilled.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include <ktail/status.h>

#include "base/try.h"
#include "viz/drawing/head-text.h"
#include "viz/plots/plot-column.h"

#define WIDTH      796.0 /* on a page of 178 mm, texts then have 6 pt */
#define PAGE_RATIO 1.39  /* height of a page by its width */
#define MARGIN     8.0
#define TOP        92.0  /* of the boxes */
#define GAP        10.0  /* between the columns, with the arrows beside them */
#define FOOT       20.0  /* below a column, for the number of arrows that are not drawn */
#define FIGURES    36.0  /* width of the number of letters in a call */
#define HEADING    10.0  /* size of the headings of columns */
#define INDENT     100.0 /* indent of a state's letters in the list of letters */
#define BETWEEN    "  ·  " /* items of the head */
#define BELOW      10.0  /* between the last list and the end of the picture */

/*
 * For each column, its share of the width that is left beside the arrows, and the maximum
 * width that it needs.
 */
static const struct {
	double share;
	double most;
} widths[] = {{0.27, 220}, {0.37, 300}, {0.36, 300}};

enum { SYSTEM, USER, CALLS, COLUMNS };

#define LEGEND                                                                             \
	"Solid frames: states of figure 4 of Menychtas, Shen and Scott (2013); dashed: "   \
	"not among them. Beside a state's name: the phase of most of its letters, its "    \
	"visits, and in parentheses those from the state itself. Numbers at arrows: how "  \
	"often."

static const struct kt_colour line_grey = {0xc9, 0xce, 0xd4};
static const struct kt_colour pale = {0xf6, 0xf7, 0xf9};

struct plot {
	struct kt_scene *scene;               /* Weak */
	const struct kt_distilled_view *view; /* Weak */
	const struct kt_dot_options *options; /* Weak */
	struct kt_column_plot system;
	struct kt_column_plot user;
	double middle; /* right edge of the system's column, with its arrows */
	double calls_x;
	double calls_width;
	double bottom; /* of columns and keys */
};

/* --- calls --- */

/*
 * Draws the API calls in which the letters of a state occurred, at the height of its box.
 */
static void put_calls(struct plot *plot, size_t state)
{
	const struct kt_distilled_lines *lines = &plot->view->user.states[state].user;
	const double x = plot->calls_x;
	const double width = plot->calls_width;
	const size_t listed = plot->user.listed;
	const struct kt_placed_box *at = &plot->user.at.boxes[state];
	size_t n = kt_plot_listed(lines, listed);
	double height = kt_plot_lines_height(lines, listed) + KT_PLOT_PAD;
	double y = at->top + KT_PLOT_HEAD - 1;

	if (n == 0 || !plot->view->calls) {
		return;
	}
	kt_scene_rectangle(plot->scene, x, at->top, width, height, pale);
	kt_plot_frame(plot->scene, x, at->top, width, height, line_grey, false);
	for (size_t i = 0; i < n; i++) {
		const struct kt_distilled_line *line = &lines->items[i];
		char figure[32];

		snprintf(figure, sizeof(figure), "%" PRIu64, line->count);
		kt_plot_text(plot->scene, x + width - KT_PLOT_PAD, y, figure, KT_PLOT_TEXT,
			     KT_ANCHOR_END, kt_plot_grey, false);
		snprintf(figure, sizeof(figure), "%" PRIu64, line->calls);
		kt_plot_line(plot->scene, x, width - FIGURES, y,
			     line->text ? line->text : "outside of calls",
			     line->text ? figure : "",
			     line->text ? kt_plot_ink : kt_plot_grey);
		y += KT_PLOT_LINE;
	}
	kt_plot_more(plot->scene, x, y, lines, listed);
}

/* --- head and foot --- */

static void put_column_heading(struct plot *plot, double x, double width, const char *text)
{
	char line[256];

	kt_plot_fit(line, sizeof(line), text, width, HEADING, true);
	kt_plot_text(plot->scene, x, TOP - 10, line, HEADING, KT_ANCHOR_START, kt_plot_ink,
		     true);
}

static void put_heading(struct plot *plot)
{
	const struct kt_distilled_view *v = plot->view;
	const char *title = plot->options->title;
	const double width = WIDTH - 2 * MARGIN;
	char versions[512];
	char text[2048];
	size_t n;

	kt_scene_group(plot->scene, "heading");
	kt_plot_text(plot->scene, MARGIN, 20,
		     title           ? title
		     : v->n_machines ? "The distilled machines, merged"
				     : "The machine, distilled",
		     15, KT_ANCHOR_START, kt_plot_ink, true);
	n = (size_t)snprintf(
		text, sizeof(text), "%" PRIu64 " letter%s of %" PRIu64 " word%s",
		v->letters, kt_plot_plural(v->letters), v->words, kt_plot_plural(v->words));
	if (v->ended < v->words) {
		n += (size_t)snprintf(text + n, sizeof(text) - n,
				      ", %" PRIu64 " without a known end",
				      v->words - v->ended);
	}
	if (!v->no_k) {
		n += (size_t)snprintf(text + n, sizeof(text) - n, BETWEEN "k = %" PRIu64,
				      v->k);
	}
	if (v->alphabet) {
		n += (size_t)snprintf(text + n, sizeof(text) - n, BETWEEN "alphabet %.64s",
				      v->alphabet);
	}
	if (kt_head_versions(versions, sizeof(versions), &v->versions, BETWEEN)) {
		n += (size_t)snprintf(text + n, sizeof(text) - n, BETWEEN "%s", versions);
	}
	if (v->unplaced) {
		n += (size_t)snprintf(text + n, sizeof(text) - n,
				      BETWEEN "%" PRIu64 " letters not in the machine",
				      v->unplaced);
	}
	for (size_t i = 0; i < v->n_machines && n + 300 < sizeof(text); i++) {
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%.200s",
				      i ? ", " : BETWEEN, v->machines[i]);
	}
	for (size_t i = 0; i < v->n_traces && !v->n_machines && n + 300 < sizeof(text);
	     i++) {
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%.200s",
				      i ? ", " : BETWEEN, v->traces[i]);
	}
	kt_plot_paragraph(plot->scene, MARGIN, 36, width, text, 1, kt_plot_ink);
	kt_plot_paragraph(plot->scene, MARGIN, 50, width,
			  v->n_machines > 1 ? LEGEND " Dashed arrows: not in all machines."
					    : LEGEND,
			  2, kt_plot_grey);
	if (v->system.n_states) {
		put_column_heading(plot, MARGIN, plot->user.x - MARGIN,
				   "System interface: the lifetime of a buffer");
	}
	put_column_heading(plot, plot->user.x, plot->calls_x - plot->user.x,
			   "User interface: what the driver does");
	if (v->calls) {
		put_column_heading(plot, plot->calls_x, plot->calls_width,
				   "in calls: how often, letters");
	} else {
		kt_plot_text(plot->scene, WIDTH - MARGIN, TOP - 10,
			     "no calls in the traces", KT_PLOT_TEXT, KT_ANCHOR_END,
			     kt_plot_grey, false);
	}
}

/* Lists all letters of the states below the columns. Returns y after the last line. */
static double put_letters(struct plot *plot, double y)
{
	const struct kt_column_plot *columns[] = {&plot->system, &plot->user};

	for (size_t i = 0; i < 2; i++) {
		for (size_t j = 0; j < columns[i]->column->n_states; j++) {
			const struct kt_distilled_box *box = &columns[i]->column->states[j];
			char text[8192];
			char name[256];

			if (!box->letters.n) {
				continue;
			}
			kt_plot_fit(name, sizeof(name), box->name, INDENT - 6, KT_PLOT_TEXT,
				    true);
			kt_plot_text(plot->scene, MARGIN, y, name, KT_PLOT_TEXT,
				     KT_ANCHOR_START, kt_plot_ink, true);
			kt_plot_join(text, sizeof(text), &box->letters);
			y = kt_plot_paragraph(plot->scene, MARGIN + INDENT, y,
					      WIDTH - 2 * MARGIN - INDENT, text, SIZE_MAX,
					      kt_plot_grey);
		}
	}
	return y;
}

/*
 * Lists the letters of the system's arrows below that column. Without plot->system.scene,
 * nothing is drawn. Returns y after the last line.
 */
static double put_keys(struct plot *plot)
{
	const double y = plot->system.at.bottom + FOOT;

	return plot->view->system.n_states
		       ? kt_column_plot_keys(&plot->system, MARGIN, y + KT_PLOT_LINE,
					     plot->middle - MARGIN, plot->options->list)
		       : y;
}

/* --- the picture --- */

/* Divides among the columns the width that is left beside their arrows. */
static void divide(struct plot *plot)
{
	struct kt_column_plot *columns[] = {&plot->system, &plot->user};
	double margins[2][2] = {{0}};
	double left = WIDTH - 2 * MARGIN;
	double shares = 0;
	double x = MARGIN;

	for (size_t i = 0; i < COLUMNS; i++) {
		bool drawn =
			i == CALLS ? plot->view->calls : columns[i]->column->n_states > 0;

		for (size_t j = 0; drawn && i < CALLS && j < 2; j++) {
			margins[i][j] =
				kt_column_plot_margin(columns[i], (enum kt_lane_margin)j);
			left -= margins[i][j];
		}
		shares += drawn ? widths[i].share : 0;
		left -= drawn ? GAP : 0;
	}
	for (size_t i = 0; i < CALLS; i++) {
		if (columns[i]->column->n_states) {
			columns[i]->x = x + margins[i][0];
			columns[i]->width =
				fmin(left * widths[i].share / shares, widths[i].most);
			x = columns[i]->x + columns[i]->width + margins[i][1] + GAP;
			plot->middle = i == SYSTEM ? x - GAP : plot->middle;
		}
	}
	plot->calls_x = x;
	plot->calls_width = fmin(left * widths[CALLS].share / shares, widths[CALLS].most);
}

/* Arranges everything and finds out how high it is. */
static int arrange(struct plot *plot)
{
	const uint64_t all = plot->view->letters + plot->view->ended;

	KT_TRY(kt_column_plot_arrange(&plot->user, all, TOP));
	KT_TRY(kt_column_plot_arrange(&plot->system, all, TOP));
	divide(plot);
	plot->bottom = fmax(put_keys(plot), plot->user.at.bottom + FOOT);
	plot->scene->height = plot->bottom + BELOW;
	return KT_OK;
}

/* Arranges everything with lists as long as the page allows. */
static int arrange_to_fit(struct plot *plot)
{
	const double most = plot->scene->page > 0 ? PAGE_RATIO * WIDTH : INFINITY;

	for (size_t listed = KT_PLOT_LISTED;; listed--) {
		for (int letters = 1; letters >= 0; letters--) {
			plot->user.listed = listed;
			plot->user.letters = letters;
			plot->system.letters = letters;
			KT_TRY(arrange(plot));
			if (plot->scene->height <= most || (listed == 2 && !letters)) {
				return KT_OK;
			}
		}
	}
}

static void draw(struct plot *plot)
{
	struct kt_column_plot *columns[] = {&plot->system, &plot->user};
	static const char *const names[] = {"system", "user"};

	plot->system.scene = plot->user.scene = plot->scene;
	put_heading(plot);
	kt_scene_group(plot->scene, "calls");
	for (size_t i = 0; i < plot->view->user.n_states; i++) {
		put_calls(plot, i);
	}
	for (size_t i = 0; i < 2; i++) {
		if (columns[i]->column->n_states) {
			kt_scene_group(plot->scene, names[i]);
			kt_column_plot_boxes(columns[i]);
			kt_scene_group(plot->scene, "arrows");
			kt_column_plot_arrows(columns[i]);
			kt_scene_group(plot->scene, "states");
			kt_column_plot_hovers(columns[i]);
			kt_column_plot_foot(columns[i],
					    i == SYSTEM ? MARGIN : columns[i]->x);
		}
	}
	kt_scene_group(plot->scene, "letters");
	put_keys(plot);
	if (plot->options->list) {
		plot->bottom = put_letters(plot, plot->bottom + KT_PLOT_LINE);
		plot->scene->height = plot->bottom + BELOW;
	}
}

int kt_plot_distilled(struct kt_scene *scene, const struct kt_distilled_view *view,
		      const struct kt_dot_options *options)
{
	struct plot plot = {
		.scene = scene,
		.view = view,
		.options = options,
		.system = {.column = &view->system,
			   .narrow = true,
			   .n_machines = view->n_machines,
			   .listed = 1},
		.user = {.column = &view->user, .n_machines = view->n_machines},
	};
	int code = arrange_to_fit(&plot);

	if (!code) {
		scene->width = WIDTH;
		draw(&plot);
		code = scene->code;
	}
	kt_arrangement_clear(&plot.system.at);
	kt_arrangement_clear(&plot.user.at);
	return code;
}
