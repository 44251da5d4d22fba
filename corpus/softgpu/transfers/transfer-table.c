/* SPDX-License-Identifier: MIT */
#include "corpus/softgpu/transfers/transfer-table.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/try.h"

enum { MODEL, METHOD, DIRECTION, LATENCY, BANDWIDTH, MAX_BYTES, BASIS, SOURCE, COLUMNS };

static const char *const column_names[COLUMNS] = {
	"model",     "method", "direction", "latency_ns", "bandwidth_bytes_per_us",
	"max_bytes", "basis",  "source",
};

struct reader {
	struct kt_transfer_table table;
	size_t capacity;
	const char *name; /* Weak: name of the file */
	size_t line;
};

static int read_number(const struct reader *r, char *const fields[COLUMNS], int column,
		       uint64_t lo, uint64_t hi, uint64_t *out)
{
	const char *text = fields[column];
	size_t length = strlen(text);

	*out = strtoull(text, NULL, 10);
	if (length == 0 || length > 15 || strspn(text, "0123456789") != length ||
	    *out < lo || *out > hi) {
		return kt_error(KT_E_MALFORMED,
				"read %s:%zu: %s must be a number from %" PRIu64
				" to %" PRIu64 ", not '%s'",
				r->name, r->line, column_names[column], lo, hi, text);
	}
	return KT_OK;
}

static int read_name(const struct reader *r, char *const fields[COLUMNS], int column,
		     char out[static 16])
{
	size_t length = strlen(fields[column]);

	if (length == 0 || length > 15) {
		return kt_error(KT_E_MALFORMED,
				"read %s:%zu: %s must have 1 to 15 characters, not '%s'",
				r->name, r->line, column_names[column], fields[column]);
	}
	memcpy(out, fields[column], length + 1);
	return KT_OK;
}

/* Reads a field with two possible values. */
static int read_choice(const struct reader *r, char *const fields[COLUMNS], int column,
		       const char *yes, const char *no, bool *out)
{
	*out = strcmp(fields[column], yes) == 0;
	if (!*out && strcmp(fields[column], no) != 0) {
		return kt_error(KT_E_MALFORMED,
				"read %s:%zu: %s must be %s or %s, not '%s'", r->name,
				r->line, column_names[column], yes, no, fields[column]);
	}
	return KT_OK;
}

static int read_row(struct reader *r, char *line)
{
	struct kt_transfer_cost row;
	char *f[COLUMNS];
	size_t n = 0;

	line[strcspn(line, "\n")] = '\0';
	for (char *at = line; at; n++) { /* splits the line at its tabs */
		char *tab = strchr(at, '\t');

		if (tab) {
			*tab++ = '\0';
		}
		if (n < COLUMNS) {
			f[n] = at;
		}
		at = tab;
	}
	if (n != COLUMNS) {
		return kt_error(KT_E_MALFORMED,
				"read %s:%zu: expected %d tab-separated fields, found %zu",
				r->name, r->line, COLUMNS, n);
	}
	KT_TRY(read_name(r, f, MODEL, row.model));
	KT_TRY(read_name(r, f, METHOD, row.method));
	KT_TRY(read_choice(r, f, DIRECTION, "to-device", "from-device", &row.to_device));
	KT_TRY(read_number(r, f, LATENCY, 0, KT_TRANSFER_MAX_LATENCY_NS, &row.latency_ns));
	KT_TRY(read_number(r, f, BANDWIDTH, 1, KT_TRANSFER_MAX_BANDWIDTH, &row.bandwidth));
	KT_TRY(read_number(r, f, MAX_BYTES, 0, KT_TRANSFER_MAX_BYTES, &row.max_bytes));
	KT_TRY(read_choice(r, f, BASIS, "measured", "order", &row.measured));
	for (size_t i = 0; i < r->table.n; i++) {
		const struct kt_transfer_cost *other = &r->table.rows[i];

		if (strcmp(other->model, row.model) == 0 &&
		    strcmp(other->method, row.method) == 0 &&
		    other->to_device == row.to_device) {
			return kt_error(KT_E_MALFORMED,
					"read %s:%zu: %s of model %s already has a row "
					"for this direction",
					r->name, r->line, row.method, row.model);
		}
	}
	KT_TRY(kt_array_reserve(&r->table.rows, &r->capacity, r->table.n + 1));
	r->table.rows[r->table.n++] = row;
	return KT_OK;
}

int kt_transfer_table_read(struct kt_transfer_table *out, FILE *file, const char *name)
{
	struct reader r = {.name = name};
	char *line = NULL;
	size_t capacity = 0;
	ssize_t length;
	int code = KT_OK;

	while ((length = getline(&line, &capacity, file)) >= 0) {
		r.line++;
		if (strlen(line) != (size_t)length) {
			code = kt_error(KT_E_MALFORMED, "read %s:%zu: a NUL byte", name,
					r.line);
			goto end;
		}
		if (line[0] != '#' && line[0] != '\n') {
			KT_TRY_END(read_row(&r, line));
		}
	}
	if (ferror(file)) {
		code = kt_error_errno(KT_E_IO, "read %s", name);
	} else if (r.table.n == 0) {
		code = kt_error(KT_E_MALFORMED, "read %s: there is no row", name);
	} else {
		*out = r.table;
	}
end:
	free(line);
	if (code) {
		kt_transfer_table_free(&r.table);
	}
	return code;
}

void kt_transfer_table_free(struct kt_transfer_table *table)
{
	free(table->rows);
	*table = (struct kt_transfer_table){0};
}

bool kt_transfer_time(const struct kt_transfer_cost *cost, uint64_t bytes, uint64_t *ns)
{
	uint64_t most = cost->max_bytes ? cost->max_bytes : KT_TRANSFER_MAX_BYTES;

	if (bytes > most) {
		return false;
	}
	*ns = cost->latency_ns + (bytes * 1000 + cost->bandwidth - 1) / cost->bandwidth;
	return true;
}

/*
 * If `small` has latency l and bandwidth b, and `large` has latency L and bandwidth B > b:
 * l + 1000 n / b > L + 1000 n / B is equivalent to 1000 n (B - b) > (L - l) b B.
 */
bool kt_transfer_crossover(const struct kt_transfer_cost *small,
			   const struct kt_transfer_cost *large, uint64_t *bytes)
{
	uint64_t b = small->bandwidth;
	uint64_t B = large->bandwidth;
	uint64_t n = 1;

	if (B < b || (B == b && large->latency_ns >= small->latency_ns)) {
		return false;
	}
	if (large->latency_ns > small->latency_ns) {
		n = (large->latency_ns - small->latency_ns) * b * B / (1000 * (B - b)) + 1;
	}
	*bytes = n;
	return (!small->max_bytes || n <= small->max_bytes) &&
	       (!large->max_bytes || n <= large->max_bytes);
}
