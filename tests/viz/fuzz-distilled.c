/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as a distilled machine: no crash; what is accepted can be drawn, and nothing in
 * the picture is at a place that is no number.
 */
#include <stdint.h>

#include <ktail/status.h>

#include "base/json.h"
#include "tests/viz/fuzz-scene.h"
#include "viz/plot-distilled.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kt_distilled_view *view = NULL;
	struct kt_scene scene = {0};
	json_t *root = json_loadb((const char *)data, size, JSON_REJECT_DUPLICATES, NULL);

	if (root && kt_distilled_from_json(&view, root, "fuzz", KT_NAMES_ON) == KT_OK) {
		check_scene(&scene, kt_plot_distilled(&scene, view, NULL));
	}
	kt_distilled_view_free(view);
	json_decref(root);
	return 0;
}
