/* SPDX-License-Identifier: MIT */
/* ktail stats: what each call of the API, channel or class did, counted. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <ktail/status.h>

#include "annotate/calls/call-figures.h"
#include "annotate/calls/coverage.h"
#include "annotate/events/activity.h"
#include "annotate/events/lacks.h"
#include "annotate/stats/launch-cost.h"
#include "annotate/stats/places.h"
#include "annotate/stats/stats-options.h"
#include "annotate/stats/stats-report.h"
#include "base/atomic-file.h"
#include "base/cleanup.h"
#include "base/guard.h"
#include "base/standard-files.h"

#ifndef KTAIL_VERSION
#error "KTAIL_VERSION must be defined"
#endif

#define NARROW 80 /* columns, where standard output is no terminal */

/* Who counts; one of them, as the options say. */
struct counting {
	struct kt_call_figures calls;
	struct kt_launch_cost cost;
	struct kt_coverage coverage;
	struct kt_places places;
	struct kt_lacks lacks;
};

static int read_activity(struct counting *c, struct kt_stats_report *r, const char *path)
{
	const struct kt_activity_visitor *visitor =
		r->options->what == KT_STATS_COVERAGE ? &kt_coverage_visitor
		: r->options->what == KT_STATS_FIT    ? &kt_launch_cost_visitor
						      : &kt_call_figures_visitor;
	void *context = r->options->what == KT_STATS_COVERAGE ? (void *)&c->coverage
			: r->options->what == KT_STATS_FIT    ? (void *)&c->cost
							      : (void *)&c->calls;
	struct kt_activity_totals totals = {.reading.source = r->options->source};
	int code = kt_activity_read(path, &visitor, &context, 1, &totals);

	kt_lacks_note(&c->lacks, path, &totals.reading.report);
	kt_lacks_note_words(&c->lacks, path, &totals.submissions, stderr);
	r->calls += totals.calls;
	kt_activity_totals_free(&totals);
	return code;
}

static int read_places(struct counting *c, const struct kt_stats_report *r,
		       const char *path)
{
	struct kt_submission_totals totals = {.reading.source = r->options->source};
	int code = kt_places_read(&c->places, path, &totals);

	kt_lacks_note(&c->lacks, path, &totals.reading.report);
	kt_lacks_note_words(&c->lacks, path, &totals, stderr);
	kt_submission_totals_free(&totals);
	return code;
}

static int read_traces(struct counting *c, struct kt_stats_report *r)
{
	enum kt_stats_what what = r->options->what;
	bool places = what == KT_STATS_CHANNELS || what == KT_STATS_CLASSES;
	int code = KT_OK;

	for (size_t i = 0; !code && i < r->n_traces; i++) {
		code = places ? read_places(c, r, r->traces[i])
			      : read_activity(c, r, r->traces[i]);
	}
	return code;
}

static int make_table(struct counting *c, struct kt_stats_report *r)
{
	int code = KT_OK;

	switch (r->options->what) {
	case KT_STATS_CALLS: return kt_call_figures_table(&c->calls, &r->table);
	case KT_STATS_CHANNELS:
	case KT_STATS_CLASSES: return kt_places_table(&c->places, &r->table);
	case KT_STATS_COVERAGE: return kt_coverage_table(&c->coverage, &r->table);
	case KT_STATS_FIT:
		code = kt_launch_cost_fit(&c->cost, r->options->robust, &r->line);
		return code ? code : kt_launch_cost_table(&c->cost, &r->table);
	}
	return code;
}

/* How wide text may be; 0: as wide as it needs. */
static size_t find_width(const struct kt_stats_options *o, const char *path)
{
	struct winsize size = {0};

	if (o->wide) {
		return 0;
	}
	if (strcmp(path, "-") == 0 && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 &&
	    size.ws_col > 0) {
		return size.ws_col;
	}
	return NARROW;
}

/* All files are made before the first is put in its place. */
static int write_all(const struct kt_stats_report *r)
{
	const struct kt_stats_options *o = r->options;
	struct kt_atomic_file files[KT_STATS_OUTPUTS] = {{0}};
	int code = KT_OK;

	for (size_t i = 0; !code && i < o->n_outputs; i++) {
		code = kt_atomic_file_open(&files[i], o->outputs[i].path);
		code = code ? code
			    : kt_stats_write(files[i].stream, r, o->outputs[i].form,
					     find_width(o, o->outputs[i].path));
	}
	for (size_t i = 0; !code && i < o->n_outputs; i++) {
		code = kt_atomic_file_commit(&files[i]);
	}
	for (size_t i = 0; code && i < o->n_outputs; i++) {
		kt_atomic_file_abort(&files[i]);
	}
	return code;
}

static int run(const struct kt_stats_options *o, char **paths, int n)
{
	struct counting counting = {.calls.outer = o->outer,
				    .cost.outer = o->outer,
				    .cost.kind = o->fit,
				    .places.classes = o->what == KT_STATS_CLASSES};
	struct kt_stats_report report = {
		.options = o, .traces = paths, .n_traces = (size_t)n};
	int code = read_traces(&counting, &report);

	code = code || !o->strict ? code
				  : kt_lacks_judge(&counting.lacks,
						   (const char *const *)paths, (size_t)n);
	code = code ? code : make_table(&counting, &report);
	code = code ? code : write_all(&report);
	kt_table_free(&report.table);
	kt_call_figures_free(&counting.calls);
	kt_launch_cost_free(&counting.cost);
	kt_coverage_free(&counting.coverage);
	kt_places_free(&counting.places);
	return code;
}

static int fail(int code)
{
	fprintf(stderr, "ktail: %s\n", kt_error_message());
	return kt_exit_status(code);
}

int main(int argc, char **argv)
{
	struct kt_stats_options options;
	int n = 0;
	int code;

	kt_standard_files_open();
	kt_cleanup_install();
	kt_guard_install();
	code = kt_stats_options_parse(&options, argc, argv, &n);
	if (!code && options.help) {
		kt_stats_options_help(stdout);
	} else if (!code && options.version) {
		puts("ktail " KTAIL_VERSION);
	} else if (!code && n == 0) {
		code = kt_error(KT_E_USAGE,
				"parse options: no trace given; see ktail stats --help");
	} else if (!code) {
		code = run(&options, argv, n);
	}
	return kt_standard_files_close("ktail", code ? fail(code) : 0,
				       kt_exit_status(KT_E_IO));
}
