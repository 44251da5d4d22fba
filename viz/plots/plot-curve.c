/* SPDX-License-Identifier: MIT */
#include "viz/plots/plot-curve.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#define DOTS_MAX  100 /* above this many rows, markers would merge into a thick line */
#define DOT_SHARE 0.6 /* maximum width of a marker, as a share of the space per row */

uint64_t kt_curve_value(const struct kt_curve_style *style, const struct kt_sweep_size *row)
{
	uint64_t value;

	memcpy(&value, (const char *)row + style->offset, sizeof(value));
	return value;
}

struct kt_point2 kt_curve_point(const struct kt_plot *plot,
				const struct kt_curve_style *style,
				const struct kt_sweep_size *row)
{
	return (struct kt_point2){kt_scale_k(&plot->x, (double)row->k),
				  kt_scale_size(&plot->y, kt_curve_value(style, row))};
}

/*
 * Marks every row of a dotted curve if there are few rows. In all other cases, marks only
 * rows that no solid line connects to another.
 */
static void draw_dots(struct kt_plot *plot, const struct kt_curve_style *style,
		      const struct kt_sweep_size *rows, size_t n_rows)
{
	struct kt_dot dot = style->dot;

	if (n_rows <= DOTS_MAX) {
		dot.width = fmin(dot.width,
				 DOT_SHARE * (plot->right - plot->left) / (double)n_rows);
	}
	for (size_t i = 0; i < n_rows; i++) {
		bool alone = (i == 0 || rows[i - 1].k + 1 != rows[i].k) &&
			     (i + 1 == n_rows || rows[i].k + 1 != rows[i + 1].k);

		if (alone || (n_rows <= DOTS_MAX && style->dotted)) {
			kt_plot_dot(plot, kt_curve_point(plot, style, &rows[i]), &dot,
				    *style->colour);
		}
	}
}

void kt_plot_curve(struct kt_plot *plot, const struct kt_curve_style *style,
		   const struct kt_sweep_table *sweep)
{
	const struct kt_sweep_size *rows = sweep->rows;
	struct kt_point2 *points = calloc(sweep->n_rows + 1, sizeof(*points));
	size_t n = 0;

	if (!points) {
		plot->scene->code = kt_no_memory("make plot");
		return;
	}
	for (size_t i = 0; i < sweep->n_rows; i++) {
		struct kt_point2 point = kt_curve_point(plot, style, &rows[i]);

		if (i && rows[i].k != rows[i - 1].k + 1) {
			struct kt_point2 gap[2] = {points[n - 1], point};

			kt_scene_dashed_line(plot->scene, points, n, style->width,
					     *style->colour, style->dash);
			kt_scene_line(plot->scene, gap, 2, 0.7, *style->colour, true);
			n = 0;
		}
		points[n++] = point;
	}
	kt_scene_dashed_line(plot->scene, points, n, style->width, *style->colour,
			     style->dash);
	free(points);
	draw_dots(plot, style, rows, sweep->n_rows);
}

void kt_plot_mark(struct kt_plot *plot, uint64_t k, double width, struct kt_colour colour,
		  enum kt_dash dash)
{
	double x = kt_scale_k(&plot->x, (double)k);
	const struct kt_point2 points[] = {{x, plot->top - 4}, {x, plot->bottom}};

	kt_scene_dashed_line(plot->scene, points, 2, width, colour, dash);
}
