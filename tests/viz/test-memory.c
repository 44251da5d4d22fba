/* SPDX-License-Identifier: MIT */
/*
 * Reading and drawing a sweep, sweeps of groups, a difference or a distilled machine must
 * report each failed allocation, leak nothing and not crash.
 */
#include <stdbool.h>
#include <stdio.h>

#include <ktail/status.h>

#include "base/fsm-json.h"
#include "base/distilled/write-distilled.h"
#include "base/json.h"
#include "infer/distilled/merge-distilled.h"
#include "tests/refuse.h"
#include "viz/plots/plot-distilled.h"
#include "viz/plots/plot-groups.h"
#include "viz/plots/plot-sweep.h"
#include "viz/plots/print-distilled.h"
#include "viz/machine/print-dot.h"
#include "viz/drawing/print-svg.h"

static int draw_sweep(const json_t *root, FILE *out)
{
	struct kt_sweep_table *sweep = NULL;
	struct kt_scene scene = {0};
	int code = kt_sweep_from_json(&sweep, root, "sweep");

	if (code && sweep) {
		code = KT_E_INTERNAL; /* an error must not return a sweep */
	}
	code = code ? code : kt_plot_sweep(&scene, sweep, NULL);
	code = code ? code : kt_print_svg(out, &scene);
	kt_scene_clear(&scene);
	kt_sweep_table_free(sweep);
	return code;
}

static int draw_groups(const json_t *root, FILE *out)
{
	struct kt_sweep_groups *groups = NULL;
	struct kt_scene scene = {0};
	int code = kt_sweep_groups_from_json(&groups, root, "groups");

	if (code && groups) {
		code = KT_E_INTERNAL; /* an error must not return groups */
	}
	code = code ? code : kt_plot_groups(&scene, groups, NULL);
	code = code ? code : kt_print_svg(out, &scene);
	kt_scene_clear(&scene);
	kt_sweep_groups_free(groups);
	return code;
}

static int merge_twice(struct kt_distilled_view *view, FILE *out)
{
	struct kt_distilled_view *const views[] = {view, view};
	const char *const names[] = {"one", "other"};
	struct kt_distilled_view *sum;
	int code = kt_distilled_merge(&sum, views, names, 2);

	code = code ? code : kt_distilled_view_write_json(out, sum);
	kt_distilled_view_free(sum);
	return code;
}

static int draw_distilled(const json_t *root, FILE *out)
{
	const struct kt_dot_options options = KT_DOT_OPTIONS_INIT;
	struct kt_distilled_view *view = NULL;
	struct kt_scene scene = {0};
	int code = kt_distilled_from_json(&view, root, "distilled machine", KT_NAMES_ON);

	if (code && view) {
		code = KT_E_INTERNAL; /* an error must not return a machine */
	}
	code = code ? code : kt_plot_distilled(&scene, view, &options);
	code = code ? code : kt_print_svg(out, &scene);
	code = code ? code : kt_print_distilled(out, view, &options);
	code = code ? code : merge_twice(view, out);
	kt_scene_clear(&scene);
	kt_distilled_view_free(view);
	return code;
}

static int draw_machine(const json_t *root, FILE *out)
{
	const struct kt_dot_options options = KT_DOT_OPTIONS_INIT;
	struct kt_drawing *drawing = NULL;
	struct kt_fsm *fsm = NULL;
	int code = kt_fsm_from_json(&fsm, root, "machine");

	if (code && fsm) {
		code = KT_E_INTERNAL; /* an error must not return a machine */
	}
	code = code ? code : kt_drawing_new(&drawing, fsm, true);
	code = code ? code : kt_print_dot(out, drawing, &options);
	kt_drawing_free(drawing);
	kt_fsm_free(fsm);
	return code;
}

struct drawing {
	int (*draw)(const json_t *root, FILE *out);
	const json_t *root;
	FILE *out;
};

static int draw(void *context)
{
	const struct drawing *drawing = context;

	return drawing->draw(drawing->root, drawing->out);
}

static bool try_all(const char *name, struct drawing drawing)
{
	const struct kt_trial trial = {name, draw, &drawing, false, 0};
	int code = draw(&drawing); /* also allocates the stream's buffer */

	if (code) {
		fprintf(stderr, "%s: %s\n", name, kt_error_message());
	}
	return !code && kt_refuse_each(&trial) > 10;
}

static json_t *load(const char *path)
{
	FILE *in = fopen(path, "r");
	json_t *root = NULL;

	if (!in || kt_json_load(&root, in, path) != KT_OK) {
		fprintf(stderr, "cannot read %s\n", path);
	}
	if (in) {
		fclose(in);
	}
	return root;
}

int main(int argc, char **argv)
{
	json_t *sweep = argc == 5 ? load(argv[1]) : NULL;
	json_t *machine = argc == 5 ? load(argv[2]) : NULL;
	json_t *groups = argc == 5 ? load(argv[4]) : NULL;
	json_t *distilled = argc == 5 ? load(argv[3]) : NULL;
	FILE *out = fopen("/dev/null", "w");
	bool good = sweep && groups && machine && distilled && out &&
		    try_all("sweep", (struct drawing){draw_sweep, sweep, out}) &&
		    try_all("groups", (struct drawing){draw_groups, groups, out}) &&
		    try_all("machine", (struct drawing){draw_machine, machine, out}) &&
		    try_all("distilled machine",
			    (struct drawing){draw_distilled, distilled, out});

	json_decref(sweep);
	json_decref(groups);
	json_decref(machine);
	json_decref(distilled);
	if (out) {
		fclose(out);
	}
	return good ? 0 : 1;
}
