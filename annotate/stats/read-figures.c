/* SPDX-License-Identifier: MIT */
/* Reads figures that ktail stats -f csv wrote earlier. Each CSV file is one recording. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "annotate/stats/compare-versions.h"
#include "base/ends-in.h"
#include "base/try.h"

#define COLUMNS_MAX 128

/*
 * Splits a line at its commas. There are no quoted fields, since names of functions
 * contain neither commas nor quotes.
 */
static size_t split(char *fields[static COLUMNS_MAX], char *line)
{
	size_t n = 0;

	line[strcspn(line, "\r\n")] = '\0';
	while (line && n < COLUMNS_MAX) {
		fields[n++] = strsep(&line, ",");
	}
	return n;
}

/*
 * Sets figures[i] to the figure in column i, or to KT_FIGURE_COUNT if column i is not a
 * figure. Returns false if the fields are not the head of a table of ktail stats -f csv.
 */
static bool read_head(enum kt_figure figures[static COLUMNS_MAX], char *const *fields,
		      size_t n)
{
	if (n < 3 || strcmp(fields[0], "call") != 0 || strcmp(fields[1], "api") != 0) {
		return false;
	}
	for (size_t i = 0; i < n; i++) {
		int f = 0;

		while (f < KT_FIGURE_COUNT &&
		       strcmp(kt_figure_column((enum kt_figure)f)->key, fields[i]) != 0) {
			f++;
		}
		figures[i] = (enum kt_figure)f;
	}
	return true;
}

static int read_file(struct kt_figure_rows *rows, FILE *file, const char *path)
{
	enum kt_figure figures[COLUMNS_MAX];
	char *fields[COLUMNS_MAX];
	char *line = NULL;
	size_t capacity = 0;
	size_t n_head = 0;
	int code = KT_OK;

	while (!code && getline(&line, &capacity, file) >= 0) {
		const size_t n = split(fields, line);
		struct kt_figure_row *row;

		if (n_head == 0) {
			n_head = read_head(figures, fields, n) ? n : 0;
			if (n_head == 0) {
				code = kt_error(KT_E_MALFORMED,
						"read %s: is not a table of ktail stats -f "
						"csv",
						path);
			}
			continue;
		}
		/* Skip incomplete rows, and the row "all": a total, not a function. */
		if (n != n_head || strcmp(fields[0], "all") == 0) {
			continue;
		}
		KT_TRY_END(kt_figure_rows_find(rows, &row, fields[1],
					       fields[0][0] == '(' ? "" : fields[0]));
		for (size_t i = 2; i < n; i++) {
			if (figures[i] == KT_FIGURE_COUNT) {
				continue;
			}
			row->figures.n[figures[i]] = strtoull(fields[i], NULL, 10);
			if (!fields[i][0]) {
				row->figures.given_up |= kt_figure_given_up(figures[i]);
			}
		}
	}
	if (!code && rows->n == 0) {
		code = kt_error(KT_E_EMPTY, "read %s: it has no rows of calls", path);
	}
end:
	free(line);
	return code;
}

static int read_path(struct kt_stats_version *version, const char *path)
{
	struct kt_figure_rows *rows;
	FILE *file;
	int code;

	KT_TRY(kt_stats_version_add(version, &rows));
	file = fopen(path, "re");
	if (!file) {
		return kt_error_errno(KT_E_IO, "open %s", path);
	}
	code = read_file(rows, file, path);
	fclose(file);
	return code;
}

static int is_csv(const struct dirent *entry)
{
	return kt_ends_in(entry->d_name, ".csv");
}

int kt_stats_version_read_csv(struct kt_stats_version *version, const char *path, bool *is)
{
	struct dirent **entries = NULL;
	int code = KT_OK;
	int n;

	*is = kt_ends_in(path, ".csv");
	if (*is) {
		return read_path(version, path);
	}
	n = scandir(path, &entries, is_csv, versionsort);
	*is = n > 0;
	for (int i = 0; i < n; i++) {
		char *file = NULL;

		if (!code && asprintf(&file, "%s/%s", path, entries[i]->d_name) < 0) {
			file = NULL;
			code = kt_no_memory("read figures");
		}
		if (!code) {
			code = read_path(version, file);
		}
		free(file);
		free(entries[i]);
	}
	free(entries);
	return code;
}
