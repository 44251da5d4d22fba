/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "infer/files/output.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/atomic-file.h"
#include "base/output-format.h"
#include "base/terminal.h"
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

/*
 * Returns the function that prints a table. On a terminal, TSV is printed for people, as
 * text that fits the terminal's width.
 */
static kt_table_print_fn *printer(FILE *out, const struct kt_output_format *format)
{
	return format == &kt_table_formats[TABLE_TSV] && kt_terminal_width(out)
		       ? kt_table_print_here
		       : table_printers[format - kt_table_formats];
}

#define FORMATS_MAX 16
#define COLUMNS_MAX 32

/* Finds the format for a path (NULL: for standard output). */
static int find_format(const struct kt_output_format **out, const char *path,
		       const struct kt_outputs *outputs, const struct kt_output_kind *kind)
{
	const struct kt_output_request request = {
		.path = path,
		.asked = outputs->format,
		.among = outputs->had_standard || kt_outputs_have_standard(outputs),
	};
	const char *names[FORMATS_MAX];
	size_t n = 0;
	size_t i;

	for (; kind->formats[n].ending && n < FORMATS_MAX; n++) {
		names[n] = kind->formats[n].ending + 1;
	}
	KT_TRY(kt_output_format(&i, &request, names, n));
	*out = &kind->formats[i];
	return KT_OK;
}

bool kt_outputs_have_standard(const struct kt_outputs *outputs)
{
	bool have = outputs->n == 0;

	for (size_t i = 0; i < outputs->n; i++) {
		have = have || kt_output_is_standard(outputs->paths[i]);
	}
	return have;
}

int kt_outputs_add(struct kt_outputs *outputs, const char *path)
{
	union {
		const char *read_only;
		char *text;
	} kept = {.read_only = kt_output_is_standard(path) ? "-" : path};

	KT_TRY(kt_array_reserve(&outputs->paths, &outputs->capacity, outputs->n + 1));
	outputs->paths[outputs->n++] = kept.text;
	return KT_OK;
}

int kt_outputs_check(const struct kt_outputs *outputs, const struct kt_output_kind *kind)
{
	const struct kt_output_format *format;

	if (outputs->n == 0) { /* -f and standard output */
		KT_TRY(find_format(&format, NULL, outputs, kind));
	}
	for (size_t i = 0; i < outputs->n; i++) {
		KT_TRY(find_format(&format, outputs->paths[i], outputs, kind));
		KT_TRY(kt_output_check_folder(outputs->paths[i]));
	}
	return KT_OK;
}

bool kt_outputs_have_format(const struct kt_outputs *outputs,
			    const struct kt_output_kind *kind, const char *name)
{
	const struct kt_output_format *format = NULL;
	bool have = false;

	for (size_t i = 0; i == 0 || i < outputs->n; i++) {
		const char *path = outputs->n ? outputs->paths[i] : NULL;

		have = have || (find_format(&format, path, outputs, kind) == KT_OK &&
				strcmp(format->ending + 1, name) == 0);
	}
	return have;
}

void kt_outputs_clear(struct kt_outputs *outputs)
{
	free(outputs->paths);
	*outputs = (struct kt_outputs){0};
}

static bool is_among(const char *head, const char *const *heads)
{
	for (; heads && *heads; heads++) {
		if (strcmp(*heads, head) == 0) {
			return true;
		}
	}
	return false;
}

/* Converts column i from texts to whole numbers. */
static void make_numbers(struct kt_table *table, struct kt_column *column, size_t i)
{
	for (size_t row = 0; row < table->n_rows; row++) {
		struct kt_cell *cell = &table->cells[row * table->n_columns + i];

		cell->known = cell->text && *cell->text && strcmp(cell->text, "-") != 0;
		cell->number = cell->known ? strtoull(cell->text, NULL, 10) : 0;
		cell->text = NULL;
	}
	column->kind = KT_COLUMN_COUNT;
}

int kt_output_convert_tsv(FILE *out, const void *result, kt_output_fn tsv,
			  kt_table_print_fn *print, const char *const *numbers)
{
	struct kt_column columns[COLUMNS_MAX] = {{.key = NULL}};
	struct kt_table table = {.columns = columns};
	char *text = NULL;
	size_t size = 0;
	FILE *stream = open_memstream(&text, &size);
	int code = stream ? tsv(stream, result) : KT_OK;

	if (!stream || (fclose(stream) != 0 && !code)) {
		code = kt_no_memory("write table");
	}
	for (char *line = text, *next; !code && line && *line; line = next) {
		struct kt_cell *cells = NULL;
		char *end = strchr(line, '\n');

		next = end ? end + 1 : line + strlen(line);
		if (end) {
			*end = '\0';
		}
		if (table.n_columns > 0) {
			KT_TRY_END(kt_table_add(&table, &cells));
		}
		for (size_t i = 0; line && i < (cells ? table.n_columns : COLUMNS_MAX);
		     i++) {
			const char *field = strsep(&line, "\t");

			if (cells) {
				cells[i].text = field;
			} else {
				columns[i].key = columns[i].head = field;
				columns[i].kind = KT_COLUMN_TEXT;
				table.n_columns++;
			}
		}
	}
	for (size_t i = 0; !code && i < table.n_columns; i++) {
		if (is_among(columns[i].key, numbers)) {
			make_numbers(&table, &columns[i], i);
		}
	}
	if (!code) {
		code = print(out, &table);
	}
end:
	kt_table_free(&table);
	free(text);
	return code;
}

static int write_as(const struct kt_output_format *format, const void *result, FILE *out,
		    const struct kt_output_kind *kind)
{
	char name[] = "ktail-render";
	char option[] = "-f";
	char output[] = "-o"; /* needed if the output is a terminal */
	char standard[] = "-";
	char *argv[] = {name, option, NULL, output, standard, NULL};
	char *path;
	int code;

	if (kind->table) {
		return kt_table_output(out, result, kind->table, printer(out, format));
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

			const struct kt_output_format *format;

			KT_TRY_END(find_format(&format, path, groups[i].outputs, kind));
			KT_TRY_END(kt_atomic_file_open(file, path));
			code = write_as(format, groups[i].result, file->stream, kind);
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
	/* Rename the files only now that all are written. */
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
		const struct kt_output_format *format;

		KT_TRY(find_format(&format, NULL, outputs, kind));
		return write_as(format, result, stdout, kind);
	}
	return kt_outputs_write_groups(&group, 1);
}
