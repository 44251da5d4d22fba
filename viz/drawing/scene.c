/* SPDX-License-Identifier: MIT */
#include "viz/drawing/scene.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/utf8.h"

const double kt_dash_lengths[KT_DASHES][KT_DASH_LENGTHS + 1] = {
	[KT_DASH_NONE] = {0},
	[KT_DASH_SHORT] = {4, 3},
	[KT_DASH_LONG] = {10, 4},
	[KT_DASH_DOT] = {1.5, 2.5},
	[KT_DASH_LONG_DOT] = {10, 3, 1.5, 3},
	[KT_DASH_LONG_DOT_DOT] = {10, 3, 1.5, 3, 1.5, 3},
};

void kt_scene_clear(struct kt_scene *scene)
{
	for (size_t i = 0; i < scene->n_shapes; i++) {
		free(scene->shapes[i].points);
		free(scene->shapes[i].text);
	}
	free(scene->shapes);
	*scene = (struct kt_scene){0};
}

double kt_scene_scale(const struct kt_scene *scene)
{
	return scene->page > 0 ? fmin(KT_SCENE_UNIT, scene->page / scene->width) : 1;
}

double kt_scene_smallest(const struct kt_scene *scene)
{
	double smallest = 0;

	for (size_t i = 0; i < scene->n_shapes; i++) {
		double size = scene->shapes[i].size;

		if (scene->shapes[i].kind == KT_SHAPE_TEXT &&
		    (smallest == 0 || size < smallest)) {
			smallest = size;
		}
	}
	return smallest;
}

static struct kt_shape *add(struct kt_scene *scene, struct kt_shape shape)
{
	if (!scene->code) {
		scene->code = kt_array_reserve(&scene->shapes, &scene->capacity,
					       scene->n_shapes + 1);
	}
	if (scene->code) {
		free(shape.points);
		free(shape.text);
		return NULL;
	}
	scene->shapes[scene->n_shapes] = shape;
	return &scene->shapes[scene->n_shapes++];
}

static void note_no_memory(struct kt_scene *scene)
{
	if (!scene->code) {
		scene->code = kt_no_memory("make plot");
	}
}

/* Adds a shape whose text is a printable copy of `text`. */
static struct kt_shape *add_text(struct kt_scene *scene, struct kt_shape shape,
				 const char *text)
{
	size_t length;

	shape.text = kt_utf8_printable_copy(text);
	if (!shape.text) {
		note_no_memory(scene);
		return NULL;
	}
	length = strlen(shape.text);
	/*
	 * Replace noncharacters (U+FFFE, U+FDD0 and similar): cairo rejects all of them,
	 * and XML some.
	 */
	for (size_t i = 0, n; i < length; i += n) {
		char *at = shape.text + i;
		uint32_t point;

		n = kt_utf8_sequence(at, length - i);
		n = n ? n : 1;
		point = (unsigned char)at[0] & (n == 1 ? 0x7f : 0xff >> (n + 1));
		for (size_t j = 1; j < n; j++) {
			point = point << 6 | ((unsigned char)at[j] & 0x3f);
		}
		if ((point & 0xfffe) == 0xfffe || (point >= 0xfdd0 && point <= 0xfdef)) {
			memset(at, '?', n);
		}
	}
	return add(scene, shape);
}

void kt_scene_rectangle(struct kt_scene *scene, double x, double y, double width,
			double height, struct kt_colour colour)
{
	add(scene, (struct kt_shape){.kind = KT_SHAPE_RECTANGLE,
				     .colour = colour,
				     .x = x,
				     .y = y,
				     .width = width,
				     .height = height});
}

void kt_scene_circle(struct kt_scene *scene, double x, double y, double diameter,
		     struct kt_colour colour)
{
	add(scene, (struct kt_shape){.kind = KT_SHAPE_CIRCLE,
				     .colour = colour,
				     .x = x,
				     .y = y,
				     .width = diameter});
}

void kt_scene_dashed_line(struct kt_scene *scene, const struct kt_point2 *points, size_t n,
			  double width, struct kt_colour colour, enum kt_dash dash)
{
	struct kt_point2 *copy = calloc(n + 1, sizeof(*copy));

	if (!copy) {
		note_no_memory(scene);
		return;
	}
	memcpy(copy, points, n * sizeof(*copy));
	add(scene, (struct kt_shape){.kind = KT_SHAPE_LINE,
				     .colour = colour,
				     .width = width,
				     .points = copy,
				     .n_points = n,
				     .dash = dash});
}

void kt_scene_line(struct kt_scene *scene, const struct kt_point2 *points, size_t n,
		   double width, struct kt_colour colour, bool dashed)
{
	kt_scene_dashed_line(scene, points, n, width, colour,
			     dashed ? KT_DASH_SHORT : KT_DASH_NONE);
}

struct kt_shape *kt_scene_text(struct kt_scene *scene, double x, double y, const char *text,
			       double size, enum kt_anchor anchor, struct kt_colour colour)
{
	return add_text(scene,
			(struct kt_shape){.kind = KT_SHAPE_TEXT,
					  .colour = colour,
					  .x = x,
					  .y = y,
					  .size = size,
					  .anchor = anchor},
			text);
}

void kt_scene_hover(struct kt_scene *scene, double x, double y, double width, double height,
		    const char *text)
{
	add_text(scene,
		 (struct kt_shape){.kind = KT_SHAPE_HOVER,
				   .x = x,
				   .y = y,
				   .width = width,
				   .height = height},
		 text);
}

void kt_scene_group(struct kt_scene *scene, const char *name)
{
	add_text(scene, (struct kt_shape){.kind = KT_SHAPE_GROUP}, name);
}
