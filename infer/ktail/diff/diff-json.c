/* SPDX-License-Identifier: MIT */
/* A difference as JSON, with what annotated machines mean. */
#include "infer/ktail/diff/diff-text.h"

#include <inttypes.h>

#include "base/json-string.h"

static void write_list(FILE *out, const struct kt_diff_meaning_list *list)
{
	putc('[', out);
	for (size_t i = 0; i < list->n; i++) {
		fputs(i ? ", {\"text\": " : "{\"text\": ", out);
		kt_json_string(out, list->items[i].text);
		fprintf(out, ", \"states\": %zu, \"transitions\": %zu}",
			list->items[i].states, list->items[i].transitions);
	}
	putc(']', out);
}

static void write_lists(FILE *out, const char *key,
			const struct kt_diff_meaning_list list[2])
{
	fprintf(out, "    \"%s\": {", key);
	for (int s = 0; s < 2; s++) {
		fprintf(out, "%s\"%s\": ", s ? ",\n      " : "", kt_diff_side_names[s]);
		write_list(out, &list[s]);
	}
	fputs("},\n", out);
}

static void write_figures(FILE *out, const struct kt_diff_calls *calls)
{
	fputs("    \"calls\": [", out);
	for (size_t i = 0; i < calls->n_figures; i++) {
		const struct kt_diff_figure *figure = &calls->figures[i];

		fputs(i ? ",\n      {\"name\": " : "\n      {\"name\": ", out);
		kt_json_string(out, figure->name);
		fprintf(out,
			", \"figure\": \"%s\", \"old\": %" PRIu64
			", \"old_calls\": %" PRIu64 ", \"new\": %" PRIu64
			", \"new_calls\": %" PRIu64 "}",
			figure->kind->key, figure->n[0], figure->calls[0], figure->n[1],
			figure->calls[1]);
	}
	fputs(calls->n_figures ? "\n    ],\n" : "],\n", out);
}

static void write_functions(FILE *out, const struct kt_diff_calls *calls)
{
	fputs("    \"functions\": {", out);
	for (int s = 0; s < 2; s++) {
		fprintf(out, "%s\"%s\": [", s ? ", " : "", kt_diff_side_names[s]);
		for (size_t i = 0; i < calls->n_only[s]; i++) {
			fputs(i ? ", " : "", out);
			kt_json_string(out, calls->only[s][i]);
		}
		putc(']', out);
	}
	fputs("}\n", out);
}

static bool is_known(const struct kt_diff_report *r)
{
	return (r->meanings->known[0] && r->meanings->known[1]) ||
	       (r->calls->known[0] && r->calls->known[1]);
}

int kt_diff_report_write_json(FILE *out, const void *report)
{
	const struct kt_diff_report *r = report;
	int code = kt_diff_write_members(r->diff, out);

	if (!code && is_known(r)) {
		fputs(",\n  \"meanings\": {\n", out);
		write_lists(out, "labels", r->meanings->labels);
		write_lists(out, "phases", r->meanings->phases);
		write_figures(out, r->calls);
		write_functions(out, r->calls);
		fputs("  }", out);
	}
	fputs("\n}\n", out);
	if (!code && ferror(out)) {
		code = kt_error_errno(KT_E_IO, "write difference as JSON");
	}
	return code;
}
