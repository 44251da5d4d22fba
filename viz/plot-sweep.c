/* SPDX-License-Identifier: MIT */
#include "viz/plot-sweep.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "viz/plot-frame.h"
#include "viz/scale.h"

#define DOTS_MAX   100 /* above this many rows, markers would merge into a thick line */
#define HOVERS_MAX 250 /* above this many rows, tooltips would make the file large */
#define DOT_SHARE  0.6 /* maximum width of a marker, as a share of the space per row */
#define GAP        1.0 /* space in points on each side of a plateau */

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
	const struct kt_colour *colour; /* Weak */
	double width;
	struct kt_dot dot;
	bool dotted; /* has a marker at every row if there are few rows */
	size_t offset;
};

/* Later series are drawn over earlier ones. */
static const struct series all_series[] = {
	{"transitions",
	 "transitions",
	 &transitions_colour,
	 1.0,
	 {3, false},
	 false,
	 offsetof(struct kt_sweep_size, transitions)},
	{"states",
	 "states",
	 &states_colour,
	 2.0,
	 {5.5, false},
	 true,
	 offsetof(struct kt_sweep_size, states)},
	{"complex states",
	 "complex",
	 &complex_colour,
	 2.0,
	 {5, true},
	 true,
	 offsetof(struct kt_sweep_size, complex)},
};

#define N_SERIES (sizeof(all_series) / sizeof(all_series[0]))

static uint64_t value_of(const struct series *series, const struct kt_sweep_size *row)
{
	uint64_t value;

	memcpy(&value, (const char *)row + series->offset, sizeof(value));
	return value;
}

static struct kt_point2 point_of(const struct kt_plot *plot, const struct series *series,
				 const struct kt_sweep_size *row)
{
	return (struct kt_point2){kt_scale_k(&plot->x, (double)row->k),
				  kt_scale_size(&plot->y, value_of(series, row))};
}

/* --- marked k --- */

static void draw_mark(struct kt_plot *plot, uint64_t k, double width,
		      struct kt_colour colour, bool dashed)
{
	double x = kt_scale_k(&plot->x, (double)k);
	const struct kt_point2 points[] = {{x, plot->top - 4}, {x, plot->bottom}};

	kt_scene_line(plot->scene, points, 2, width, colour, dashed);
}

/* Returns whether a plateau was a candidate, but a k outside of it was chosen. */
static bool is_runner_up(const struct kt_plot *plot, const struct kt_sweep_plateau *p)
{
	return p->candidate && plot->sweep->has_auto &&
	       (plot->sweep->auto_k < p->from || plot->sweep->auto_k > p->to);
}

/*
 * Draws a labelled line at the chosen k, and a line at the first k of each candidate
 * plateau that was not chosen, labelled with this k if there is space.
 */
static void draw_marks(struct kt_plot *plot)
{
	const struct kt_sweep_size *row = kt_sweep_row_of(plot->sweep, plot->sweep->auto_k);
	double end = plot->left;
	struct kt_shape *shape;
	char text[128];
	double half;
	double x;

	kt_scene_group(plot->scene, "runners-up");
	for (size_t i = 0; i < plot->sweep->n_plateaus; i++) {
		const struct kt_sweep_plateau *p = &plot->sweep->plateaus[i];

		if (!is_runner_up(plot, p)) {
			continue;
		}
		draw_mark(plot, p->from, 1, runner_up_colour, true);
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
	if (!plot->sweep->has_auto || !row) {
		return;
	}
	draw_mark(plot, row->k, 1.8, auto_colour, false);
	snprintf(text, sizeof(text),
		 "k = %" PRIu64 ": %" PRIu64 " state%s, %" PRIu64 " complex", row->k,
		 row->states, row->states == 1 ? "" : "s", row->complex);
	half = kt_text_width(text, 12) / 2;
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

static void draw_curves(struct kt_plot *plot)
{
	const struct kt_sweep_size *rows = plot->sweep->rows;
	size_t n_rows = plot->sweep->n_rows;
	struct kt_point2 *points = calloc(n_rows + 1, sizeof(*points));

	if (!points) {
		plot->scene->code = kt_no_memory("make plot");
		return;
	}
	for (size_t j = 0; j < N_SERIES; j++) {
		const struct series *series = &all_series[j];
		struct kt_dot dot = series->dot;
		size_t n = 0;

		kt_scene_group(plot->scene, series->group);
		/* Connect rows of consecutive k; bridge missing k by a thin dashed line. */
		for (size_t i = 0; i < n_rows; i++) {
			struct kt_point2 point = point_of(plot, series, &rows[i]);

			if (i && rows[i].k != rows[i - 1].k + 1) {
				struct kt_point2 gap[2] = {points[n - 1], point};

				kt_scene_line(plot->scene, points, n, series->width,
					      *series->colour, false);
				kt_scene_line(plot->scene, gap, 2, 0.7, *series->colour,
					      true);
				n = 0;
			}
			points[n++] = point;
		}
		kt_scene_line(plot->scene, points, n, series->width, *series->colour,
			      false);
		/*
		 * Mark every row of a dotted series if there are few rows. In all other
		 * cases, mark only rows that no solid line connects to another.
		 */
		if (n_rows <= DOTS_MAX) {
			dot.width = fmin(dot.width, DOT_SHARE * (plot->right - plot->left) /
							    (double)n_rows);
		}
		for (size_t i = 0; i < n_rows; i++) {
			bool alone = (i == 0 || rows[i - 1].k + 1 != rows[i].k) &&
				     (i + 1 == n_rows || rows[i].k + 1 != rows[i + 1].k);

			if (alone || (n_rows <= DOTS_MAX && series->dotted)) {
				kt_plot_dot(plot, point_of(plot, series, &rows[i]), &dot,
					    *series->colour);
			}
		}
	}
	free(points);
}

static void draw_hovers(struct kt_plot *plot)
{
	if (plot->sweep->n_rows > HOVERS_MAX) {
		return;
	}
	kt_scene_group(plot->scene, "rows");
	for (size_t i = 0; i < plot->sweep->n_rows; i++) {
		const struct kt_sweep_size *row = &plot->sweep->rows[i];
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
	struct kt_plot plot = {.scene = scene, .sweep = sweep};
	uint64_t smallest = UINT64_MAX;
	uint64_t largest = 1;
	bool shaded[2] = {false, false};
	bool runners_up = false;

	kt_plot_begin(&plot, title);
	for (size_t i = 0; i < sweep->n_plateaus; i++) {
		shaded[sweep->plateaus[i].candidate] = true;
		runners_up = runners_up || is_runner_up(&plot, &sweep->plateaus[i]);
	}
	kt_scene_group(scene, "legend");
	for (size_t i = 0; i < N_SERIES; i++) {
		const struct series *s = &all_series[(i + 1) % N_SERIES];

		kt_plot_legend_line(&plot, s->name, s->width, *s->colour,
				    s->dotted ? &s->dot : NULL, false);
	}
	if (shaded[false]) {
		kt_plot_legend_area(&plot, "plateau", plateau_colour);
	}
	if (shaded[true]) {
		kt_plot_legend_area(&plot, "plateau that can be chosen", candidate_colour);
	}
	if (sweep->has_auto) {
		kt_plot_legend_line(&plot, "chosen k", 1.8, auto_colour, NULL,
				    false);
	}
	if (runners_up) {
		kt_plot_legend_line(&plot, "other k that can be chosen", 1, runner_up_colour, NULL, true);
	}
	kt_plot_lay_out(&plot);
	plot.x = kt_scale_of_k(sweep->rows[0].k, sweep->rows[sweep->n_rows - 1].k,
			       plot.left, plot.right);
	for (size_t i = 0; i < sweep->n_rows; i++) {
		for (size_t j = 0; j < N_SERIES; j++) {
			uint64_t value = value_of(&all_series[j], &sweep->rows[i]);

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
	draw_marks(&plot);
	draw_curves(&plot);
	draw_hovers(&plot);
	return scene->code;
}
