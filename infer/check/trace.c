/* SPDX-License-Identifier: MIT */
#include "infer/check/sources.h"

static int read(struct kt_checked_trace *checked, const char *path,
		struct kt_trace_options *options, struct kt_trace_report *report)
{
	kt_trace *trace;
	int code;

	options->listener = &checked->listener;
	options->opened = kt_checked_trace_opened;
	code = kt_trace_open(&trace, path, options);
	if (!code) {
		*report = *kt_trace_report(trace);
		code = kt_checked_trace_finish(checked);
		kt_trace_free(trace);
	}
	return code;
}

int kt_check_trace(kt_checker *checker, struct kt_checked_trace *checked, const char *path,
		   struct kt_trace_options *options, struct kt_trace_report *report)
{
	int code;

	kt_checked_trace_begin(checked, checker);
	code = read(checked, path, options, report);
	kt_checked_trace_clear(checked);
	checked->collector = NULL;
	return code;
}
