/* SPDX-License-Identifier: MIT */
#include "infer/ktail/diff/diff-calls.h"

#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/json.h"
#include "base/try.h"

static const struct kt_diff_figure_kind kinds[] = {
	{"doorbells", "doorbell", "doorbells"},
	{"bytes", "byte of commands", "bytes of commands"},
	{"entries", "ring entry", "ring entries"},
	{"launches", "launch", "launches"},
	{"empty_grids", "empty grid", "empty grids"},
	{"inline", "inline copy", "inline copies"},
	{"direct", "direct copy", "direct copies"},
	{"staged", "staged copy", "staged copies"},
	{"fills", "fill", "fills"},
	{"copied_bytes", "byte copied", "bytes copied"},
	{"launch_writes", "write of a launch's own", "writes of launches' own"},
	{"releases", "semaphore release", "semaphore releases"},
	{"acquires", "semaphore acquire", "semaphore acquires"},
	{"ioctls", "ioctl", "ioctls"},
	{"maps", "mapping", "mappings"},
	{"unmaps", "unmapping", "unmappings"},
	{"waits", "wait for a device", "waits for a device"},
	{"errors", "error", "errors"},
};

#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

/* Counts of one function in one machine. */
struct row {
	const char *name; /* Weak */
	uint64_t calls;
	uint64_t launches;
	uint64_t n[KINDS];
};

struct rows {
	struct row *rows; /* Owned by this; sorted by name */
	size_t n;
};

/* Sets *out to 0 if the member is missing. */
static int read_number(uint64_t *out, const json_t *object, const char *key)
{
	*out = 0;
	return json_object_get(object, key)
		       ? kt_json_get_number(out, object, key, INT64_MAX)
		       : KT_OK;
}

static int read_row(struct row *row, const json_t *object)
{
	row->name = json_string_value(json_object_get(object, "name"));
	if (!row->name) {
		return kt_json_mismatch("name", json_object_get(object, "name"),
					"a string");
	}
	KT_TRY(read_number(&row->calls, object, "calls"));
	KT_TRY(read_number(&row->launches, object, "launches"));
	for (size_t i = 0; i < KINDS; i++) {
		KT_TRY(read_number(&row->n[i], object, kinds[i].key));
	}
	return KT_OK;
}

static int compare_rows(const void *a, const void *b)
{
	return strcmp(((const struct row *)a)->name, ((const struct row *)b)->name);
}

static int read_rows(struct rows *rows, const json_t *array)
{
	rows->rows = calloc(json_array_size(array) + 1, sizeof(*rows->rows));
	if (!rows->rows) {
		return kt_error(KT_E_MEMORY, "out of memory");
	}
	for (size_t i = 0; i < json_array_size(array); i++) {
		KT_TRY(kt_json_within(read_row(&rows->rows[i], json_array_get(array, i)),
				      "calls", i));
		rows->n++;
	}
	qsort(rows->rows, rows->n, sizeof(*rows->rows), compare_rows);
	return KT_OK;
}

static int compare_functions(struct kt_diff_calls *out, const struct row *old,
			     const struct row *new)
{
	uint64_t each;

	if (!old->calls || !new->calls) {
		return KT_OK;
	}
	/*
	 * Keep the launches per call only if both machines agree on a whole number above 1.
	 */
	each = old->launches / old->calls;
	if (each <= 1 || old->launches % old->calls != 0 ||
	    new->launches % new->calls != 0 || new->launches / new->calls != each) {
		each = 0;
	}
	for (size_t i = 0; i < KINDS; i++) {
		long double p = (long double)old->n[i] * new->calls;
		long double q = (long double)new->n[i] * old->calls;
		long double apart = p > q ? p - q : q - p;

		if (apart * 100 <= (p > q ? p : q) * KT_DIFF_CALLS_TOLERANCE) {
			continue;
		}
		KT_TRY(kt_array_reserve(&out->figures, &out->capacity, out->n_figures + 1));
		out->figures[out->n_figures++] = (struct kt_diff_figure){
			.name = new->name,
			.kind = &kinds[i],
			.n = {old->n[i], new->n[i]},
			.calls = {old->calls, new->calls},
			.launches = each,
		};
	}
	return KT_OK;
}

static int add_only(struct kt_diff_calls *out, int version, const struct row *row)
{
	KT_TRY(kt_array_reserve(&out->only[version], &out->only_capacity[version],
				out->n_only[version] + 1));
	out->only[version][out->n_only[version]++] = row->name;
	return KT_OK;
}

int kt_diff_calls(struct kt_diff_calls *out, const json_t *const annotation[2],
		  const char *const names[2])
{
	struct rows rows[2] = {{0}};
	const struct row *old;
	const struct row *new;
	int code = KT_OK;

	*out = (struct kt_diff_calls){0};
	for (int s = 0; s < 2; s++) {
		const json_t *array = json_object_get(annotation[s], "calls");

		/*
		 * If the list is empty, the trace had no API events, so nothing can be
		 * compared.
		 */
		out->known[s] = json_array_size(array) > 0;
		code = kt_json_in_member(read_rows(&rows[s], array), "annotation");
		if (code) {
			kt_error_prepend(code, "read %s", names[s]);
			goto end;
		}
	}
	if (!out->known[0] || !out->known[1]) {
		goto end;
	}
	old = rows[0].rows;
	new = rows[1].rows;
	for (size_t i = 0, j = 0; i < rows[0].n || j < rows[1].n;) {
		int order = i == rows[0].n   ? 1
			    : j == rows[1].n ? -1
					     : strcmp(old[i].name, new[j].name);

		KT_TRY_END(order < 0   ? add_only(out, 0, &old[i])
			   : order > 0 ? add_only(out, 1, &new[j])
				       : compare_functions(out, &old[i], &new[j]));
		i += order <= 0;
		j += order >= 0;
	}
end:
	free(rows[0].rows);
	free(rows[1].rows);
	return code;
}

void kt_diff_calls_free(struct kt_diff_calls *calls)
{
	free(calls->figures);
	free(calls->only[0]);
	free(calls->only[1]);
	*calls = (struct kt_diff_calls){0};
}
