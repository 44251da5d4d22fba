/* SPDX-License-Identifier: MIT */
#include "base/versions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/try.h"
#include "base/utf8.h"

static int compare(const struct kt_version *a, const struct kt_version *b)
{
	int order = strcmp(a->what, b->what);

	order = order ? order : strcmp(a->version, b->version);
	order = order ? order : strcmp(a->id, b->id);
	return order ? order : strcmp(a->detail, b->detail);
}

static char *copy_text(const char *text)
{
	return kt_utf8_printable_copy(text ? text : "");
}

static void clear_row(struct kt_version *row)
{
	free(row->what);
	free(row->version);
	free(row->id);
	free(row->detail);
}

int kt_versions_add(struct kt_versions *versions, const char *what, const char *version,
		    const char *id, const char *detail)
{
	struct kt_version row = {
		.what = copy_text(what),
		.version = copy_text(version),
		.id = copy_text(id),
		.detail = copy_text(detail),
	};
	size_t at = 0;
	int code;

	if (!row.what || !row.version || !row.id || !row.detail) {
		code = kt_no_memory("note versions");
		goto end;
	}
	if (!row.what[0] || versions->n == KT_VERSIONS_MAX) {
		code = KT_OK;
		goto end;
	}
	while (at < versions->n && compare(&versions->rows[at], &row) < 0) {
		at++;
	}
	if (at < versions->n && compare(&versions->rows[at], &row) == 0) {
		code = KT_OK;
		goto end;
	}
	KT_TRY_END(kt_array_reserve(&versions->rows, &versions->capacity, versions->n + 1));
	memmove(&versions->rows[at + 1], &versions->rows[at],
		(versions->n - at) * sizeof(row));
	versions->rows[at] = row;
	versions->n++;
	return KT_OK;
end:
	clear_row(&row);
	return code;
}

int kt_versions_add_all(struct kt_versions *versions, const struct kt_versions *more)
{
	for (size_t i = 0; i < more->n; i++) {
		const struct kt_version *row = &more->rows[i];

		KT_TRY(kt_versions_add(versions, row->what, row->version, row->id,
				       row->detail));
	}
	return KT_OK;
}

bool kt_versions_equal(const struct kt_versions *a, const struct kt_versions *b)
{
	if (a->n != b->n) {
		return false;
	}
	for (size_t i = 0; i < a->n; i++) {
		if (compare(&a->rows[i], &b->rows[i]) != 0) {
			return false;
		}
	}
	return true;
}

void kt_versions_clear(struct kt_versions *versions)
{
	for (size_t i = 0; i < versions->n; i++) {
		clear_row(&versions->rows[i]);
	}
	free(versions->rows);
	*versions = (struct kt_versions){0};
}

const struct kt_version *kt_versions_find(const struct kt_versions *versions,
					  const char *what)
{
	for (size_t i = 0; i < versions->n; i++) {
		if (strcmp(versions->rows[i].what, what) == 0) {
			return &versions->rows[i];
		}
	}
	return NULL;
}

/*
 * Returns whether each row of `what` in `some` has the same version and id as a row of
 * `what` in `all`.
 */
static bool are_within(const struct kt_versions *some, const struct kt_versions *all,
		       const char *what)
{
	for (size_t i = 0; i < some->n; i++) {
		const struct kt_version *row = &some->rows[i];
		bool found = false;

		if (strcmp(row->what, what) != 0) {
			continue;
		}
		for (size_t j = 0; j < all->n && !found; j++) {
			const struct kt_version *other = &all->rows[j];

			found = strcmp(other->what, what) == 0 &&
				strcmp(other->version, row->version) == 0 &&
				strcmp(other->id, row->id) == 0;
		}
		if (!found) {
			return false;
		}
	}
	return true;
}

bool kt_versions_agree(const struct kt_versions *a, const struct kt_versions *b,
		       const char *what)
{
	return !kt_versions_find(a, what) || !kt_versions_find(b, what) ||
	       (are_within(a, b, what) && are_within(b, a, what));
}

/* --- for readers --- */

static const struct kt_version_part parts[] = {
	{"libcuda", "libcuda"},
	{"module", "kernel module"},
	{"gpu", "GPU"},
	{"gsp", "GPU firmware"},
	{"libcudart", "libcudart"},
	{"libcupti", "libcupti"},
	{"libcublas", "libcublas"},
	{"libcudnn", "libcudnn"},
	{"libnccl", "libnccl"},
	{"libtorch_cuda", "libtorch_cuda"},
	{"kernel", "Linux"},
	{"lttng-modules", "LTTng-modules"},
};

const struct kt_version_part *kt_versions_part(size_t i)
{
	return i < sizeof(parts) / sizeof(parts[0]) ? &parts[i] : NULL;
}

/* Appends `more` to text[0..size), preceded by a comma if the text was not empty. */
static void append(char *text, size_t size, const char *more)
{
	const size_t n = strlen(text);

	snprintf(text + n, size - n, "%s%s", n > 0 ? ", " : "", more);
}

void kt_versions_text(char *text, size_t size, const struct kt_versions *versions,
		      const char *what, bool ids)
{
	const struct kt_version *before = NULL;

	text[0] = '\0';
	for (size_t i = 0; i < versions->n; i++) {
		const struct kt_version *row = &versions->rows[i];
		char one[256];

		if (strcmp(row->what, what) != 0 ||
		    (before && strcmp(before->version, row->version) == 0 &&
		     (!ids || strcmp(before->id, row->id) == 0))) {
			continue;
		}
		before = row;
		if (ids && row->id[0]) {
			snprintf(one, sizeof(one), "%.200s%s%.13s%s", row->version,
				 row->version[0] ? " (" : "", row->id,
				 row->version[0] ? ")" : "");
		} else {
			snprintf(one, sizeof(one), "%.200s", row->version);
		}
		append(text, size, one);
	}
}

void kt_versions_mode(char *text, size_t size, const struct kt_versions *versions,
		      const char *mode)
{
	const size_t n = strlen(mode);

	text[0] = '\0';
	for (size_t i = 0; i < versions->n; i++) {
		const struct kt_version *row = &versions->rows[i];
		const char *at = strcmp(row->what, "recorder") == 0 ? row->detail : "";

		for (; *at; at += strcspn(at, " "), at += strspn(at, " ")) {
			const char *value = at + n + 1;
			const size_t length = strcspn(at, " ");

			if (strncmp(at, mode, n) != 0 || at[n] != '=') {
				continue;
			}
			if (text[0] && (strlen(text) != length - n - 1 ||
					strncmp(text, value, length - n - 1) != 0)) {
				snprintf(text, size, "mixed");
				return;
			}
			snprintf(text, size, "%.*s", (int)(length - n - 1), value);
		}
	}
}

void kt_versions_api_calls(char text[KT_VERSIONS_MODE], const struct kt_versions *versions)
{
	text[0] = '\0';
	for (size_t i = 0; i < versions->n; i++) {
		const struct kt_versions one = {.rows = &versions->rows[i], .n = 1};
		char calls[KT_VERSIONS_MODE];
		char api[KT_VERSIONS_MODE];

		kt_versions_mode(calls, sizeof(calls), &one, "api-calls");
		kt_versions_mode(api, sizeof(api), &one, "api");
		if (!calls[0] && api[0] && strcmp(api, "none") != 0) {
			strcpy(calls, "all");
		}
		if (calls[0]) {
			strcpy(text, text[0] && strcmp(text, calls) != 0 ? "mixed" : calls);
		}
	}
}
