/* SPDX-License-Identifier: MIT */
#include "infer/ktail/distilled.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/distilled/write-distilled.h"
#include "base/file-type.h"
#include "base/try.h"
#include "infer/distilled/diff-distilled.h"
#include "infer/distilled/merge-distilled.h"

static bool is_distilled(const char *path)
{
	const char *type = kt_file_type(path);

	return type && strstr(type, KT_DISTILLED_FORMAT);
}

bool kt_distilled_any_named(char *const *paths, int n)
{
	bool any = false;

	for (int i = 0; i < n && !any; i++) {
		any = is_distilled(paths[i]);
	}
	return any;
}

int kt_distilled_check(const struct kt_command_line *command, char *const *paths, int n)
{
	static const char *const allowed[] = {"output", "format", "names", "color", NULL};
	const char *other = kt_options_other(command, allowed);

	for (int i = 0; i < n; i++) {
		if (!is_distilled(paths[i])) {
			return kt_file_type_refuse(paths[i], "a distilled machine");
		}
	}
	return other ? kt_error(KT_E_USAGE, "read %s: --%s is not for distilled machines",
				paths[0], other)
		     : KT_OK;
}

/* --- outputs --- */

static int write_json(FILE *out, const void *view)
{
	return kt_distilled_view_write_json(out, view);
}

static int write_diff_json(FILE *out, const void *diff)
{
	return write_json(out, ((const struct kt_distilled_diff *)diff)->view);
}

static int write_diff_text(FILE *out, const void *diff)
{
	return kt_distilled_diff_write_text(out, diff);
}

static const struct kt_output_format formats[] = {
	{".dot", "dot", NULL}, {".gv", "dot", NULL},  {".svg", "svg", NULL},
	{".png", "png", NULL}, {".pdf", "pdf", NULL}, {".json", NULL, write_json},
	{NULL, NULL, NULL},
};

const struct kt_output_kind kt_output_distilled = {
	.what = "distilled machine",
	.formats = formats,
	.json = write_json,
};

static const struct kt_output_format diff_formats[] = {
	{".txt", NULL, write_diff_text}, {".json", NULL, write_diff_json},
	{".dot", "dot", NULL},           {".gv", "dot", NULL},
	{".svg", "svg", NULL},           {".png", "png", NULL},
	{".pdf", "pdf", NULL},           {NULL, NULL, NULL},
};

const struct kt_output_kind kt_output_distilled_diff = {
	.what = "difference",
	.formats = diff_formats,
	.json = write_diff_json,
};

/* --- files --- */

/*
 * Reads the files and merges their machines. Writes the number of machines in the first
 * file to *n_first, which may be NULL.
 */
static int merge(struct kt_distilled_view **out, char *const *paths, int n,
		 enum kt_names names, size_t *n_first)
{
	struct kt_distilled_view **views = calloc((size_t)n + 1, sizeof(*views));
	int code = KT_OK;

	*out = NULL;
	if (!views) {
		return kt_no_memory("merge machines");
	}
	for (int i = 0; i < n && !code; i++) {
		code = kt_distilled_read(&views[i], paths[i], names);
	}
	if (!code) {
		code = kt_distilled_merge(out, views, (const char *const *)paths,
					  (size_t)n);
	}
	if (!code && n_first) {
		*n_first = views[0]->n_machines ? views[0]->n_machines : 1;
	}
	for (int i = 0; i < n; i++) {
		kt_distilled_view_free(views[i]);
	}
	free(views);
	return code;
}

int kt_distilled_merge_files(char *const *paths, int n, enum kt_names names,
			     const struct kt_outputs *outputs)
{
	struct kt_distilled_view *view;
	int code;

	KT_TRY(merge(&view, paths, n, names, NULL));
	code = kt_outputs_write(outputs, view, &kt_output_distilled);
	kt_distilled_view_free(view);
	return code;
}

int kt_distilled_diff_files(int *differ, char *const paths[2], enum kt_names names,
			    const struct kt_outputs *outputs)
{
	struct kt_distilled_diff diff = {.names = {paths[0], paths[1]}};
	struct kt_distilled_view *view;
	int code;

	KT_TRY(merge(&view, paths, 2, names, &diff.n_old));
	diff.view = view;
	*differ = kt_distilled_differ(&diff);
	code = kt_outputs_write(outputs, &diff, &kt_output_distilled_diff);
	kt_distilled_view_free(view);
	return code;
}
