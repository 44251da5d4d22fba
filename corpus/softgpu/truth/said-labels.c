/* SPDX-License-Identifier: MIT */
#include "corpus/softgpu/truth/said-labels.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/array.h"
#include "infer/words/file/file.h"

enum { COLUMNS = 5, NESTED = 8 }; /* calls inside each other: of an injected library */

struct line {
	int64_t time;
	uint32_t pid;
	uint32_t tid;
	size_t number;     /* in the file, from 1 */
	const char *what;  /* in the text, all of them */
	const char *label; /* from here on; first the text of the line */
	const char *call;
};

struct kt_said_labels {
	const char *path; /* Weak: while it is read */
	char *text;       /* Owned by this */
	struct line *lines;
	size_t n;
	size_t capacity;
};

void kt_said_labels_free(struct kt_said_labels *said)
{
	if (said) {
		free(said->text);
		free(said->lines);
		free(said);
	}
}

/* --- the file --- */

static int read_text(struct kt_said_labels *said, const char *path)
{
	struct kt_file file;
	int code = kt_file_open(&file, path, KT_FILE_WHOLE);

	if (code) {
		return code;
	}
	said->text = malloc(file.length + 1);
	if (said->text) {
		memcpy(said->text, file.data, file.length);
		said->text[file.length] = '\0';
	} else {
		code = kt_error(KT_E_MEMORY, "read %s: out of memory", path);
	}
	kt_file_close(&file);
	return code;
}

/* Ends the columns of a line where its tabs are; false: there are more or fewer. */
static bool split(char *line, char *columns[static COLUMNS])
{
	columns[0] = line;
	for (size_t i = 1; i < COLUMNS; i++) {
		char *tab = strchr(columns[i - 1], '\t');

		if (!tab) {
			return false;
		}
		*tab = '\0';
		columns[i] = tab + 1;
	}
	return !strchr(columns[COLUMNS - 1], '\t');
}

static bool read_number(uint64_t *out, const char *text, uint64_t most)
{
	char *end;

	*out = strtoull(text, &end, 10);
	return *text >= '0' && *text <= '9' && *end == '\0' && *out <= most;
}

static bool is_known(const char *what)
{
	return strcmp(what, "label") == 0 || strcmp(what, "enter") == 0 ||
	       strcmp(what, "leave") == 0;
}

static int add_line(struct kt_said_labels *said, char *text, size_t number)
{
	char *columns[COLUMNS];
	uint64_t values[3];
	int code;

	if (!split(text, columns) || !read_number(&values[0], columns[0], INT64_MAX) ||
	    !read_number(&values[1], columns[1], UINT32_MAX) ||
	    !read_number(&values[2], columns[2], UINT32_MAX) || !is_known(columns[3])) {
		return kt_error(KT_E_MALFORMED, "read %s:%zu: no line of labels",
				said->path, number);
	}
	code = kt_array_reserve(&said->lines, &said->capacity, said->n + 1);
	if (!code) {
		said->lines[said->n++] = (struct line){
			.time = (int64_t)values[0],
			.pid = (uint32_t)values[1],
			.tid = (uint32_t)values[2],
			.number = number,
			.what = columns[3],
			.label = columns[4],
		};
	}
	return code;
}

static int read_lines(struct kt_said_labels *said)
{
	size_t number = 1;
	int code = KT_OK;

	for (char *at = said->text; *at && !code; number++) {
		char *end = strchr(at, '\n');

		if (!end) {
			return kt_error(KT_E_MALFORMED, "read %s:%zu: the line is cut",
					said->path, number);
		}
		*end = '\0';
		code = add_line(said, at, number);
		at = end + 1;
	}
	return code;
}

/* --- from lines to what holds behind them --- */

static int compare_threads(const struct line *a, uint32_t pid, uint32_t tid)
{
	if (a->pid != pid) {
		return a->pid < pid ? -1 : 1;
	}
	return a->tid == tid ? 0 : a->tid < tid ? -1 : 1;
}

/* A thread's lines stand in the file in their order. */
static int compare_lines(const void *left, const void *right)
{
	const struct line *a = left;
	const struct line *b = right;
	int order = compare_threads(a, b->pid, b->tid);

	return order ? order : a->number < b->number ? -1 : a->number > b->number;
}

struct state {
	const char *label;
	const char *calls[NESTED];
	size_t depth;
};

/* false: the line makes no sense there. */
static bool follow(struct state *state, struct line *line)
{
	const char *text = line->label;

	if (strcmp(line->what, "label") == 0) {
		state->label = text;
	} else if (strcmp(line->what, "enter") == 0 && state->depth < NESTED) {
		state->calls[state->depth++] = text;
	} else if (strcmp(line->what, "leave") == 0 && state->depth > 0 &&
		   strcmp(state->calls[state->depth - 1], text) == 0) {
		state->depth--;
	} else {
		return false;
	}
	line->label = state->label;
	line->call = state->depth > 0 ? state->calls[state->depth - 1] : "";
	return true;
}

static int follow_all(struct kt_said_labels *said)
{
	struct state state = {.label = ""};

	if (said->n > 0) {
		qsort(said->lines, said->n, sizeof(said->lines[0]), compare_lines);
	}
	for (size_t i = 0; i < said->n; i++) {
		struct line *line = &said->lines[i];
		bool first = i == 0 ||
			     compare_threads(&said->lines[i - 1], line->pid, line->tid);

		if (first) {
			state = (struct state){.label = ""};
		}
		if ((!first && said->lines[i - 1].time > line->time) ||
		    !follow(&state, line)) {
			return kt_error(KT_E_MALFORMED,
					"read %s:%zu: the line makes no sense there",
					said->path, line->number);
		}
	}
	return KT_OK;
}

int kt_said_labels_read(struct kt_said_labels **out, const char *path)
{
	struct kt_said_labels *said = calloc(1, sizeof(*said));
	int code;

	*out = NULL;
	if (!said) {
		return kt_error(KT_E_MEMORY, "read %s: out of memory", path);
	}
	said->path = path;
	code = read_text(said, path);
	code = code ? code : read_lines(said);
	code = code ? code : follow_all(said);
	if (code) {
		kt_said_labels_free(said);
		return code;
	}
	*out = said;
	return KT_OK;
}

/* --- questions --- */

/* The number of lines that are before it in the order of threads and times, or at it. */
static size_t count_until(const struct kt_said_labels *said, uint32_t pid, uint32_t tid,
			  int64_t time)
{
	size_t low = 0;
	size_t high = said->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct line *line = &said->lines[middle];
		int order = compare_threads(line, pid, tid);

		if (order < 0 || (order == 0 && line->time <= time)) {
			low = middle + 1;
		} else {
			high = middle;
		}
	}
	return low;
}

struct kt_said kt_said_labels_at(const struct kt_said_labels *said, uint32_t pid,
				 uint32_t tid, int64_t time)
{
	size_t n = count_until(said, pid, tid, time);
	const struct line *last = n > 0 ? &said->lines[n - 1] : NULL;

	if (!last || compare_threads(last, pid, tid)) {
		return (struct kt_said){"", ""};
	}
	return (struct kt_said){last->label, last->call};
}
