/* SPDX-License-Identifier: MIT */
/* ktail replay: what happened in traces, as an indented list. */
#include <ktail/status.h>

#include "annotate/replay/replay.h"
#include "base/cleanup.h"
#include "base/guard.h"
#include "base/progress.h"
#include "base/standard-files.h"

static int run(const struct kt_replay_options *options, char **paths, int n)
{
	struct kt_replay replay = {.options = NULL};
	int code = kt_replay_make(&replay, options, paths, (size_t)n);

	if (!code) {
		code = kt_outputs_write(&options->outputs, &replay, &kt_replay_output);
	}
	kt_replay_free(&replay);
	return code;
}

int main(int argc, char **argv)
{
	struct kt_replay_options options;
	int n = 0;
	int code;

	kt_standard_files_open();
	kt_cleanup_install();
	kt_guard_install();
	kt_progress_enable("ktail");
	code = kt_replay_options_parse(&options, argc, argv, &n);
	if (!code &&
	    !kt_options_answer(&kt_replay_command, &options.asked, KT_ABOUT("ktail"))) {
		code = run(&options, argv, n);
	}
	kt_replay_options_clear(&options);
	return kt_standard_files_end("ktail", code, 0);
}
