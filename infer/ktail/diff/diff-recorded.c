/* SPDX-License-Identifier: MIT */
/*
 * Writes what the two versions were recorded with: what differs, what is the same, and what
 * is known of one version only.
 */
#include "infer/ktail/diff/diff-text.h"

#include <string.h>

#define TEXT 1024

static const struct kt_versions *versions_of(const struct kt_diff_report *r, int s)
{
	return &r->versions->version[s].input.fsm->versions;
}

/* Writes "name: old -> new", with "none" in place of "". */
static void write_row(FILE *out, const char *name, const char *old, const char *new)
{
	struct kt_wrap line = {.out = out, .indent = 4};

	kt_wrap_put(&line, "  %s:", name);
	kt_wrap_words(&line, old[0] ? old : "none");
	kt_wrap_put(&line, " ->");
	kt_wrap_words(&line, new[0] ? new : "none");
	kt_wrap_end(&line);
}

static bool has_row(const struct kt_versions *versions, const struct kt_version *row)
{
	for (size_t i = 0; i < versions->n; i++) {
		if (strcmp(versions->rows[i].what, row->what) == 0 &&
		    strcmp(versions->rows[i].detail, row->detail) == 0) {
			return true;
		}
	}
	return false;
}

/*
 * Returns the row of `versions` for the environment variable that `variable` ("NAME=...")
 * names. NULL if there is no such row, or if `variable` has no '='.
 */
static const struct kt_version *other_value(const struct kt_versions *versions,
					    const struct kt_version *variable)
{
	const size_t n = strcspn(variable->detail, "=");

	for (size_t i = 0; i < versions->n && variable->detail[n]; i++) {
		const struct kt_version *row = &versions->rows[i];

		if (strcmp(row->what, variable->what) == 0 &&
		    strncmp(row->detail, variable->detail, n + 1) == 0) {
			return row;
		}
	}
	return NULL;
}

/*
 * Writes the commands or environment variables that only one version has, and variables
 * whose values differ.
 */
static void write_details(FILE *out, const struct kt_diff_report *r, const char *what)
{
	for (int s = 0; s < 2; s++) {
		const struct kt_versions *own = versions_of(r, s);

		for (size_t i = 0; i < own->n; i++) {
			const struct kt_version *row = &own->rows[i];
			const struct kt_version *other;
			struct kt_wrap line = {.out = out, .indent = 4};

			if (strcmp(row->what, what) != 0 ||
			    has_row(versions_of(r, !s), row)) {
				continue;
			}
			other = other_value(versions_of(r, !s), row);
			if (other && s == 1) {
				continue; /* already written, next to the old value */
			}
			if (other) {
				kt_wrap_put(&line, "  %s:", what);
				kt_wrap_words(&line, row->detail);
				kt_wrap_put(&line, " ->");
				kt_wrap_words(&line, strchr(other->detail, '=') + 1);
			} else {
				kt_wrap_put(&line, "  %s, only %s:", what,
					    kt_diff_version_names[s]);
				kt_wrap_words(&line, row->detail);
			}
			kt_wrap_end(&line);
		}
	}
}

/* Appends to the comma-separated list in list[0..size). */
static void add(char *list, size_t size, const char *more)
{
	const size_t n = strlen(list);

	snprintf(list + n, size - n, "%s%s", n > 0 ? ", " : "", more);
}

/* For each version, writes the parts that are known of the other version only. */
static void write_unknown(FILE *out, const struct kt_versions *old,
			  const struct kt_versions *new)
{
	for (int s = 0; s < 2; s++) {
		const struct kt_version_part *part;
		char list[TEXT] = "";
		struct kt_wrap line = {.out = out, .indent = 4};

		for (size_t i = 0; (part = kt_versions_part(i)); i++) {
			if (!kt_versions_find(s ? new : old, part->what) &&
			    kt_versions_find(s ? old : new, part->what)) {
				add(list, sizeof(list), part->name);
			}
		}
		if (list[0]) {
			kt_wrap_put(&line,
				    "Not known of the %s side:", kt_diff_version_names[s]);
			kt_wrap_words(&line, list);
			kt_wrap_end(&line);
		}
	}
}

void kt_diff_write_recorded(FILE *out, const struct kt_diff_report *r)
{
	static const char *const modes[][2] = {
		{"access", "accesses"},
		{"api", "calls of the API"},
		{"api-calls", "traced calls of the API"},
	};
	const struct kt_versions *old = versions_of(r, 0);
	const struct kt_versions *new = versions_of(r, 1);
	char a[TEXT];
	char b[TEXT];
	const struct kt_version_part *part;
	char same[TEXT] = "";
	bool differ = false;

	if (old->n == 0 || new->n == 0) {
		return;
	}
	for (size_t i = 0; (part = kt_versions_part(i)); i++) {
		if (!kt_versions_find(old, part->what) ||
		    !kt_versions_find(new, part->what)) {
			continue;
		}
		if (kt_versions_agree(old, new, part->what)) {
			add(same, sizeof(same), part->name);
			continue;
		}
		kt_versions_text(a, sizeof(a), old, part->what, false);
		kt_versions_text(b, sizeof(b), new, part->what, false);
		if (strcmp(a, b) == 0) { /* the same version in different builds */
			kt_versions_text(a, sizeof(a), old, part->what, true);
			kt_versions_text(b, sizeof(b), new, part->what, true);
		}
		fputs(differ ? "" : "Recorded with:\n", out);
		differ = true;
		write_row(out, part->name, a, b);
	}
	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		kt_versions_mode(a, sizeof(a), old, modes[i][0]);
		kt_versions_mode(b, sizeof(b), new, modes[i][0]);
		if (a[0] && b[0] && strcmp(a, b) != 0) {
			fputs(differ ? "" : "Recorded with:\n", out);
			differ = true;
			write_row(out, modes[i][1], a, b);
		}
	}
	kt_versions_text(a, sizeof(a), old, KT_VERSIONS_GIVEN_UP, false);
	kt_versions_text(b, sizeof(b), new, KT_VERSIONS_GIVEN_UP, false);
	if (strcmp(a, b) != 0) {
		fputs(differ ? "" : "Recorded with:\n", out);
		differ = true;
		write_row(out, "given up", a, b);
	}
	if (same[0]) {
		struct kt_wrap line = {.out = out, .indent = 4};

		kt_wrap_put(&line, "%s with the same", differ ? "  and" : "Recorded");
		kt_wrap_words(&line, same);
		kt_wrap_end(&line);
	}
	write_unknown(out, old, new);
	if (kt_versions_find(old, "command") && kt_versions_find(new, "command")) {
		write_details(out, r, "command");
		write_details(out, r, "environment");
	}
}
