/* SPDX-License-Identifier: MIT */
#include "viz/plots/plot-sweep.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "viz/plots/plot-curve.h"
#include "viz/plots/scale.h"
#include "viz/drawing/text-width.h"

#define HOVERS_MAX 250 /* above this many rows, tooltips would make the file large */
#define GAP        1.0 /* space in points on each side of a plateau */
/* Space in points above the curves, with and without the label of the chosen k. */
#define LABELS_HEIGHT    50.0
#define NO_LABELS_HEIGHT 20.0

static const struct kt_colour states_colour = {0x2f, 0x5f, 0xb3};
static const struct kt_colour complex_colour = {0xb8, 0x4a, 0x00};
static const struct kt_colour transitions_colour = {0x8c, 0x93, 0x9d};
static const struct kt_colour plateau_colour = {0xf0, 0xf1, 0xf3};
static const struct kt_colour candidate_colour = {0xd9, 0xe3, 0xf2};
static const struct kt_colour auto_colour = {0x20, 0x24, 0x2b};
static const struct kt_colour runner_up_colour = {0x6b, 0x72, 0x7c};

struct series {
	const char *name;
	const char *group;
	struct kt_curve_style style;
};

/* Later series are drawn over earlier ones. */
static const struct series all_series[] = {
	{"transitions",
	 "transitions",
	 {.colour = &transitions_colour,
	  .width = 1.0,
	  .dot = {3, false},
	  .offset = offsetof(struct kt_sweep_size, transitions)}},
	{"states",
	 "states",
	 {.colour = &states_colour,
	  .width = 2.0,
	  .dot = {5.5, false},
	  .dotted = true,
	  .offset = offsetof(struct kt_sweep_size, states)}},
	{"complex states",
	 "complex",
	 {.colour = &complex_colour,
	  .width = 2.0,
	  .dot = {5, true},
	  .dotted = true,
	  .offset = offsetof(struct kt_sweep_size, complex)}},
};

#define N_SERIES (sizeof(all_series) / sizeof(all_series[0]))

/* --- marked k --- */

/* Returns whether a plateau was a candidate, but a k outside of it was chosen. */
static bool is_runner_up(const struct kt_sweep_table *sweep,
			 const struct kt_sweep_plateau *p)
{
	return p->candidate && sweep->has_auto &&
	       (sweep->auto_k < p->from || sweep->auto_k > p->to);
}

/*
 * Draws a labelled line at the chosen k, and a line at the first k of each candidate
 * plateau that was not chosen, labelled with this k if there is space.
 */
static void draw_marks(struct kt_plot *plot, const struct kt_sweep_table *sweep)
{
	const struct kt_sweep_size *row = kt_sweep_row_of(sweep, sweep->auto_k);
	double end = plot->left;
	struct kt_shape *shape;
	char text[128];
	double half;
	double x;

	kt_scene_group(plot->scene, "runners-up");
	for (size_t i = 0; i < sweep->n_plateaus; i++) {
		const struct kt_sweep_plateau *p = &sweep->plateaus[i];

		if (!is_runner_up(sweep, p)) {
			continue;
		}
		kt_plot_mark(plot, p->from, 1, runner_up_colour, KT_DASH_SHORT);
		snprintf(text, sizeof(text), "%" PRIu64, p->from);
		half = kt_text_width(text, 10) / 2;
		x = kt_scale_k(&plot->x, (double)p->from);
		if (x - half >= end && x + half <= plot->right) {
			kt_scene_text(plot->scene, x, plot->top - 7, text, 10,
				      KT_ANCHOR_MIDDLE, runner_up_colour);
			end = x + half + 4;
		}
	}
	kt_scene_group(plot->scene, "auto");
	if (!sweep->has_auto || !row) {
		return;
	}
	kt_plot_mark(plot, row->k, 1.8, auto_colour, KT_DASH_NONE);
	snprintf(text, sizeof(text),
		 "k = %" PRIu64 ": %" PRIu64 " state%s, %" PRIu64 " complex", row->k,
		 row->states, row->states == 1 ? "" : "s", row->complex);
	half = kt_bold_width(text, 12) / 2;
	x = kt_scale_k(&plot->x, (double)row->k);
	x = x - half < plot->left ? plot->left + half : x;
	x = x + half > plot->right ? plot->right - half : x;
	shape = kt_scene_text(plot->scene, x, plot->top - 20, text, 12, KT_ANCHOR_MIDDLE,
			      auto_colour);
	if (shape) {
		shape->bold = true;
	}
}

/* --- curves --- */

static void draw_curves(struct kt_plot *plot, const struct kt_sweep_table *sweep)
{
	for (size_t i = 0; i < N_SERIES; i++) {
		kt_scene_group(plot->scene, all_series[i].group);
		kt_plot_curve(plot, &all_series[i].style, sweep);
	}
}

static void draw_hovers(struct kt_plot *plot, const struct kt_sweep_table *sweep)
{
	if (sweep->n_rows > HOVERS_MAX) {
		return;
	}
	kt_scene_group(plot->scene, "rows");
	for (size_t i = 0; i < sweep->n_rows; i++) {
		const struct kt_sweep_size *row = &sweep->rows[i];
		double left = kt_scale_k(&plot->x, (double)row->k - 0.5);
		double right = kt_scale_k(&plot->x, (double)row->k + 0.5);
		char text[256];
		size_t n;

		n = (size_t)snprintf(text, sizeof(text),
				     "k = %" PRIu64 ": %" PRIu64 " state%s, %" PRIu64
				     " transition%s, %" PRIu64 " complex",
				     row->k, row->states, row->states == 1 ? "" : "s",
				     row->transitions, row->transitions == 1 ? "" : "s",
				     row->complex);
		if (row->has_shortest) {
			n += (size_t)snprintf(text + n, sizeof(text) - n,
					      ", shortest cycle %" PRIu64, row->shortest);
		}
		if (row->has_components) {
			n += (size_t)snprintf(text + n, sizeof(text) - n,
					      ", components %" PRIu64, row->components);
		}
		if (row->has_self_loops) {
			snprintf(text + n, sizeof(text) - n,
				 ", %.0f %% of letters on self-loops",
				 row->self_loops * 100);
		}
		kt_scene_hover(plot->scene, left, plot->top, right - left,
			       plot->bottom - plot->top, text);
	}
}

/* --- the plot --- */

int kt_plot_sweep(struct kt_scene *scene, const struct kt_sweep_table *sweep,
		  const char *title)
{
	struct kt_plot plot = {.scene = scene};
	uint64_t smallest = UINT64_MAX;
	uint64_t largest = 1;
	bool shaded[2] = {false, false};
	bool runners_up = false;
	char line[256];

	snprintf(line, sizeof(line),
		 "%.64s by %.64s  ·  %" PRIu64 " word%s  ·  %" PRIu64
		 " letter%s  ·  k from %" PRIu64 " to %" PRIu64,
		 sweep->machine, sweep->word, sweep->words, sweep->words == 1 ? "" : "s",
		 sweep->events, sweep->events == 1 ? "" : "s", sweep->rows[0].k,
		 sweep->rows[sweep->n_rows - 1].k);
	kt_plot_begin(&plot, title, line, sweep->has_auto ? sweep->auto_reason : "");
	for (size_t i = 0; i < sweep->n_plateaus; i++) {
		shaded[sweep->plateaus[i].candidate] = true;
		runners_up = runners_up || is_runner_up(sweep, &sweep->plateaus[i]);
	}
	kt_scene_group(scene, "legend");
	for (size_t i = 0; i < N_SERIES; i++) {
		const struct series *series = &all_series[(i + 1) % N_SERIES];
		const struct kt_curve_style *style = &series->style;

		kt_plot_legend_line(&plot, series->name, style->width, *style->colour,
				    style->dotted ? &style->dot : NULL, style->dash);
	}
	if (shaded[false]) {
		kt_plot_legend_area(&plot, "plateau", plateau_colour);
	}
	if (shaded[true]) {
		kt_plot_legend_area(&plot, "plateau that can be chosen", candidate_colour);
	}
	if (sweep->has_auto) {
		kt_plot_legend_line(&plot, "chosen k", 1.8, auto_colour, NULL,
				    KT_DASH_NONE);
	}
	if (runners_up) {
		kt_plot_legend_line(&plot, "other k that can be chosen", 1,
				    runner_up_colour, NULL, KT_DASH_SHORT);
	}
	kt_plot_lay_out(&plot, sweep->has_auto ? LABELS_HEIGHT : NO_LABELS_HEIGHT);
	plot.x = kt_scale_of_k(sweep->rows[0].k, sweep->rows[sweep->n_rows - 1].k,
			       plot.left, plot.right);
	for (size_t i = 0; i < sweep->n_rows; i++) {
		for (size_t j = 0; j < N_SERIES; j++) {
			uint64_t value =
				kt_curve_value(&all_series[j].style, &sweep->rows[i]);

			plot.has_zero = plot.has_zero || value == 0;
			smallest = value && value < smallest ? value : smallest;
			largest = value > largest ? value : largest;
		}
	}
	plot.y = kt_scale_of_sizes(smallest < largest ? smallest : largest, largest,
				   plot.has_zero, plot.bottom, plot.top);
	/* Leave a gap between consecutive plateaus. */
	kt_scene_group(scene, "plateaus");
	for (size_t i = 0; i < sweep->n_plateaus; i++) {
		const struct kt_sweep_plateau *p = &sweep->plateaus[i];
		double left = kt_scale_k(&plot.x, (double)p->from - 0.5);
		double right = kt_scale_k(&plot.x, (double)p->to + 0.5);
		double gap = right - left > 4 * GAP ? GAP : 0;

		kt_scene_rectangle(scene, left + gap, plot.top, right - left - 2 * gap,
				   plot.bottom - plot.top,
				   p->candidate ? candidate_colour : plateau_colour);
	}
	kt_plot_axes(&plot);
	draw_marks(&plot, sweep);
	draw_curves(&plot, sweep);
	draw_hovers(&plot, sweep);
	return scene->code;
}
