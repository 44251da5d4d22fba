/* SPDX-License-Identifier: MIT */
/* ktail decode: lists decoded submissions, ioctls, or instructions of a cubin. */
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "annotate/events/gaps.h"
#include "annotate/listing/decode-options.h"
#include "annotate/listing/print.h"
#include "annotate/listing/print-calls.h"
#include "annotate/listing/tally.h"
#include "base/atomic-file.h"
#include "base/cleanup.h"
#include "base/guard.h"
#include "base/progress.h"
#include "base/standard-files.h"
#include "base/try.h"
#include "infer/files/inputs.h"

/* The printer that the options select, and the contexts of all printers. */
struct form {
	const struct kt_printer *printer;
	void *context;
	struct kt_text_printer text;
	struct kt_json_printer json;
	struct kt_tally tally;
};

/* What a listing needs to know of later events of the trace. */
struct ahead {
	struct kt_in_calls in_calls;  /* not with --stats, unless with --call or --phase */
	struct kt_kernels kernels;    /* not with --stats */
	struct kt_device_times times; /* only with --times */
};

/*
 * Reads the trace once to fill all members of *out that the options need. If the options
 * need no member, the trace is not read.
 */
static int read_ahead(struct ahead *out, const struct kt_decode_options *o,
		      const char *path)
{
	const struct kt_activity_visitor *visitors[3];
	void *contexts[3];
	size_t n = 0;
	struct kt_activity_totals totals = {
		.reading = {.source = o->source, .part = &o->selection.part}};
	kt_kernel_finder *finder = NULL;
	int code;

	if (!o->stats || kt_trace_filter_by_calls(&o->selection.part)) {
		visitors[n] = &kt_in_calls_visitor;
		contexts[n++] = &out->in_calls;
	}
	if (!o->stats) {
		KT_TRY_END(kt_kernel_finder_new(&finder));
		visitors[n] = &kt_kernel_finder_visitor;
		contexts[n++] = finder;
	}
	if (o->times) {
		visitors[n] = &kt_device_times_visitor;
		contexts[n++] = &out->times;
	}
	code = n ? kt_activity_read(path, visitors, contexts, n, &totals) : KT_OK;
	if (!code && finder) {
		code = kt_kernel_finder_join(finder, &out->kernels);
	}
end:
	kt_activity_totals_free(&totals);
	kt_kernel_finder_free(finder);
	return code;
}

/* Lists the submissions of a trace. */
static int list_submissions(struct form *form, struct kt_gaps *gaps,
			    const struct kt_decode_options *o, const char *path)
{
	struct ahead ahead = {.in_calls = {.n = 0}};
	struct kt_selection selection = o->selection;
	struct kt_selector selector = {.selection = &selection,
				       .printer = form->printer,
				       .context = form->context,
				       .kernels = &ahead.kernels,
				       .path = path};
	struct kt_submission_totals totals = {.reading.source = o->source};
	int code;

	KT_TRY_END(read_ahead(&ahead, o, path));
	if (kt_trace_filter_by_calls(&selection.part)) {
		selection.in_calls = &ahead.in_calls;
	}
	if (o->times) {
		form->text.times = form->json.times = &ahead.times;
	}
	form->text.calls = form->json.calls = &ahead.in_calls;
	code = kt_submissions_read(path, &kt_selector_visitor, &selector, &totals);
	totals.shown = selector.shown;
	kt_gaps_note(gaps, path, &totals.reading.report);
	kt_gaps_note_words(gaps, path, &totals, stderr);
	if (!code) {
		form->printer->end(form->context, &totals);
	}
	if (!code && form->tally.no_memory) {
		code = kt_error(KT_E_MEMORY, "count %s: out of memory", path);
	}
end:
	kt_submission_totals_free(&totals);
	kt_in_calls_free(&ahead.in_calls);
	kt_kernels_free(&ahead.kernels);
	kt_device_times_free(&ahead.times);
	return code;
}

static int run(const struct kt_decode_options *o, char **paths, int n)
{
	const struct kt_call_form calls = {.json = o->json, .stats = o->stats};
	struct kt_atomic_file file;
	struct kt_gaps gaps = {0};
	struct form form;
	int code = KT_OK;

	KT_TRY(kt_atomic_file_open(&file, o->output ? o->output : "-"));
	form = (struct form){
		.printer = &kt_print_text,
		.context = &form.text,
		.text = {.out = file.stream,
			 .brief = o->brief,
			 .qmd = o->qmd,
			 .raw = o->raw,
			 .most_data = o->data,
			 .line = kt_wrap_line(file.stream, 0)},
		.json = {.json = {.out = file.stream, .compact = true},
			 .brief = o->brief,
			 .qmd = o->qmd,
			 .raw = o->raw,
			 .most_data = o->data},
		.tally = {.out = file.stream, .json = o->json},
	};
	if (o->stats) {
		form.printer = &kt_tally_printer;
		form.context = &form.tally;
	} else if (o->json) {
		form.printer = &kt_print_json;
		form.context = &form.json;
	}
	for (int i = 0; i < n && !code; i++) {
		if (o->sass) {
			code = kt_print_sass(file.stream, paths[i], o->json, o->nvdisasm);
		} else if (o->ioctls) {
			struct kt_call_totals totals = {.reading.source = o->source};

			code = kt_print_calls(file.stream, calls, paths[i],
					      &o->selection.part, &totals);
			kt_gaps_note(&gaps, paths[i], &totals.reading.report);
		} else {
			code = list_submissions(&form, &gaps, o, paths[i]);
		}
	}
	kt_tally_clear(&form.tally);
	if (!code) {
		code = kt_trace_filter_judge(&o->selection.part);
	}
	if (!code && o->strict) {
		code = kt_gaps_judge(&gaps, (const char *const *)paths, (size_t)n);
	}
	if (code) {
		kt_atomic_file_abort(&file);
		return code;
	}
	return kt_atomic_file_commit(&file);
}

static int run_all(const struct kt_decode_options *o, char **paths, int n)
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
	struct kt_decode_options options;
	int n = 0;
	int code;

	kt_standard_files_open();
	kt_cleanup_install();
	kt_guard_install();
	code = kt_decode_options_parse(&options, argc, argv, &n);
	/* Show progress only with -o FILE: otherwise the listing itself shows the progress.
	 */
	if (!code && options.output && strcmp(options.output, "-") != 0) {
		kt_progress_enable("ktail");
	}
	if (!code &&
	    !kt_options_answer(&kt_decode_command, &options.asked, KT_ABOUT("ktail"))) {
		code = n ? run_all(&options, argv, n)
			 : kt_error(KT_E_USAGE, "no %s given; see ktail decode --help",
				    options.sass ? "cubin" : "trace");
	}
	kt_trace_filter_clear(&options.selection.part);
	return kt_standard_files_end("ktail", code, 0);
}
