/* SPDX-License-Identifier: MIT */
/*
 * Reads the input as a distilled machine: the reader must not crash, and an accepted
 * machine must be drawn with finite coordinates.
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
