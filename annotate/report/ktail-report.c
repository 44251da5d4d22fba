/* SPDX-License-Identifier: MIT */
/* ktail report: one file for a browser that shows what traces hold. */
#include <stdlib.h>

#include <ktail/status.h>

#include "annotate/report/report.h"
#include "base/cleanup.h"
#include "base/guard.h"
#include "base/progress.h"
#include "base/standard-files.h"
#include "base/try.h"

static int run(struct kt_report_options *options, char **paths, int n)
{
	const struct kt_report_paths operands = {.paths = paths, .n = (size_t)n};
	struct kt_report_paths origins[2] = {operands, {.n = 0}};
	struct kt_report report = {.options = NULL};
	int code;

	if (options->origins[0].n > 0) {
		origins[0] = options->origins[0];
		origins[1] = options->origins[1];
	}
	code = kt_report_make(&report, options, origins);
	if (!code) {
		code = kt_outputs_write(&options->outputs, &report, &kt_report_output);
	}
	kt_report_free(&report);
	return code;
}

int main(int argc, char **argv)
{
	struct kt_report_options options;
	int n = 0;
	int code;

	kt_standard_files_open();
	kt_cleanup_install();
	kt_guard_install();
	kt_progress_enable("ktail");
	code = kt_report_options_parse(&options, argc, argv, &n);
	if (!code &&
	    !kt_options_answer(&kt_report_command, &options.asked, KT_ABOUT("ktail"))) {
		code = run(&options, argv, n);
	}
	kt_report_options_clear(&options);
	return kt_standard_files_end("ktail", code, 0);
}
