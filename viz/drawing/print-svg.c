/* SPDX-License-Identifier: MIT */
#include "viz/drawing/print-svg.h"

#include <math.h>

#include <ktail/status.h>

#include "viz/drawing/dot-text.h"

/*
 * Writes a length rounded to a tenth of a point, without trailing zeros or a negative zero.
 */
static void put_length(FILE *out, double length)
{
	double tenths = round(length * 10);

	if (fmod(tenths, 10) == 0) {
		fprintf(out, "%.0f", tenths == 0 ? 0 : tenths / 10);
	} else {
		fprintf(out, "%.1f", tenths / 10);
	}
}

static void put_attribute(FILE *out, const char *name, double length)
{
	fprintf(out, " %s=\"", name);
	put_length(out, length);
	putc('"', out);
}

static void put_colour(FILE *out, const char *name, struct kt_colour c)
{
	c = kt_colour_shown(c);
	fprintf(out, " %s=\"#%02x%02x%02x\"", name, c.red, c.green, c.blue);
}

static void put_box(FILE *out, const struct kt_shape *shape)
{
	fputs("<rect", out);
	put_attribute(out, "x", shape->x);
	put_attribute(out, "y", shape->y);
	put_attribute(out, "width", shape->width);
	put_attribute(out, "height", shape->height);
}

static void put_text(FILE *out, const struct kt_shape *shape)
{
	static const char *const anchors[] = {"", " text-anchor=\"middle\"",
					      " text-anchor=\"end\""};

	fputs("<text", out);
	put_attribute(out, "x", shape->x);
	put_attribute(out, "y", shape->y);
	put_attribute(out, "font-size", shape->size);
	put_colour(out, "fill", shape->colour);
	fputs(anchors[shape->anchor], out);
	fputs(shape->bold ? " font-weight=\"bold\"" : "", out);
	if (shape->upward) {
		fputs(" transform=\"rotate(-90 ", out);
		put_length(out, shape->x);
		putc(' ', out);
		put_length(out, shape->y);
		fputs(")\"", out);
	}
	putc('>', out);
	kt_dot_put(out, KT_DOT_HTML, shape->text);
	fputs("</text>\n", out);
}

static void put_dash(FILE *out, const double *lengths)
{
	for (size_t i = 0; lengths[i] != 0; i++) {
		fputs(i ? "," : " stroke-dasharray=\"", out);
		put_length(out, lengths[i]);
	}
	fputs(lengths[0] != 0 ? "\"" : "", out);
}

int kt_print_svg(FILE *out, const struct kt_scene *scene)
{
	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"?>\n"
	      "<!DOCTYPE svg PUBLIC \"-//W3C//DTD SVG 1.1//EN\"\n"
	      " \"http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd\">\n<svg",
	      out);
	if (scene->page > 0) {
		double scale = kt_scene_scale(scene);

		fprintf(out, " width=\"%.1fpt\" height=\"%.1fpt\"", scene->width * scale,
			scene->height * scale);
	} else {
		put_attribute(out, "width", scene->width);
		put_attribute(out, "height", scene->height);
	}
	fputs(" viewBox=\"0 0 ", out);
	put_length(out, scene->width);
	putc(' ', out);
	put_length(out, scene->height);
	fputs("\" xmlns=\"http://www.w3.org/2000/svg\" "
	      "font-family=\"",
	      out);
	kt_dot_put(out, KT_DOT_HTML, scene->font ? scene->font : KT_FONTS);
	fputs("\">\n"
	      "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n<g>\n",
	      out);
	for (size_t i = 0; i < scene->n_shapes; i++) {
		const struct kt_shape *shape = &scene->shapes[i];

		switch (shape->kind) {
		case KT_SHAPE_RECTANGLE:
			put_box(out, shape);
			put_colour(out, "fill", shape->colour);
			fputs("/>\n", out);
			break;
		case KT_SHAPE_CIRCLE:
			fputs("<circle", out);
			put_attribute(out, "cx", shape->x);
			put_attribute(out, "cy", shape->y);
			put_attribute(out, "r", shape->width / 2);
			put_colour(out, "fill", shape->colour);
			fputs("/>\n", out);
			break;
		case KT_SHAPE_LINE:
			fputs("<polyline points=\"", out);
			for (size_t j = 0; j < shape->n_points; j++) {
				fputs(j ? " " : "", out);
				put_length(out, shape->points[j].x);
				putc(',', out);
				put_length(out, shape->points[j].y);
			}
			fputs("\" fill=\"none\"", out);
			put_colour(out, "stroke", shape->colour);
			put_attribute(out, "stroke-width", shape->width);
			put_dash(out, kt_dash_lengths[shape->dash]);
			fputs("/>\n", out);
			break;
		case KT_SHAPE_TEXT: put_text(out, shape); break;
		case KT_SHAPE_HOVER:
			put_box(out, shape);
			fputs(" fill=\"#ffffff\" fill-opacity=\"0\"><title>", out);
			kt_dot_put(out, KT_DOT_HTML, shape->text);
			fputs("</title></rect>\n", out);
			break;
		case KT_SHAPE_GROUP:
			fputs("</g>\n<g class=\"", out);
			kt_dot_put(out, KT_DOT_HTML, shape->text);
			fputs("\">\n", out);
			break;
		}
	}
	fputs("</g>\n</svg>\n", out);
	return ferror(out) ? kt_error_errno(KT_E_IO, "write plot as SVG") : KT_OK;
}
