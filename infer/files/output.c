/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "infer/files/output.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/atomic-file.h"
#include "infer/files/program.h"

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

/* ".dot, .svg and .json" */
static void list_endings(char *list, size_t size, const struct kt_output_kind *kind)
{
	size_t used = 0;

	list[0] = '\0';
	for (const struct kt_output_format *f = kind->formats; f->ending; f++) {
		const char *between = f == kind->formats ? ""
				      : f[1].ending      ? ", "
							 : " and ";
		int n = snprintf(list + used, size - used, "%s%s", between, f->ending);

		used += n > 0 && (size_t)n < size - used ? (size_t)n : 0;
	}
}

int kt_outputs_add(struct kt_outputs *outputs, const char *path,
		   const struct kt_output_kind *kind)
{
	union {
		const char *read_only;
		char *text;
	} kept = {.read_only = path};
	char list[128];
	int code;

	if (!find_format(path, kind)) {
		list_endings(list, sizeof(list), kind);
		return kt_error(KT_E_USAGE, "write %s: this version writes %s", path, list);
	}
	code = kt_array_reserve(&outputs->paths, &outputs->capacity, outputs->n + 1);
	if (!code) {
		outputs->paths[outputs->n++] = kept.text;
	}
	return code;
}

void kt_outputs_clear(struct kt_outputs *outputs)
{
	free(outputs->paths);
	*outputs = (struct kt_outputs){0};
}

static int render(const void *result, const char *format, FILE *out,
		  const struct kt_output_kind *kind)
{
	char *path = kt_program_find("ktail-render");
	char name[] = "ktail-render";
	char option[] = "-T";
	char *copy = strdup(format);
	char *argv[] = {name, option, copy, NULL};
	int code;

	if (!path) {
		code = kt_error(KT_E_IO,
				"draw %s: there is no ktail-render beside ktail or on PATH",
				kind->what);
	} else if (!copy) {
		code = kt_error(KT_E_MEMORY, "draw %s: out of memory", kind->what);
	} else {
		fflush(out);
		code = kt_program_run(path, argv, fileno(out), kind->json, result);
	}
	free(copy);
	free(path);
	return code;
}

static int write_as(const struct kt_output_format *format, const void *result, FILE *out,
		    const struct kt_output_kind *kind)
{
	return format->render ? render(result, format->render, out, kind)
			      : format->write(out, result);
}

static int make(const void *result, const char *path, struct kt_atomic_file *file,
		const struct kt_output_kind *kind)
{
	int code = kt_atomic_file_open(file, path);

	if (code) {
		return code;
	}
	code = write_as(find_format(path, kind), result, file->stream, kind);
	if (!code && (fflush(file->stream) != 0 || ferror(file->stream))) {
		return kt_error_errno(KT_E_IO, "write %s", path);
	}
	return code ? kt_error_prepend(code, "write %s", path) : KT_OK;
}

/* The files of one group, none of them in its place; *n of them were begun. */
static int make_group(const struct kt_output_group *group, struct kt_atomic_file *files,
		      size_t *n)
{
	const struct kt_outputs *outputs = group->outputs;
	int code = KT_OK;

	for (size_t i = 0; i < outputs->n && !code; i++) {
		code = make(group->result, outputs->paths[i], &files[(*n)++], group->kind);
	}
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
	for (size_t i = 0; i < n_groups && !code; i++) {
		code = make_group(&groups[i], files, &n);
	}
	for (size_t i = 0; i < n && !code; i++) {
		code = kt_atomic_file_commit(&files[i]);
	}
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
