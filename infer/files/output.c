/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "infer/files/output.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/atomic-file.h"
#include "base/nearest.h"
#include "base/try.h"
#include "infer/files/program.h"

enum table_format { TABLE_TSV = 0, TABLE_CSV, TABLE_JSON, TABLE_TEXT, TABLE_FORMATS };

const struct kt_output_format kt_table_formats[] = {
	[TABLE_TSV] = {".tsv", NULL, NULL},   [TABLE_CSV] = {".csv", NULL, NULL},
	[TABLE_JSON] = {".json", NULL, NULL}, [TABLE_TEXT] = {".txt", NULL, NULL},
	[TABLE_FORMATS] = {NULL, NULL, NULL},
};

static kt_table_print_fn *const table_printers[TABLE_FORMATS] = {
	[TABLE_TSV] = kt_table_print_tsv,
	[TABLE_CSV] = kt_table_print_csv,
	[TABLE_JSON] = kt_table_print_json,
	[TABLE_TEXT] = kt_table_print_whole,
};

static const struct kt_output_format *find_format(const char *path,
						  const struct kt_output_kind *kind)
{
	const char *slash = strrchr(path, '/');
	const char *dot = strrchr(slash ? slash + 1 : path, '.');

	if (strcmp(path, "-") == 0) {
		return &kind->formats[0];
	}
	for (const struct kt_output_format *f = kind->formats; dot && f->ending; f++) {
		if (strcmp(dot, f->ending) == 0) {
			return f;
		}
	}
	return NULL;
}

int kt_outputs_add(struct kt_outputs *outputs, const char *path,
		   const struct kt_output_kind *kind)
{
	union {
		const char *read_only;
		char *text;
	} kept = {.read_only = path};
	struct kt_nearest nearest = {.word = strrchr(path, '.')};
	char meant[KT_DID_YOU_MEAN];
	char list[128] = ""; /* ".dot, .svg and .json" */
	size_t used = 0;

	if (find_format(path, kind)) {
		KT_TRY(kt_array_reserve(&outputs->paths, &outputs->capacity,
					outputs->n + 1));
		outputs->paths[outputs->n++] = kept.text;
		return KT_OK;
	}
	for (const struct kt_output_format *f = kind->formats; f->ending; f++) {
		size_t space = sizeof(list) - used;
		const char *between = f == kind->formats ? ""
				      : f[1].ending      ? ", "
							 : " and ";
		int n = snprintf(list + used, space, "%s%s", between, f->ending);

		used += n > 0 && (size_t)n < space ? (size_t)n : 0;
		kt_nearest_try(&nearest, f->ending);
	}
	return kt_error(KT_E_USAGE, "write %s: this version writes %s%s", path, list,
			kt_did_you_mean(meant, nearest.found));
}

void kt_outputs_clear(struct kt_outputs *outputs)
{
	free(outputs->paths);
	*outputs = (struct kt_outputs){0};
}

static int write_as(const struct kt_output_format *format, const void *result, FILE *out,
		    const struct kt_output_kind *kind)
{
	char name[] = "ktail-render";
	char option[] = "-T";
	char *argv[] = {name, option, NULL, NULL};
	char *path;
	int code;

	if (kind->table) {
		return kt_table_output(out, result, kind->table,
				       table_printers[format - kt_table_formats]);
	}
	if (!format->render) {
		return format->write(out, result);
	}
	path = kt_program_find("ktail-render");
	argv[2] = strdup(format->render);
	if (!path) {
		code = kt_error(KT_E_IO,
				"draw %s: there is no ktail-render beside ktail or on PATH",
				kind->what);
	} else if (!argv[2]) {
		code = kt_error(KT_E_MEMORY, "draw %s: out of memory", kind->what);
	} else {
		fflush(out);
		code = kt_program_run(path, argv, fileno(out), kind->json, result);
	}
	free(argv[2]);
	free(path);
	return code;
}

int kt_outputs_write_groups(const struct kt_output_group *groups, size_t n_groups)
{
	struct kt_atomic_file *files;
	size_t n_files = 0;
	size_t n = 0;
	int code = KT_OK;

	for (size_t i = 0; i < n_groups; i++) {
		n_files += groups[i].outputs->n;
	}
	files = calloc(n_files + 1, sizeof(*files));
	if (!files) {
		return kt_error(KT_E_MEMORY, "write %s: out of memory",
				groups[0].kind->what);
	}
	for (size_t i = 0; i < n_groups; i++) {
		const struct kt_output_kind *kind = groups[i].kind;

		for (size_t j = 0; j < groups[i].outputs->n; j++) {
			const char *path = groups[i].outputs->paths[j];
			struct kt_atomic_file *file = &files[n++];

			KT_TRY_END(kt_atomic_file_open(file, path));
			code = write_as(find_format(path, kind), groups[i].result,
					file->stream, kind);
			if (code) {
				code = kt_error_prepend(code, "write %s", path);
				goto end;
			}
			if (fflush(file->stream) != 0 || ferror(file->stream)) {
				code = kt_error_errno(KT_E_IO, "write %s", path);
				goto end;
			}
		}
	}
	/* None is put in its place before all are made. */
	for (size_t i = 0; i < n; i++) {
		KT_TRY_END(kt_atomic_file_commit(&files[i]));
	}
end:
	for (size_t i = 0; i < n; i++) {
		kt_atomic_file_abort(&files[i]);
	}
	free(files);
	return code;
}

int kt_outputs_write(const struct kt_outputs *outputs, const void *result,
		     const struct kt_output_kind *kind)
{
	const struct kt_output_group group = {outputs, result, kind};

	if (outputs->n == 0) {
		return write_as(&kind->formats[0], result, stdout, kind);
	}
	return kt_outputs_write_groups(&group, 1);
}
