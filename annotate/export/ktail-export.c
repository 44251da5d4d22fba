/* SPDX-License-Identifier: MIT */
/* ktail export: traces in the formats of other programs. */
#include <ktail/status.h>

#include "annotate/export/export.h"
#include "base/cleanup.h"
#include "base/guard.h"
#include "base/progress.h"
#include "base/standard-files.h"

static int run(const struct kt_export_options *options, char **paths, int n)
{
	struct kt_export export = {.options = NULL};
	int code = kt_export_make(&export, options, paths, (size_t)n);

	if (!code) {
		code = kt_outputs_write(&options->outputs, &export, &kt_export_output);
	}
	kt_export_free(&export);
	return code;
}

int main(int argc, char **argv)
{
	struct kt_export_options options;
	int n = 0;
	int code;

	kt_standard_files_open();
	kt_cleanup_install();
	kt_guard_install();
	kt_progress_enable("ktail");
	code = kt_export_options_parse(&options, argc, argv, &n);
	if (!code &&
	    !kt_options_answer(&kt_export_command, &options.asked, KT_ABOUT("ktail"))) {
		code = run(&options, argv, n);
	}
	kt_export_options_clear(&options);
	return kt_standard_files_end("ktail", code, 0);
}
