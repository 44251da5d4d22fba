/* SPDX-License-Identifier: MIT */
/* ktail stats: counts what each call of the API, channel or class did. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "annotate/calls/call-figures.h"
#include "annotate/calls/coverage.h"
#include "annotate/events/activity.h"
#include "annotate/events/gaps.h"
#include "annotate/stats/compare-versions.h"
#include "annotate/stats/launch-cost.h"
#include "annotate/stats/subtotals.h"
#include "annotate/stats/stats-options.h"
#include "annotate/stats/stats-report.h"
#include "base/atomic-file.h"
#include "base/cleanup.h"
#include "base/guard.h"
#include "base/progress.h"
#include "base/standard-files.h"
#include "base/terminal.h"
#include "base/try.h"
#include "infer/files/inputs.h"

/* The counters, of which the options select one, and the gaps of all traces. */
struct counting {
	struct kt_call_figures calls;
	struct kt_launch_cost cost;
	struct kt_coverage coverage;
	struct kt_subtotals subtotals;
	struct kt_gaps gaps;
};

/* Keeps the modes of the recorder. The context is a struct kt_versions. */
static int note_recorder(void *context, const struct kt_moment *moment,
			 const struct kt_process_begin_fields *fields)
{
	char modes[128] = "";
	size_t n = 0;

	(void)moment;
	if (fields && fields->access[0]) {
		n = (size_t)snprintf(modes, sizeof(modes), "access=%.40s ", fields->access);
	}
	if (fields && fields->doorbell[0]) {
		snprintf(modes + n, sizeof(modes) - n, "doorbell=%.40s", fields->doorbell);
	}
	return kt_versions_add(context, "recorder", NULL, NULL, modes);
}

static const struct kt_activity_visitor recorder_visitor = {.process_begin = note_recorder};

/* Reads one trace into the selected counter. */
static int read_trace(struct counting *c, struct kt_stats_report *r, const char *path)
{
	enum kt_stats_what what = r->options->what;
	struct kt_activity_totals totals = {.reading.source = r->options->source,
					    .reading.part = &r->options->part};
	struct kt_device_times times = {.n = 0};
	/*
	 * kt_device_times_visitor comes first: its `end` computes the times that the
	 * counters of calls read.
	 */
	const struct kt_activity_visitor *visitors[] = {
		&kt_device_times_visitor, &kt_call_figures_visitor, &recorder_visitor};
	void *contexts[] = {&times, &c->calls, &r->recorded};
	size_t skip = what == KT_STATS_CALLS || what == KT_STATS_EACH ? 0 : 1;
	int code;

	if (what == KT_STATS_CHANNELS || what == KT_STATS_CONTEXTS ||
	    what == KT_STATS_CLASSES) {
		struct kt_submission_totals subtotals = {.reading.source =
								 r->options->source};

		code = kt_subtotals_read(&c->subtotals, path, &r->options->part,
					 &subtotals);
		kt_gaps_note(&c->gaps, path, &subtotals.reading.report);
		kt_gaps_note_words(&c->gaps, path, &subtotals, stderr);
		if (!code) {
			code = kt_given_up_rows_add(&r->given_up, path,
						    &subtotals.reading.report);
		}
		kt_submission_totals_free(&subtotals);
		return code;
	}
	if (what == KT_STATS_COVERAGE) {
		visitors[1] = &kt_coverage_visitor;
		contexts[1] = &c->coverage;
	} else if (what == KT_STATS_FIT) {
		visitors[1] = &kt_launch_cost_visitor;
		contexts[1] = &c->cost;
	}
	c->calls.times = &times;
	code = kt_activity_read(path, visitors + skip, contexts + skip, 3 - skip, &totals);
	c->calls.times = NULL;
	kt_device_times_free(&times);
	kt_gaps_note(&c->gaps, path, &totals.reading.report);
	kt_gaps_note_words(&c->gaps, path, &totals.submissions, stderr);
	if (!code) {
		code = kt_given_up_rows_add(&r->given_up, path, &totals.reading.report);
	}
	r->calls += totals.calls;
	r->counted += totals.counted;
	kt_activity_totals_free(&totals);
	return code;
}

/* Writes all outputs to temporary files before it renames the first to its final name. */
static int write_all(const struct kt_stats_report *r)
{
	const struct kt_stats_options *o = r->options;
	struct kt_atomic_file files[KT_STATS_OUTPUTS] = {{0}};
	int code = KT_OK;

	for (size_t i = 0; i < o->n_outputs; i++) {
		const char *path = o->outputs[i].path;
		size_t width;

		KT_TRY_END(kt_atomic_file_open(&files[i], path));
		width = kt_terminal_width(files[i].stream);
		width = o->wide ? 0 /* no limit */
			: width ? width
				: KT_TERMINAL_USUAL;
		KT_TRY_END(kt_stats_write(files[i].stream, r, o->outputs[i].form, width));
	}
	for (size_t i = 0; i < o->n_outputs; i++) {
		KT_TRY_END(kt_atomic_file_commit(&files[i]));
	}
end:
	for (size_t i = 0; code && i < o->n_outputs; i++) {
		kt_atomic_file_abort(&files[i]);
	}
	return code;
}

/* Parses --columns and --sort, for the columns of the table that the options select. */
static int parse_view(struct kt_stats_report *r, const struct counting *c)
{
	const enum kt_stats_what what = r->options->what;
	const struct kt_table head = what == KT_STATS_CALLS || what == KT_STATS_EACH
					     ? kt_call_figures_head(&c->calls)
					     : kt_subtotals_head(&c->subtotals);

	return kt_table_view_parse(&r->view, &head, r->options->columns, r->options->sort);
}

static int run(const struct kt_stats_options *o, char **paths, int n)
{
	struct counting c = {.calls.outer = o->outer,
			     .calls.each = o->what == KT_STATS_EACH,
			     .cost.outer = o->outer,
			     .cost.kind = o->fit,
			     .subtotals.by = o->what == KT_STATS_CLASSES ? KT_BY_CLASS
					     : o->what == KT_STATS_CONTEXTS
						     ? KT_BY_CONTEXT
						     : KT_BY_CHANNEL};
	struct kt_stats_report report = {
		.options = o, .traces = paths, .n_traces = (size_t)n};
	int code;

	KT_TRY_END(parse_view(&report, &c));
	for (size_t i = 0; i < report.n_traces; i++) {
		KT_TRY_END(read_trace(&c, &report, paths[i]));
	}
	KT_TRY_END(kt_trace_filter_judge(&o->part));
	if (o->strict) {
		KT_TRY_END(kt_gaps_judge(&c.gaps, (const char *const *)paths, (size_t)n));
	}
	switch (o->what) {
	case KT_STATS_CALLS:
	case KT_STATS_EACH: code = kt_call_figures_table(&c.calls, &report.table); break;
	case KT_STATS_CHANNELS:
	case KT_STATS_CONTEXTS:
	case KT_STATS_CLASSES:
		code = kt_subtotals_table(&c.subtotals, &report.table);
		break;
	case KT_STATS_COVERAGE: code = kt_coverage_table(&c.coverage, &report.table); break;
	case KT_STATS_VERSIONS: break; /* run_versions() is called instead of run() */
	case KT_STATS_FIT:
		KT_TRY_END(kt_launch_cost_fit(&c.cost, o->robust, &report.fit));
		report.left_out = c.cost.left_out;
		code = kt_launch_cost_table(&c.cost, &report.table);
		break;
	}
	KT_TRY_END(code);
	KT_TRY_END(kt_table_view_sort(&report.view, &report.table));
	code = write_all(&report);
end:
	kt_table_free(&report.table);
	kt_table_view_free(&report.view);
	kt_versions_clear(&report.recorded);
	kt_given_up_rows_free(&report.given_up);
	kt_call_figures_free(&c.calls);
	kt_launch_cost_free(&c.cost);
	kt_coverage_free(&c.coverage);
	kt_subtotals_free(&c.subtotals);
	return code;
}

/* Keeps which calls were traced. The context is a struct kt_versions. */
static int note_modes(void *context, const struct kt_moment *moment,
		      const struct kt_version_fields *fields)
{
	(void)moment;
	return strcmp(fields->what, "recorder") == 0
		       ? kt_versions_add(context, "recorder", NULL, NULL, fields->detail)
		       : KT_OK;
}

static const struct kt_activity_visitor modes_visitor = {.version = note_modes};

/* Adds the recordings at a path: a trace, or tables that ktail stats wrote earlier. */
static int read_recording(struct kt_stats_version *version, struct counting *c,
			  const struct kt_stats_options *o, const char *path,
			  struct kt_versions *modes, struct kt_given_up_rows *given_up)
{
	struct kt_activity_totals totals = {.reading.source = o->source,
					    .reading.part = &o->part};
	const struct kt_activity_visitor *visitors[] = {&kt_call_figures_visitor,
							&modes_visitor};
	struct kt_call_figures calls = {.outer = o->outer};
	void *contexts[] = {&calls, modes};
	struct kt_figure_rows *rows;
	bool is_csv;
	int code;

	KT_TRY(kt_stats_version_read_csv(version, path, &is_csv));
	if (is_csv) {
		return KT_OK;
	}
	code = kt_activity_read(path, visitors, contexts, 2, &totals);
	kt_gaps_note(&c->gaps, path, &totals.reading.report);
	kt_gaps_note_words(&c->gaps, path, &totals.submissions, stderr);
	if (!code && totals.calls == 0) {
		code = kt_error(KT_E_EMPTY,
				"read %s: no API calls were recorded; record with ktail "
				"record --api=wrap",
				path);
	}
	if (!code) {
		code = kt_given_up_rows_add(given_up, path, &totals.reading.report);
	}
	kt_activity_totals_free(&totals);
	if (!code) {
		code = kt_stats_version_add(version, &rows);
	}
	if (!code) {
		*rows = calls.rows;
		calls.rows = (struct kt_figure_rows){.n = 0};
	}
	kt_call_figures_free(&calls);
	return code;
}

/* Warns if the two sides were recorded with other --api-calls, as far as the traces say. */
static void warn_of_modes(const struct kt_versions modes[2])
{
	char calls[2][KT_VERSIONS_MODE];

	for (int s = 0; s < 2; s++) {
		kt_versions_api_calls(calls[s], &modes[s]);
	}
	if (calls[0][0] && calls[1][0] &&
	    (strcmp(calls[0], calls[1]) != 0 || strcmp(calls[0], "mixed") == 0)) {
		kt_warn("recorded with --api-calls=%s and --api-calls=%s: functions that "
			"only one side traces differ for that alone",
			calls[0], calls[1]);
	}
}

static int run_versions(const struct kt_stats_options *o)
{
	struct kt_versions modes[2] = {{.n = 0}, {.n = 0}};
	struct kt_stats_report report = {.options = o};
	struct kt_stats_version versions[2] = {{.n = 0}, {.n = 0}};
	struct counting c = {.cost.kind = NULL};
	int code = KT_OK;

	for (int s = 0; s < 2; s++) {
		struct kt_inputs inputs;

		code = kt_inputs_open(&inputs, o->versions[s].paths, o->versions[s].n);
		for (size_t i = 0; i < inputs.n && !code; i++) {
			code = read_recording(&versions[s], &c, o, inputs.paths[i],
					      &modes[s], &report.given_up);
		}
		kt_inputs_free(&inputs);
		KT_TRY_END(code);
	}
	KT_TRY_END(kt_trace_filter_judge(&o->part));
	if (o->strict) {
		const char *const names[] = {"the recordings"};

		KT_TRY_END(kt_gaps_judge(&c.gaps, names, 1));
	}
	warn_of_modes(modes);
	KT_TRY_END(kt_compare_versions(&report.versions, &versions[0], &versions[1]));
	KT_TRY_END(kt_compared_versions_table(&report.versions, &report.table, o->wide));
	code = write_all(&report);
end:
	kt_table_free(&report.table);
	kt_compared_versions_free(&report.versions);
	kt_given_up_rows_free(&report.given_up);
	kt_stats_version_free(&versions[0]);
	kt_stats_version_free(&versions[1]);
	kt_versions_clear(&modes[0]);
	kt_versions_clear(&modes[1]);
	return code;
}

static int run_all(const struct kt_stats_options *o, char **paths, int n)
{
	struct kt_inputs inputs;
	int code = kt_inputs_open(&inputs, paths, (size_t)n);

	if (!code) {
		code = run(o, inputs.paths, (int)inputs.n);
	}
	kt_inputs_free(&inputs);
	return code;
}

int main(int argc, char **argv)
{
	struct kt_stats_options options;
	int n = 0;
	int code;

	kt_standard_files_open();
	kt_cleanup_install();
	kt_guard_install();
	kt_progress_enable("ktail");
	code = kt_stats_options_parse(&options, argc, argv, &n);
	if (!code &&
	    !kt_options_answer(&kt_stats_command, &options.asked, KT_ABOUT("ktail"))) {
		code = options.what == KT_STATS_VERSIONS ? run_versions(&options)
		       : n                               ? run_all(&options, argv, n)
			   : kt_error(KT_E_USAGE, "no trace given; see ktail "
						  "stats --help");
	}
	kt_stats_options_clear(&options);
	return kt_standard_files_end("ktail", code, 0);
}
