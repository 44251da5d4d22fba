/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "infer/ktail/output.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <ktail/status.h>

#include "base/atomic-file.h"
#include "infer/ktail/program.h"

static const struct format {
	const char *ending;
	const char *render; /* what ktail-render calls it; NULL: written here */
	int (*write)(const struct kt_fsm *fsm, FILE *out);
} formats[] = {
	{".json", NULL, kt_fsm_write_json},
	{".tsv", NULL, kt_output_write_tsv},
	{".dot", "dot", NULL},
	{".svg", "svg", NULL},
	{".png", "png", NULL},
	{".pdf", "pdf", NULL},
};

static const struct format standard_output = {"", "dot", NULL};

static const struct format *find_format(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *dot = strrchr(slash ? slash + 1 : path, '.');

	if (strcmp(path, "-") == 0) {
		return &standard_output;
	}
	for (size_t i = 0; dot && i < sizeof(formats) / sizeof(formats[0]); i++) {
		if (strcmp(dot, formats[i].ending) == 0) {
			return &formats[i];
		}
	}
	return NULL;
}

int kt_output_check(const char *path)
{
	if (find_format(path)) {
		return KT_OK;
	}
	return kt_error(
		KT_E_USAGE,
		"write %s: this version writes .dot, .svg, .png, .pdf, .json and .tsv",
		path);
}

static int feed_json(FILE *out, const void *fsm)
{
	return kt_fsm_write_json(fsm, out);
}

static int render(const struct kt_fsm *fsm, const char *format, FILE *out)
{
	char *path = kt_program_find("ktail-render");
	char name[] = "ktail-render";
	char option[] = "-T";
	char *copy = strdup(format);
	char *argv[] = {name, option, copy, NULL};
	int code;

	if (!path) {
		code = kt_error(KT_E_IO,
				"draw machine: there is no ktail-render beside ktail "
				"or on PATH");
	} else if (!copy) {
		code = kt_error(KT_E_MEMORY, "draw machine: out of memory");
	} else {
		fflush(out);
		code = kt_program_run(path, argv, fileno(out), feed_json, fsm);
	}
	free(copy);
	free(path);
	return code;
}

static int make(const struct kt_fsm *fsm, const char *path, struct kt_atomic_file *file)
{
	const struct format *format = find_format(path);
	int code = kt_atomic_file_open(file, path);

	if (code) {
		return code;
	}
	code = format->render ? render(fsm, format->render, file->stream)
			      : format->write(fsm, file->stream);
	if (!code && (fflush(file->stream) != 0 || ferror(file->stream))) {
		return kt_error_errno(KT_E_IO, "write %s", path);
	}
	return code ? kt_error_prepend(code, "write %s", path) : KT_OK;
}

int kt_output_write(const struct kt_fsm *fsm, char *const *paths, size_t n)
{
	struct kt_atomic_file *files;
	int code = KT_OK;

	if (n == 0) {
		return render(fsm, "dot", stdout);
	}
	files = calloc(n, sizeof(*files));
	if (!files) {
		return kt_error(KT_E_MEMORY, "write machine: out of memory");
	}
	for (size_t i = 0; i < n && !code; i++) {
		code = make(fsm, paths[i], &files[i]);
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
