/* SPDX-License-Identifier: MIT */
#include "corpus/softgpu/truth/said-labels.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/try.h"
#include "infer/words/file/file.h"

enum { COLUMNS = 5, NESTED = 8 }; /* calls nest if an injected library makes API calls */

struct line {
	int64_t time;
	uint32_t pid;
	uint32_t tid;
	size_t number;     /* line number in the file, from 1 */
	const char *what;  /* points into the text, like the members below */
	const char *label; /* label that applies after this line; before follow_lines(), the
			    * line's TEXT */
	const char *call;
};

struct kt_said_labels {
	char *text; /* Owned by this */
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

/* --- parsing of the file --- */

static bool read_number(uint64_t *out, const char *text, uint64_t most)
{
	char *end;

	*out = strtoull(text, &end, 10);
	return *text >= '0' && *text <= '9' && *end == '\0' && *out <= most;
}

static int read_lines(struct kt_said_labels *said, const char *path)
{
	size_t number = 1;

	for (char *at = said->text, *end; *at; at = end + 1, number++) {
		char *columns[COLUMNS] = {at};
		size_t n = 1;
		uint64_t values[3];
		const char *what;

		end = strchr(at, '\n');
		if (!end) {
			return kt_error(KT_E_MALFORMED,
					"read %s:%zu: the line is truncated", path, number);
		}
		*end = '\0';
		for (char *tab = at; (tab = strchr(tab, '\t')); n++) {
			*tab++ = '\0';
			if (n < COLUMNS) {
				columns[n] = tab;
			}
		}
		what = n == COLUMNS ? columns[3] : "";
		if ((strcmp(what, "label") != 0 && strcmp(what, "enter") != 0 &&
		     strcmp(what, "leave") != 0) ||
		    !read_number(&values[0], columns[0], INT64_MAX) ||
		    !read_number(&values[1], columns[1], UINT32_MAX) ||
		    !read_number(&values[2], columns[2], UINT32_MAX)) {
			return kt_error(KT_E_MALFORMED, "read %s:%zu: not a line of labels",
					path, number);
		}
		KT_TRY(kt_array_reserve(&said->lines, &said->capacity, said->n + 1));
		said->lines[said->n++] = (struct line){
			.time = (int64_t)values[0],
			.pid = (uint32_t)values[1],
			.tid = (uint32_t)values[2],
			.number = number,
			.what = what,
			.label = columns[4],
		};
	}
	return KT_OK;
}

/* --- state after each line --- */

static int compare_threads(const struct line *a, uint32_t pid, uint32_t tid)
{
	if (a->pid != pid) {
		return a->pid < pid ? -1 : 1;
	}
	return a->tid == tid ? 0 : a->tid < tid ? -1 : 1;
}

/* Orders lines by thread; the lines of a thread keep the order of the file. */
static int compare_lines(const void *left, const void *right)
{
	const struct line *a = left;
	const struct line *b = right;
	int order = compare_threads(a, b->pid, b->tid);

	return order ? order : a->number < b->number ? -1 : a->number > b->number;
}

/* Sorts the lines by thread, and stores in each line the thread's state after this line. */
static int follow_lines(struct kt_said_labels *said, const char *path)
{
	const char *calls[NESTED];
	const char *label = "";
	size_t depth = 0;

	if (said->n > 0) {
		qsort(said->lines, said->n, sizeof(said->lines[0]), compare_lines);
	}
	for (size_t i = 0; i < said->n; i++) {
		struct line *line = &said->lines[i];
		const char *text = line->label;
		bool first = i == 0 ||
			     compare_threads(&said->lines[i - 1], line->pid, line->tid);
		bool sense = first || said->lines[i - 1].time <= line->time;

		if (first) {
			label = "";
			depth = 0;
		}
		if (strcmp(line->what, "label") == 0) {
			label = text;
		} else if (strcmp(line->what, "enter") == 0 && depth < NESTED) {
			calls[depth++] = text;
		} else if (strcmp(line->what, "leave") == 0 && depth > 0 &&
			   strcmp(calls[depth - 1], text) == 0) {
			depth--;
		} else {
			sense = false;
		}
		if (!sense) {
			return kt_error(KT_E_MALFORMED,
					"read %s:%zu: the line is not possible here", path,
					line->number);
		}
		line->label = label;
		line->call = depth > 0 ? calls[depth - 1] : "";
	}
	return KT_OK;
}

int kt_said_labels_read(struct kt_said_labels **out, const char *path)
{
	struct kt_said_labels *said = calloc(1, sizeof(*said));
	struct kt_file file;
	int code;

	*out = NULL;
	if (!said) {
		return kt_error(KT_E_MEMORY, "read %s: out of memory", path);
	}
	KT_TRY_END(kt_file_open(&file, path, KT_FILE_WHOLE));
	said->text = malloc(file.length + 1);
	if (said->text) {
		memcpy(said->text, file.data, file.length);
		said->text[file.length] = '\0';
	}
	kt_file_close(&file);
	if (!said->text) {
		code = kt_error(KT_E_MEMORY, "read %s: out of memory", path);
		goto end;
	}
	KT_TRY_END(read_lines(said, path));
	KT_TRY_END(follow_lines(said, path));
	*out = said;
end:
	if (code) {
		kt_said_labels_free(said);
	}
	return code;
}

/* --- queries --- */

struct kt_said kt_said_labels_at(const struct kt_said_labels *said, uint32_t pid,
				 uint32_t tid, int64_t time)
{
	/*
	 * Finds the first line after `time` in this thread or, if there is none, the first
	 * line of the next thread.
	 */
	size_t low = 0;
	size_t high = said->n;
	const struct line *last;

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
	last = low > 0 ? &said->lines[low - 1] : NULL;
	if (!last || compare_threads(last, pid, tid)) {
		return (struct kt_said){"", ""};
	}
	return (struct kt_said){last->label, last->call};
}
