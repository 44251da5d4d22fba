/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as a distilled machine: no crash; what is accepted can be drawn, and nothing in
 * the picture is at a place that is no number.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/json.h"
#include "viz/plot-distilled.h"
#include "viz/print-svg.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

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

static void draw(const struct kt_distilled_view *view)
{
	struct kt_scene scene = {0};
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	if (!out || kt_plot_distilled(&scene, view, NULL) != KT_OK ||
	    kt_print_svg(out, &scene) != KT_OK) {
		abort();
	}
	for (size_t i = 0; i < scene.n_shapes; i++) {
		check_shape(&scene.shapes[i]);
	}
	fclose(out);
	free(text);
	kt_scene_clear(&scene);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kt_distilled_view *view = NULL;
	json_t *root = json_loadb((const char *)data, size, JSON_REJECT_DUPLICATES, NULL);

	if (root && kt_distilled_from_json(&view, root, "fuzz") == KT_OK) {
		draw(view);
	}
	kt_distilled_view_free(view);
	json_decref(root);
	return 0;
}
