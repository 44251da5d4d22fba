/* SPDX-License-Identifier: MIT */
#include "annotate/stats/stats-report.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include <jansson.h>

#include <ktail/status.h>

#include "annotate/calls/coverage.h"

#include "base/order.h"
#include "base/try.h"

/* Values of "by" in JSON, indexed by enum kt_stats_what. */
static const char *const what_names[] = {"call", "channel",  "context", "class",
					 "each", "coverage", "fit",     "sides"};

/* Returns a note that the table is empty or that no line could be fitted; NULL: no note. */
static const char *note(const struct kt_stats_report *r)
{
	switch (r->options->what) {
	case KT_STATS_CALLS:
	case KT_STATS_EACH:
		return r->calls == 0 ? "no API calls were recorded; record with ktail "
				       "record --api=wrap"
				     : NULL;
	case KT_STATS_FIT:
		return r->table.n_rows == 0
			       ? "no call of that kind was recorded until its return"
		       : !r->fit.line.known
			       ? "no line can be fitted: all calls have the same "
				 "number of bytes"
			       : NULL;
	case KT_STATS_COVERAGE:
		return r->table.n_rows == 0 ? "no entry points of the API were recorded"
					    : NULL;
	case KT_STATS_CHANNELS:
	case KT_STATS_CONTEXTS:
	case KT_STATS_CLASSES:
	case KT_STATS_VERSIONS: break;
	}
	return NULL;
}

/*
 * Prints the range and the median of the calls' bytes, from which the reader sees whether
 * a single large call among many small ones determines the fitted line.
 */
static void print_sizes(FILE *out, const struct kt_table *table)
{
	uint64_t *bytes = calloc(table->n_rows + 1, sizeof(*bytes));
	size_t column = 0;

	while (column < table->n_columns &&
	       strcmp(table->columns[column].key, "bytes") != 0) {
		column++;
	}
	for (size_t i = 0; bytes && i < table->n_rows && column < table->n_columns; i++) {
		bytes[i] = kt_table_row(table, i)[column].number;
	}
	if (bytes && table->n_rows > 0) {
		qsort(bytes, table->n_rows, sizeof(*bytes), kt_compare_u64);
		fprintf(out,
			"bytes of commands: %" PRIu64 " to %" PRIu64 ", median %" PRIu64
			"\n",
			bytes[0], bytes[table->n_rows - 1], bytes[table->n_rows / 2]);
	}
	free(bytes);
}

/* --- text --- */

/* Prints a fitted line: intercept in us, slope in ns per byte, and r2. */
static void print_line(FILE *out, const struct kt_line *line)
{
	fprintf(out, "time = %.3f us %c %.3f ns a byte of commands, r2 %.4f",
		line->intercept / 1000, line->slope < 0 ? '-' : '+', fabs(line->slope),
		line->r2);
}

static void print_fit(FILE *out, const struct kt_stats_report *r)
{
	if (!r->fit.line.known) {
		return;
	}
	print_line(out, &r->fit.line);
	fprintf(out, " (%s)\n", r->options->robust ? "median of slopes" : "least squares");
	if (!r->fit.has_lever) {
		return;
	}
	fprintf(out,
		"The call with %" PRIu64
		" bytes determines this line. Without that call:\n",
		r->fit.lever_bytes);
	if (r->fit.others.known) {
		print_line(out, &r->fit.others);
		putc('\n', out);
	} else {
		fputs("no line: all other calls have the same number of bytes\n", out);
	}
}

/* What the table does about detail that was given up, indexed by enum kt_stats_what. */
static const char *const of_given_up[] = {
	[KT_STATS_CALLS] = "Figures that may lack some of it are unknown (-).\n",
	[KT_STATS_CHANNELS] =
		"The table has nothing that was submitted after the end of commands.\n",
	[KT_STATS_CONTEXTS] =
		"The table has nothing that was submitted after the end of commands.\n",
	[KT_STATS_CLASSES] =
		"The table has nothing that was submitted after the end of commands.\n",
	[KT_STATS_EACH] = "Figures that may lack some of it are unknown (-).\n",
	[KT_STATS_COVERAGE] = "",
	[KT_STATS_FIT] = "Calls that returned after the end of commands are left out.\n",
	[KT_STATS_VERSIONS] = "Figures that may lack some of it are not compared.\n",
};

/* Prints until when the trace is complete, if the recorder gave up something. */
static int print_given_up(FILE *out, const struct kt_stats_report *r, size_t width)
{
	struct kt_table table;
	int code;

	if (r->given_up.n == 0) {
		return KT_OK;
	}
	KT_TRY_END(kt_given_up_rows_table(&r->given_up, &table));
	fputs("\n" KT_GIVEN_UP_SENTENCE "\n", out);
	code = kt_table_print_text(out, &table, width);
	if (r->given_up.more > 0) {
		fprintf(out, "and %" PRIu64 " more\n", r->given_up.more);
	}
	fputs(of_given_up[r->options->what], out);
end:
	kt_table_free(&table);
	return code;
}

static int print_versions(FILE *out, const struct kt_stats_report *r, size_t width)
{
	const struct kt_compared_versions *versions = &r->versions;

	fprintf(out, "old: %zu recording%s, new: %zu recording%s\n\n", versions->of[0],
		versions->of[0] == 1 ? "" : "s", versions->of[1],
		versions->of[1] == 1 ? "" : "s");
	if (r->table.n_rows > 0) {
		KT_TRY(kt_table_print_text(out, &r->table, width));
		putc('\n', out);
	}
	if (versions->n_found > 0) {
		fputs("Each figure is the sum over a recording; old, new: medians; "
		      "difference: the "
		      "median\nof the differences between any new and any old recording.\n",
		      out);
	}
	fprintf(out,
		"Of %zu figures that vary among the recordings, %zu differ%s between the "
		"versions\n(chance alone would give any with a probability of 5 %%).\n",
		versions->n, versions->n_found, versions->n_found == 1 ? "s" : "");
	if (versions->hopeless) {
		fputs("With so few recordings, each difference may be chance.\n", out);
	}
	return print_given_up(out, r, width);
}

/* If there are times of calls, prints how they were recorded, as far as the traces say. */
static void print_recorded(FILE *out, const struct kt_stats_report *r)
{
	static const char *const modes[] = {"access", "doorbell"};
	const enum kt_stats_what what = r->options->what;
	bool any = false;

	if (r->calls == 0 ||
	    (what != KT_STATS_CALLS && what != KT_STATS_EACH && what != KT_STATS_FIT)) {
		return;
	}
	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		char mode[32];

		kt_versions_mode(mode, sizeof(mode), &r->recorded, modes[i]);
		if (mode[0]) {
			fprintf(out, "%s%s=%s",
				any ? " " : "times include the recorder's work (", modes[i],
				mode);
			any = true;
		}
	}
	fputs(any ? ")\n" : "", out);
}

static int print_text(FILE *out, const struct kt_stats_report *r,
		      const struct kt_table *shown, size_t width)
{
	const char *more = note(r);
	int code = KT_OK;

	if (r->options->what == KT_STATS_VERSIONS) {
		return print_versions(out, r, width);
	}
	for (size_t i = 0; i < r->n_traces && i < 3; i++) {
		fprintf(out, "trace %s\n", r->traces[i]);
	}
	if (r->n_traces > 3) {
		fprintf(out, "and %zu more\n", r->n_traces - 3);
	}
	putc('\n', out);
	if (r->options->what != KT_STATS_FIT) {
		code = kt_table_print_text(out, shown, width);
	} else {
		fprintf(out, "%s: %zu %s%s\n", r->options->fit, r->table.n_rows,
			r->table.n_rows == 1 ? "call" : "calls",
			r->options->outer ? ", outermost" : "");
		if (r->left_out > 0) {
			fprintf(out,
				"%" PRIu64 " more %s left out: the recorder had given up "
				"commands\n",
				r->left_out, r->left_out == 1 ? "is" : "are");
		}
		print_sizes(out, &r->table);
		print_fit(out, r);
	}
	/* Print the number of entry points in each state. */
	if (r->options->what == KT_STATS_COVERAGE && r->table.n_rows > 0) {
		uint64_t wrapped = 0;
		uint64_t counted = 0;
		uint64_t past = 0;
		uint64_t unseen = 0;

		for (size_t i = 0; i < r->table.n_rows; i++) {
			const struct kt_cell *row = kt_table_row(&r->table, i);
			const struct kt_cell *before = i ? row - r->table.n_columns : NULL;
			const char *state = row[KT_COVERAGE_STATE].text;
			/*
			 * Whether this row is about the entry point of the previous row,
			 * which is counted already. A program that obtains an entry point
			 * in several ways causes a row for each way.
			 */
			bool again = before &&
				     strcmp(row[KT_COVERAGE_API].text,
					    before[KT_COVERAGE_API].text) == 0 &&
				     strcmp(state, before[KT_COVERAGE_STATE].text) == 0 &&
				     strcmp(row[KT_COVERAGE_NAME].text,
					    before[KT_COVERAGE_NAME].text) == 0;

			wrapped += strcmp(state, "wrapped") == 0 && !again;
			counted += strcmp(state, "counted") == 0 && !again;
			past += strcmp(state, "past") == 0 && !again;
			unseen += strcmp(state, "unseen") == 0
					  ? row[KT_COVERAGE_CALLS].number
					  : 0;
		}
		fprintf(out, "\n%" PRIu64 " wrapped, ", wrapped);
		if (counted > 0) {
			fprintf(out, "%" PRIu64 " wrapped to count calls, ", counted);
		}
		fprintf(out,
			"%" PRIu64 " bypassed the recorder, %" PRIu64
			" not looked up by the program\n",
			past, unseen);
	}
	if (r->counted > 0 &&
	    (r->options->what == KT_STATS_CALLS || r->options->what == KT_STATS_EACH)) {
		fprintf(out,
			"%" PRIu64 " more API call%s counted and not traced (ktail stats "
			"--coverage lists them; ktail record --api-calls=all traces "
			"them)\n",
			r->counted, r->counted == 1 ? " was" : "s were");
	}
	print_recorded(out, r);
	if (more) {
		fprintf(out, "%s\n", more);
	}
	return code ? code : print_given_up(out, r, width);
}

/* --- JSON --- */

/* Adds slope, intercept and r2 to `object`; each is null if the line is unknown. */
static int add_line(json_t *object, const struct kt_line *line)
{
	int wrong = 0;

	wrong |= json_object_set_new(object, "slope",
				     line->known ? json_real(line->slope) : json_null());
	wrong |=
		json_object_set_new(object, "intercept",
				    line->known ? json_real(line->intercept) : json_null());
	wrong |= json_object_set_new(object, "r2",
				     line->known ? json_real(line->r2) : json_null());
	return wrong;
}

static int print_json(FILE *out, const struct kt_stats_report *r)
{
	const char *by = r->options->robust ? "median" : "least squares";
	json_t *traces = json_array();
	json_t *root;
	int wrong;
	int code = KT_OK;

	for (size_t i = 0; traces && i < r->n_traces; i++) {
		/* JSON strings must be UTF-8; a path that is not UTF-8 becomes "?". */
		json_t *path = json_string(r->traces[i]);

		json_array_append_new(traces, path ? path : json_string("?"));
	}
	root = json_pack("{s:s, s:s, s:b, s:o}", "format", "ktail-stats/1", "by",
			 what_names[r->options->what], "outer", r->options->outer ? 1 : 0,
			 "traces", traces);
	wrong = !root;
	if (!wrong && r->options->what == KT_STATS_FIT) {
		json_t *fit = json_pack("{s:s, s:s, s:I}", "kind", r->options->fit, "by",
					by, "n", (json_int_t)r->table.n_rows);

		wrong = add_line(fit, &r->fit.line);
		if (r->fit.has_lever) {
			json_t *others =
				json_pack("{s:I}", "bytes", (json_int_t)r->fit.lever_bytes);

			wrong |= add_line(others, &r->fit.others);
			wrong |= json_object_set_new(fit, "without", others);
		}
		if (r->left_out > 0) {
			wrong |= json_object_set_new(fit, "left_out",
						     json_integer((json_int_t)r->left_out));
		}
		wrong |= json_object_set_new(root, "fit", fit);
	}
	wrong = wrong || json_object_set_new(root, "rows", kt_table_to_json(&r->table));
	if (!wrong && r->table.has_total) {
		wrong = json_object_set_new(root, "total",
					    kt_table_total_to_json(&r->table));
	}
	if (!wrong && r->counted > 0) {
		wrong = json_object_set_new(root, "counted",
					    json_integer((json_int_t)r->counted));
	}
	if (!wrong && r->given_up.n > 0) {
		struct kt_table table;

		code = kt_given_up_rows_table(&r->given_up, &table);
		wrong = code ||
			json_object_set_new(root, "given_up", kt_table_to_json(&table));
		kt_table_free(&table);
	}
	if (wrong) {
		json_decref(root);
		return kt_no_memory("write statistics");
	}
	if (json_dumpf(root, out,
		       JSON_INDENT(1) | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(12))) {
		code = kt_error_errno(KT_E_IO, "write statistics");
	}
	putc('\n', out);
	json_decref(root);
	return code;
}

int kt_stats_write(FILE *out, const struct kt_stats_report *report, enum kt_stats_form form,
		   size_t width)
{
	const struct kt_table *shown = &report->table;
	struct kt_table chosen = {.n_rows = 0};
	int code;

	if (report->view.n_columns > 0) {
		KT_TRY_END(kt_table_view_show(&report->view, &report->table, &chosen));
		shown = &chosen;
	}
	switch (form) {
	case KT_STATS_TEXT: code = print_text(out, report, shown, width); break;
	case KT_STATS_JSON: code = print_json(out, report); break;
	case KT_STATS_CSV: code = kt_table_print_csv(out, shown); break;
	case KT_STATS_TSV: code = kt_table_print_tsv(out, shown); break;
	}
	if (!code && ferror(out)) {
		code = kt_error_errno(KT_E_IO, "write statistics");
	}
end:
	kt_table_free(&chosen);
	return code;
}
