/* SPDX-License-Identifier: MIT */
#include "infer/ktail/parse.h"

#include <stdio.h>

#include <ktail/status.h>

#include "infer/ktail/cmd.h"

bool kt_cmd_parse(int *status, int *n, const struct kt_command_line *command, int argc,
		  char **argv, void *options)
{
	const struct kt_asked *asked = options;
	int code = kt_options_parse(command, argc, argv, options, n);

	*status = 0;
	if (code) {
		*status = kt_cmd_fail(code);
	} else if (asked->help) {
		kt_options_help(command, stdout);
	} else if (asked->version) {
		*status = kt_cmd_version(argc, argv);
	} else {
		return true;
	}
	return false;
}
