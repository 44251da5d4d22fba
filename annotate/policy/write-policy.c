/* SPDX-License-Identifier: MIT */
/* Needs as a table and as text. */
#include <inttypes.h>
#include <string.h>

#include <ktail/status.h>

#include "annotate/policy/needs.h"
#include "base/terminal.h"
#include "base/try.h"
#include "base/wrap.h"

#define TEXT_WIDTH 140 /* columns, if the output is not a terminal */

static const struct kt_column columns[] = {
	{"kind", "need", KT_COLUMN_TEXT, 0},
	{"device", "device", KT_COLUMN_TEXT, 3},
	{"number", "number", KT_COLUMN_HANDLE, 2},
	{"space", "space", KT_COLUMN_TEXT, KT_COLUMN_WIDE},
	{"name", "name", KT_COLUMN_TEXT, 0},
	{"calls", "calls", KT_COLUMN_COUNT, 0},
	{"failed", "failed", KT_COLUMN_COUNT, 4},
	{"recordings", "recordings", KT_COLUMN_COUNT, 3},
	{"who", "who may", KT_COLUMN_TEXT, 4},
	{"only", "drivers", KT_COLUMN_TEXT, 1},
	{"first_call", "first in", KT_COLUMN_TEXT, 1},
	{"request", "request", KT_COLUMN_HANDLE, KT_COLUMN_WIDE},
};

static struct kt_cell number_cell(bool known, uint64_t number)
{
	return (struct kt_cell){.number = known ? number : 0, .known = known};
}

/*
 * Returns the name of a need for the text output. The name of a control is without a
 * prefix such as "NV2080_CTRL_CMD_", because the text also shows the number of the
 * control, whose high half is the class.
 */
static const char *shown_name(const struct kt_need *need)
{
	const char *name = kt_need_name(need);
	const char *control = strstr(name, "_CTRL_");

	switch (need->kind) {
	case KT_NEED_FILE: return need->device;
	case KT_NEED_MAP: return need->space;
	case KT_NEED_CONTROL:
		name = control ? control + strlen("_CTRL_") : name;
		return strncmp(name, "CMD_", 4) == 0 ? name + 4 : name;
	default: return name;
	}
}

static int make_table(struct kt_table *out, const struct kt_needs *needs, bool text)
{
	*out = KT_TABLE_OF(columns);
	out->all_in = "-o FILE.tsv";
	for (size_t i = 0; i < needs->n; i++) {
		const struct kt_need *need = &needs->items[i];
		const bool numbered =
			need->kind != KT_NEED_FILE && need->kind != KT_NEED_MAP;

		KT_TRY(KT_TABLE_ROW(
			out, KT_TEXT_CELL(kt_need_kind_names[need->kind]),
			KT_TEXT_CELL(need->device), number_cell(numbered, need->number),
			KT_TEXT_CELL(need->space),
			KT_TEXT_CELL(text ? shown_name(need) : kt_need_name(need)),
			KT_CELL(need->calls), KT_CELL(need->failed),
			KT_CELL(need->recordings),
			KT_TEXT_CELL(kt_control_who_name(kt_need_who(need))),
			KT_TEXT_CELL(need->only), KT_TEXT_CELL(need->call),
			number_cell(need->request, need->request)));
	}
	return KT_OK;
}

int kt_needs_table(struct kt_table *out, const void *needs)
{
	return make_table(out, needs, false);
}

/*
 * An unusual property of needs. kt_needs_write_text() prints `text` and the needs for
 * which is() returns true.
 */
struct oddity {
	const char *text;
	bool (*is)(const struct kt_need *need);
};

static bool is_restricted(const struct kt_need *need)
{
	return kt_need_who(need) > KT_CONTROL_ANY;
}

static bool is_nameless(const struct kt_need *need)
{
	return need->kind != KT_NEED_FILE && need->kind != KT_NEED_MAP &&
	       !kt_need_name(need)[0];
}

static bool always_fails(const struct kt_need *need)
{
	return need->calls > 0 && need->failed == need->calls;
}

static const struct oddity oddities[] = {
	{"Controls that not every client may make:", is_restricted},
	{"Without a public name:", is_nameless},
	{"Failed each time, so a program works without them:", always_fails},
};

static void write_oddity(FILE *out, const struct kt_needs *needs, const struct oddity *odd)
{
	struct kt_wrap line = {.out = out, .indent = 2};
	size_t n = 0;

	for (size_t i = 0; i < needs->n; i++) {
		const struct kt_need *need = &needs->items[i];
		const char *name = shown_name(need);

		if (!odd->is(need)) {
			continue;
		}
		if (n == 0) {
			kt_wrap_put(&line, "%s", odd->text);
		}
		kt_wrap_put(&line, "%s %s", n ? "," : "", kt_need_kind_names[need->kind]);
		if (name[0]) {
			kt_wrap_put(&line, " %s", name);
		} else {
			kt_wrap_put(&line, " 0x%" PRIx32, need->number);
		}
		n++;
	}
	if (n > 0) {
		kt_wrap_end(&line);
	}
}

int kt_needs_write_text(FILE *out, const void *context)
{
	const struct kt_needs *needs = context;
	const size_t width = kt_terminal_width(out);
	struct kt_table table;
	int code;

	fprintf(out, "%" PRIu64 " %s", needs->recordings,
		needs->recordings == 1 ? "recording" : "recordings");
	for (size_t i = 0; i < needs->n_drivers; i++) {
		fprintf(out, "%s%s", i ? ", " : " with libcuda ", needs->drivers[i]);
	}
	fputs("\n\n", out);
	code = make_table(&table, needs, true);
	if (!code) {
		code = width ? kt_table_print_text(out, &table, width)
			     : kt_table_print_text(out, &table, TEXT_WIDTH);
	}
	kt_table_free(&table);
	KT_TRY(code);
	putc('\n', out);
	for (size_t i = 0; i < sizeof(oddities) / sizeof(oddities[0]); i++) {
		write_oddity(out, needs, &oddities[i]);
	}
	return ferror(out) ? kt_error_errno(KT_E_IO, "write policy") : KT_OK;
}

int kt_needs_write_tsv(FILE *out, const void *needs)
{
	KT_TRY(kt_table_output(out, needs, kt_needs_table, kt_table_print_tsv));
	return ferror(out) ? kt_error_errno(KT_E_IO, "write policy") : KT_OK;
}
