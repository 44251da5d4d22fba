/* SPDX-License-Identifier: MIT */
#include "viz/plot-distilled.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include <ktail/status.h>

#include "base/try.h"
#include "viz/plot-column.h"

#define MARGIN       24.0
#define TOP          132.0
#define SYSTEM_WIDTH 310.0
#define SYSTEM_STUB  172.0
#define SYSTEM_GAP   30.0 /* between the two columns */
/* From the left edge of the user's column */
#define USER_X      236.0
#define USER_WIDTH  410.0
#define USER_STUB   46.0
#define CALLS_X     806.0
#define CALLS_WIDTH (USER_END - MARGIN - CALLS_X)
#define USER_END    1200.0

#define LEGEND                                                                             \
	"Solid frames: states of figure 4 of Menychtas, Shen and Scott (2013). "           \
	"Dashed frames: not among them. Numbers at arrows: how often."

static const struct kt_colour line_grey = {0xc9, 0xce, 0xd4};
static const struct kt_colour pale = {0xf6, 0xf7, 0xf9};

struct plot {
	struct kt_scene *scene;
	const struct kt_distilled_view *view;
	struct kt_column_plot system;
	struct kt_column_plot user;
	double left; /* left edge of the user's column, with the arrows' margin */
};

/* --- calls --- */

/* Draws the calls in which the letters of a state are. */
static void put_calls(struct plot *plot, size_t state)
{
	const struct kt_distilled_lines *lines = &plot->view->user.states[state].user;
	const double x = plot->left + CALLS_X;
	const struct kt_placed_box *at = &plot->user.at.boxes[state];
	size_t n = kt_plot_listed(lines);
	const struct kt_point2 join[] = {
		{plot->user.x + plot->user.width, at->top + KT_PLOT_HEAD - 4},
		{x, at->top + KT_PLOT_HEAD - 4}};
	double height = kt_plot_lines_height(lines) + KT_PLOT_PAD + 4;
	double y = at->top + KT_PLOT_HEAD - 2;

	if (n == 0 || !plot->view->calls) {
		return;
	}
	kt_scene_line(plot->scene, join, 2, 0.8, line_grey, true);
	kt_scene_rectangle(plot->scene, x, at->top, CALLS_WIDTH, height, pale);
	kt_plot_frame(plot->scene, x, at->top, CALLS_WIDTH, height, line_grey, false);
	for (size_t i = 0; i < n; i++) {
		const struct kt_distilled_line *line = &lines->items[i];
		char figure[96] = "";
		size_t length = 0;

		if (line->text) {
			length = (size_t)snprintf(figure, sizeof(figure),
						  "%" PRIu64 " call%s, ", line->calls,
						  kt_plot_plural(line->calls));
		}
		snprintf(figure + length, sizeof(figure) - length, "%" PRIu64 " letter%s",
			 line->count, kt_plot_plural(line->count));
		kt_plot_line(plot->scene, x, CALLS_WIDTH, y,
			     line->text ? line->text : "outside of calls", figure,
			     line->text ? kt_plot_ink : kt_plot_grey);
		y += KT_PLOT_LINE;
	}
	kt_plot_more(plot->scene, x, y, lines);
}

/* --- head and foot --- */

static void put_heading(struct plot *plot, const char *title)
{
	const struct kt_distilled_view *v = plot->view;
	char text[1024];
	char line[1024];
	size_t n;

	kt_scene_group(plot->scene, "heading");
	kt_plot_text(plot->scene, MARGIN, 36,
		     title           ? title
		     : v->n_machines ? "The distilled machines, merged"
				     : "The machine, distilled",
		     20, KT_ANCHOR_START, kt_plot_ink, true);
	n = (size_t)snprintf(
		text, sizeof(text), "%" PRIu64 " letter%s of %" PRIu64 " word%s",
		v->letters, kt_plot_plural(v->letters), v->words, kt_plot_plural(v->words));
	if (v->ended < v->words) {
		n += (size_t)snprintf(text + n, sizeof(text) - n,
				      ", %" PRIu64 " without a known end",
				      v->words - v->ended);
	}
	if (!v->no_k) {
		n += (size_t)snprintf(text + n, sizeof(text) - n, "  ·  k = %" PRIu64,
				      v->k);
	}
	if (v->unplaced) {
		n += (size_t)snprintf(text + n, sizeof(text) - n,
				      "  ·  %" PRIu64 " letters not in the machine",
				      v->unplaced);
	}
	for (size_t i = 0; i < v->n_machines && n + 300 < sizeof(text); i++) {
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%.200s",
				      i ? ", " : "  ·  ", v->machines[i]);
	}
	for (size_t i = 0; i < v->n_traces && !v->n_machines && n + 300 < sizeof(text);
	     i++) {
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%.200s",
				      i ? ", " : "  ·  ", v->traces[i]);
	}
	kt_plot_fit(line, sizeof(line), text, plot->scene->width - 2 * MARGIN, 12);
	kt_plot_text(plot->scene, MARGIN, 58, line, 12, KT_ANCHOR_START, kt_plot_ink,
		     false);
	kt_plot_text(plot->scene, MARGIN, 76,
		     v->n_machines > 1 ? LEGEND " Dashed arrows: not in all machines."
				       : LEGEND,
		     KT_PLOT_TEXT, KT_ANCHOR_START, kt_plot_grey, false);
	if (v->system.n_states) {
		kt_plot_text(plot->scene, plot->system.x, TOP - 16,
			     "System interface: the lifetime of a buffer", 13,
			     KT_ANCHOR_START, kt_plot_ink, true);
	}
	kt_plot_text(plot->scene, plot->user.x, TOP - 16,
		     "User interface: what the driver does", 13, KT_ANCHOR_START,
		     kt_plot_ink, true);
	if (v->calls) {
		kt_plot_text(plot->scene, plot->left + CALLS_X, TOP - 16, "in which calls",
			     13, KT_ANCHOR_START, kt_plot_ink, true);
	} else {
		kt_plot_text(plot->scene, plot->user.x + plot->user.width, TOP - 16,
			     "no calls in the traces", KT_PLOT_TEXT, KT_ANCHOR_END,
			     kt_plot_grey, false);
	}
}

/* --- the picture --- */

static int arrange(struct plot *plot)
{
	const uint64_t all = plot->view->letters + plot->view->ended;

	KT_TRY(kt_column_plot_arrange(&plot->user, all, TOP));
	if (plot->view->system.n_states) {
		double width;

		KT_TRY(kt_column_plot_arrange(&plot->system, all, TOP));
		width = MARGIN + kt_column_plot_margin(&plot->system, KT_LANE_LEFT);
		plot->system.x = width;
		width += SYSTEM_WIDTH + SYSTEM_GAP +
			 kt_column_plot_margin(&plot->system, KT_LANE_RIGHT);
		/* Do not leave more space for the arrows between the columns than they
		 * need. */
		width -= fmax(0, USER_X - MARGIN -
					 kt_column_plot_margin(&plot->user, KT_LANE_LEFT));
		plot->left = width - MARGIN;
		for (int i = KT_LANE_LEFT; i <= KT_LANE_RIGHT; i++) {
			kt_column_plot_fit(&plot->system, (enum kt_lane_margin)i, INFINITY);
		}
	}
	plot->user.x = plot->left + USER_X;
	kt_column_plot_fit(&plot->user, KT_LANE_LEFT, USER_X - MARGIN);
	kt_column_plot_fit(&plot->user, KT_LANE_RIGHT, CALLS_X - USER_X - USER_WIDTH - 14);
	return KT_OK;
}

static void draw(struct plot *plot, const char *title)
{
	struct kt_column_plot *columns[] = {&plot->system, &plot->user};
	static const char *const names[] = {"system", "user"};

	put_heading(plot, title);
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
			kt_column_plot_foot(columns[i]);
		}
	}
}

int kt_plot_distilled(struct kt_scene *scene, const struct kt_distilled_view *view,
		      const char *title)
{
	struct plot plot = {
		.scene = scene,
		.view = view,
		.system = {.scene = scene,
			   .column = &view->system,
			   .narrow = true,
			   .n_machines = view->n_machines,
			   .width = SYSTEM_WIDTH,
			   .stub = SYSTEM_STUB},
		.user = {.scene = scene,
			 .column = &view->user,
			 .n_machines = view->n_machines,
			 .width = USER_WIDTH,
			 .stub = USER_STUB},
	};
	int code = arrange(&plot);

	if (!code) {
		/* Without API calls, there is no space for them. */
		scene->width = plot.left + (view->calls ? USER_END : CALLS_X + MARGIN);
		scene->height = fmax(plot.system.at.bottom, plot.user.at.bottom) + 44;
		draw(&plot, title);
		code = scene->code;
	}
	kt_arrangement_clear(&plot.system.at);
	kt_arrangement_clear(&plot.user.at);
	return code;
}
