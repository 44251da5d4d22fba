/* SPDX-License-Identifier: MIT */
/* A difference as JSON, with what annotated machines mean. */
#include "infer/ktail/diff/diff-text.h"

#include <inttypes.h>

#include "base/json-string.h"

/* Of the old machine, then of the new one. */
static void write_lists(FILE *out, const char *key,
			const struct kt_diff_meaning_list list[2])
{
	fprintf(out, "    \"%s\": {", key);
	for (int s = 0; s < 2; s++) {
		fprintf(out, "%s\"%s\": [", s ? ",\n      " : "", kt_diff_side_names[s]);
		for (size_t i = 0; i < list[s].n; i++) {
			const struct kt_diff_meaning *meaning = &list[s].items[i];

			fputs(i ? ", {\"text\": " : "{\"text\": ", out);
			kt_json_string(out, meaning->text);
			fprintf(out, ", \"states\": %zu, \"transitions\": %zu}",
				meaning->states, meaning->transitions);
		}
		putc(']', out);
	}
	fputs("},\n", out);
}

static void write_calls(FILE *out, const struct kt_diff_calls *calls)
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

int kt_diff_report_write_json(FILE *out, const void *report)
{
	const struct kt_diff_report *r = report;
	int code = kt_diff_write_members(r->diff, out);

	if (!code && ((r->meanings->known[0] && r->meanings->known[1]) ||
		      (r->calls->known[0] && r->calls->known[1]))) {
		fputs(",\n  \"meanings\": {\n", out);
		write_lists(out, "labels", r->meanings->labels);
		write_lists(out, "phases", r->meanings->phases);
		write_calls(out, r->calls);
		fputs("  }", out);
	}
	fputs("\n}\n", out);
	if (!code && ferror(out)) {
		code = kt_error_errno(KT_E_IO, "write difference as JSON");
	}
	return code;
}
