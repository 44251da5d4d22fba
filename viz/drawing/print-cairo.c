/* SPDX-License-Identifier: MIT */
#include "viz/drawing/print-cairo.h"

#include <cairo-pdf.h>
#include <cairo.h>
#include <fontconfig/fontconfig.h>
#include <math.h>

#include <ktail/status.h>

#define PNG_SCALE 2.0 /* pixels for a unit of the scene, at its own size */

static cairo_status_t take_bytes(void *context, const unsigned char *bytes, unsigned length)
{
	return fwrite(bytes, 1, length, context) == length ? CAIRO_STATUS_SUCCESS
							   : CAIRO_STATUS_WRITE_ERROR;
}

static int status_of(cairo_status_t status, const char *what)
{
	if (status == CAIRO_STATUS_SUCCESS) {
		return KT_OK;
	}
	if (status == CAIRO_STATUS_WRITE_ERROR) {
		return kt_error_errno(KT_E_IO, "write plot as %s", what);
	}
	return kt_error(status == CAIRO_STATUS_NO_MEMORY ? KT_E_MEMORY : KT_E_IO,
			"write plot as %s: %s", what, cairo_status_to_string(status));
}

static void set_dash(cairo_t *cairo, const double *lengths)
{
	int n = 0;

	while (lengths[n] != 0) {
		n++;
	}
	cairo_set_dash(cairo, lengths, n, 0);
}

static cairo_status_t draw(cairo_surface_t *surface, const struct kt_scene *scene,
			   double scale)
{
	cairo_t *cairo = cairo_create(surface);
	cairo_status_t status;

	cairo_scale(cairo, scale, scale);
	cairo_set_source_rgb(cairo, 1, 1, 1);
	cairo_paint(cairo);
	for (size_t i = 0; i < scene->n_shapes; i++) {
		const struct kt_shape *shape = &scene->shapes[i];
		struct kt_colour c = kt_colour_shown(shape->colour);
		double share = shape->anchor == KT_ANCHOR_START    ? 0
			       : shape->anchor == KT_ANCHOR_MIDDLE ? 0.5
								   : 1;
		cairo_text_extents_t extents;

		cairo_set_source_rgb(cairo, c.red / 255.0, c.green / 255.0, c.blue / 255.0);
		switch (shape->kind) {
		case KT_SHAPE_RECTANGLE:
			cairo_rectangle(cairo, shape->x, shape->y, shape->width,
					shape->height);
			cairo_fill(cairo);
			break;
		case KT_SHAPE_CIRCLE:
			cairo_arc(cairo, shape->x, shape->y, shape->width / 2, 0,
				  4 * acos(0));
			cairo_fill(cairo);
			break;
		case KT_SHAPE_LINE:
			for (size_t j = 0; j < shape->n_points; j++) {
				cairo_line_to(cairo, shape->points[j].x,
					      shape->points[j].y);
			}
			cairo_set_line_width(cairo, shape->width);
			set_dash(cairo, kt_dash_lengths[shape->dash]);
			cairo_stroke(cairo);
			break;
		case KT_SHAPE_TEXT:
			cairo_select_font_face(cairo,
					       scene->font ? scene->font : "sans-serif",
					       CAIRO_FONT_SLANT_NORMAL,
					       shape->bold ? CAIRO_FONT_WEIGHT_BOLD
							   : CAIRO_FONT_WEIGHT_NORMAL);
			cairo_set_font_size(cairo, shape->size);
			cairo_text_extents(cairo, shape->text, &extents);
			cairo_save(cairo);
			cairo_translate(cairo, shape->x, shape->y);
			cairo_rotate(cairo, shape->upward ? -acos(0) : 0);
			cairo_move_to(cairo, -share * extents.x_advance, 0);
			cairo_show_text(cairo, shape->text);
			cairo_restore(cairo);
			cairo_new_path(cairo);
			break;
		case KT_SHAPE_HOVER:
		case KT_SHAPE_GROUP: break;
		}
	}
	status = cairo_status(cairo);
	cairo_destroy(cairo);
	return status;
}

int kt_print_png(FILE *out, const struct kt_scene *scene)
{
	/*
	 * A picture that is reduced to a page has as many pixels for an inch on paper as a
	 * picture at its own size.
	 */
	double scale =
		PNG_SCALE * (scene->page > 0 ? kt_scene_scale(scene) / KT_SCENE_UNIT : 1);
	cairo_surface_t *surface = cairo_image_surface_create(
		CAIRO_FORMAT_RGB24, (int)ceil(scene->width * scale),
		(int)ceil(scene->height * scale));
	cairo_status_t status = draw(surface, scene, scale);

	if (status == CAIRO_STATUS_SUCCESS) {
		status = cairo_surface_write_to_png_stream(surface, take_bytes, out);
	}
	cairo_surface_destroy(surface);
	return status_of(status, "PNG");
}

int kt_print_pdf(FILE *out, const struct kt_scene *scene)
{
	cairo_surface_t *surface = cairo_pdf_surface_create_for_stream(
		take_bytes, out, scene->width * kt_scene_scale(scene),
		scene->height * kt_scene_scale(scene));
	cairo_status_t status = draw(surface, scene, kt_scene_scale(scene));

	cairo_surface_finish(surface);
	if (status == CAIRO_STATUS_SUCCESS) {
		status = cairo_surface_status(surface);
	}
	cairo_surface_destroy(surface);
	return status_of(status, "PDF");
}

void kt_cairo_done(void)
{
	cairo_debug_reset_static_data();
	FcFini();
}
