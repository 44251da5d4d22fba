/* SPDX-License-Identifier: MIT */
/*
 * Reads the input as a distilled machine: the reader must not crash, and an accepted
 * machine must be drawn with finite coordinates.
 */
#include <stdint.h>

#include <ktail/status.h>

#include "base/json.h"
#include "infer/distilled/merge-distilled.h"
#include "tests/viz/fuzz-scene.h"
#include "viz/plots/plot-distilled.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* An accepted machine can be merged with itself, unless its counts become too large. */
static const struct kt_dot_options options = KT_DOT_OPTIONS_INIT;

static void merge_twice(struct kt_distilled_view *view)
{
	struct kt_distilled_view *const views[] = {view, view};
	const char *const names[] = {"one", "other"};
	struct kt_distilled_view *sum;
	int code = kt_distilled_merge(&sum, views, names, 2);
	struct kt_scene scene = {0};

	if (code && code != KT_E_MALFORMED && code != KT_E_USAGE) {
		abort();
	}
	if (!code) {
		check_scene(&scene, kt_plot_distilled(&scene, sum, &options));
	}
	kt_distilled_view_free(sum);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kt_distilled_view *view = NULL;
	struct kt_scene scene = {0};
	json_t *root = json_loadb((const char *)data, size, JSON_REJECT_DUPLICATES, NULL);

	if (root && kt_distilled_from_json(&view, root, "fuzz", KT_NAMES_ON) == KT_OK) {
		check_scene(&scene, kt_plot_distilled(&scene, view, &options));
	}
	if (view) {
		merge_twice(view);
	}
	kt_distilled_view_free(view);
	json_decref(root);
	return 0;
}
