/* SPDX-License-Identifier: MIT */
#include "infer/ktail/parse.h"

#include "infer/ktail/cmd.h"

bool kt_cmd_parse(int *status, int *n, const struct kt_command_line *command, int argc,
		  char **argv, void *options)
{
	int code = kt_options_parse(command, argc, argv, options, n);

	*status = code ? kt_cmd_fail(code) : 0;
	return !code && !kt_options_answer(command, options, KT_ABOUT("ktail"));
}
