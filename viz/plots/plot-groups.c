/* SPDX-License-Identifier: MIT */
#include "viz/plots/plot-groups.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <ktail/status.h>

#include "viz/plots/plot-curve.h"
#include "viz/drawing/text-width.h"

#define LABEL_SIZE   11.0 /* size of the labels of the chosen k */
#define LABEL_HEIGHT 15.0 /* height of a row of labels */
#define SPACE        8.0  /* space above the curves and between labels */
#define MARK_DOT     8.0  /* width of the marker at the chosen k */

/* Colours of different lightness, which people with colour blindness can also distinguish
 * (M. Okabe and K. Ito, "Color Universal Design"). */
static const struct kt_colour colours[] = {{0x00, 0x72, 0xb2}, {0xd5, 0x5e, 0x00},
					   {0x00, 0x80, 0x60}, {0x9c, 0x4f, 0x84},
					   {0x20, 0x24, 0x2b}, {0xa6, 0x7c, 0x00}};

#define N_COLOURS (sizeof(colours) / sizeof(colours[0]))

static const struct kt_colour ink = {0x20, 0x24, 0x2b};

/* After KT_DASHES groups, patterns repeat with other colours. */
static struct kt_curve_style style_of(size_t group, size_t offset)
{
	return (struct kt_curve_style){
		.colour = &colours[(group + group / KT_DASHES) % N_COLOURS],
		.width = offset == offsetof(struct kt_sweep_size, states) ? 2.0 : 1.0,
		.dash = (enum kt_dash)(group % KT_DASHES),
		.dot = {MARK_DOT, group % 2 == 1},
		.offset = offset};
}

static struct kt_curve_style states_style(size_t group)
{
	return style_of(group, offsetof(struct kt_sweep_size, states));
}

static struct kt_curve_style complex_style(size_t group)
{
	return style_of(group, offsetof(struct kt_sweep_size, complex));
}

/* --- legend --- */

static const char *plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

static void add_to_legend(struct kt_plot *plot, const struct kt_sweep_table *sweep,
			  size_t group)
{
	const struct kt_curve_style style = states_style(group);
	char text[512];
	size_t n;

	n = (size_t)snprintf(text, sizeof(text),
			     "%.120s: %" PRIu64 " word%s, %" PRIu64 " letter%s",
			     sweep->group, sweep->words, plural(sweep->words),
			     sweep->events, plural(sweep->events));
	if (sweep->has_auto) {
		const struct kt_sweep_size *row = kt_sweep_row_of(sweep, sweep->auto_k);

		snprintf(text + n, sizeof(text) - n,
			 "; chosen k = %" PRIu64 ": %" PRIu64 " state%s, %" PRIu64
			 " complex",
			 row->k, row->states, plural(row->states), row->complex);
	}
	kt_plot_legend_line(plot, text, style.width, *style.colour, NULL, style.dash);
	kt_plot_legend_break(plot);
}

/* --- marked k --- */

/*
 * Returns the row, counted upwards, in which the label of a group does not overlap the
 * labels of the groups before it.
 */
static size_t free_row(const double *left, const double *right, const size_t *rows,
		       size_t group)
{
	size_t row = 0;

	for (size_t i = 0; i < group; i++) {
		if (rows[i] == row && left[i] < right[group] + SPACE &&
		    left[group] < right[i] + SPACE) {
			row++;
			i = (size_t)-1;
		}
	}
	return row;
}

static void draw_marks(struct kt_plot *plot, const struct kt_sweep_groups *groups)
{
	double *left = calloc(groups->n + 1, sizeof(*left));
	double *right = calloc(groups->n + 1, sizeof(*right));
	size_t *rows = calloc(groups->n + 1, sizeof(*rows));

	if (!left || !right || !rows) {
		plot->scene->code = kt_no_memory("make plot");
		goto end;
	}
	kt_scene_group(plot->scene, "auto");
	for (size_t i = 0; i < groups->n; i++) {
		const struct kt_sweep_table *sweep = groups->items[i];
		const struct kt_curve_style styles[] = {states_style(i), complex_style(i)};
		const struct kt_sweep_size *row;
		char text[192];
		double width;
		double x;

		if (!sweep->has_auto) {
			continue;
		}
		row = kt_sweep_row_of(sweep, sweep->auto_k);
		kt_plot_mark(plot, row->k, 1, *styles[0].colour, styles[0].dash);
		for (size_t j = 0; j < 2; j++) {
			kt_plot_dot(plot, kt_curve_point(plot, &styles[j], row),
				    &styles[j].dot, *styles[j].colour);
		}
		snprintf(text, sizeof(text), "%.120s: k = %" PRIu64, sweep->group, row->k);
		width = kt_text_width(text, LABEL_SIZE);
		x = kt_scale_k(&plot->x, (double)row->k) - width / 2;
		x = x + width > plot->right ? plot->right - width : x;
		left[i] = x < plot->left ? plot->left : x;
		right[i] = left[i] + width;
		rows[i] = free_row(left, right, rows, i);
		kt_scene_text(plot->scene, left[i],
			      plot->top - 7 - LABEL_HEIGHT * (double)rows[i], text,
			      LABEL_SIZE, KT_ANCHOR_START, *styles[0].colour);
	}
end:
	free(left);
	free(right);
	free(rows);
}

/* --- the plot --- */

static void set_scales(struct kt_plot *plot, const struct kt_sweep_groups *groups)
{
	uint64_t first = UINT64_MAX;
	uint64_t last = 0;
	uint64_t smallest = UINT64_MAX;
	uint64_t largest = 1;

	for (size_t i = 0; i < groups->n; i++) {
		const struct kt_sweep_table *sweep = groups->items[i];
		const struct kt_sweep_size *end = &sweep->rows[sweep->n_rows - 1];

		first = sweep->rows[0].k < first ? sweep->rows[0].k : first;
		last = end->k > last ? end->k : last;
		for (const struct kt_sweep_size *row = sweep->rows; row <= end; row++) {
			const uint64_t values[] = {row->states, row->complex};

			for (size_t j = 0; j < 2; j++) {
				plot->has_zero = plot->has_zero || values[j] == 0;
				smallest = values[j] && values[j] < smallest ? values[j]
									     : smallest;
				largest = values[j] > largest ? values[j] : largest;
			}
		}
	}
	plot->x = kt_scale_of_k(first, last, plot->left, plot->right);
	plot->y = kt_scale_of_sizes(smallest < largest ? smallest : largest, largest,
				    plot->has_zero, plot->bottom, plot->top);
}

int kt_plot_groups(struct kt_scene *scene, const struct kt_sweep_groups *groups,
		   const char *title)
{
	struct kt_plot plot = {.scene = scene};
	size_t marked = 0;
	char line[256];

	snprintf(line, sizeof(line), "%.64s by %.64s  ·  %zu group%s", groups->machine,
		 groups->word, groups->n, plural(groups->n));
	kt_plot_begin(&plot, title, line, "");
	kt_scene_group(scene, "legend");
	for (size_t i = 0; i < groups->n; i++) {
		add_to_legend(&plot, groups->items[i], i);
		marked += groups->items[i]->has_auto;
	}
	kt_plot_legend_line(&plot, "thick: states", 2.0, ink, NULL, KT_DASH_NONE);
	kt_plot_legend_line(&plot, "thin: complex states", 1.0, ink, NULL, KT_DASH_NONE);
	kt_plot_lay_out(&plot, 2 * SPACE + LABEL_HEIGHT * (double)marked);
	set_scales(&plot, groups);
	kt_plot_axes(&plot);
	for (size_t i = 0; i < groups->n; i++) {
		const struct kt_curve_style states = states_style(i);
		const struct kt_curve_style complex_states = complex_style(i);

		kt_scene_group(scene, "group");
		kt_plot_curve(&plot, &complex_states, groups->items[i]);
		kt_plot_curve(&plot, &states, groups->items[i]);
	}
	draw_marks(&plot, groups);
	return scene->code;
}
