/* SPDX-License-Identifier: MIT */
/*
 * The checks of a picture that fuzz targets share: the picture can be printed as SVG, and
 * its coordinates are finite.
 */
#ifndef KTAIL_TESTS_FUZZ_SCENE_H
#define KTAIL_TESTS_FUZZ_SCENE_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <ktail/status.h>

#include "viz/drawing/print-svg.h"

static void check_shape(const struct kt_shape *shape)
{
	if (!isfinite(shape->x) || !isfinite(shape->y) || !(shape->width >= 0) ||
	    !(shape->height >= 0) || isinf(shape->width)) {
		abort();
	}
	for (size_t i = 0; i < shape->n_points; i++) {
		if (!isfinite(shape->points[i].x) || !isfinite(shape->points[i].y)) {
			abort();
		}
	}
}

/* Checks the scene and `code`, the status of drawing the scene, and clears the scene. */
static void check_scene(struct kt_scene *scene, int code)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	if (!out || code != KT_OK || kt_print_svg(out, scene) != KT_OK) {
		abort();
	}
	for (size_t i = 0; i < scene->n_shapes; i++) {
		check_shape(&scene->shapes[i]);
	}
	fclose(out);
	free(text);
	kt_scene_clear(scene);
}

#endif
