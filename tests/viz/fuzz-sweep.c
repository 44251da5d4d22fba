/* SPDX-License-Identifier: MIT */
/*
 * Reads the input as a sweep: the reader must not crash, and an accepted sweep must be
 * drawn with finite coordinates.
 */
#include <stdint.h>

#include <ktail/status.h>

#include "base/json.h"
#include "tests/viz/fuzz-scene.h"
#include "viz/plots/plot-groups.h"
#include "viz/plots/plot-sweep.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kt_sweep_table *sweep = NULL;
	struct kt_sweep_groups *groups = NULL;
	struct kt_scene scene = {0};
	json_t *root = json_loadb((const char *)data, size, JSON_REJECT_DUPLICATES, NULL);

	if (root && kt_sweep_from_json(&sweep, root, "fuzz") == KT_OK) {
		check_scene(&scene, kt_plot_sweep(&scene, sweep, NULL));
	}
	if (root && kt_sweep_groups_from_json(&groups, root, "fuzz") == KT_OK) {
		check_scene(&scene, kt_plot_groups(&scene, groups, NULL));
	}
	kt_sweep_table_free(sweep);
	kt_sweep_groups_free(groups);
	json_decref(root);
	return 0;
}
