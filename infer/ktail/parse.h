/* SPDX-License-Identifier: MIT */
/* The command line of a subcommand, as far as all of them are alike. */
#ifndef KTAIL_PARSE_H
#define KTAIL_PARSE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/option-table.h"

/* What the options of every subcommand begin with. */
struct kt_asked {
	bool help;
	bool version;
};

/* Their rows, and the end of a table whose context begins with struct kt_asked. */
#define KT_LAST_ROWS                                                                       \
	{"help", 'h', NULL, "show this", KT_FLAG(struct kt_asked, help)},                  \
		{"version", 'V', NULL, "show the version",                                 \
		 KT_FLAG(struct kt_asked, version)},                                       \
	{                                                                                  \
		0                                                                          \
	}

/*
 * Fills in the options from argv[1..) and answers --help and --version. true: the operands
 * are argv[0..*n). false: the subcommand is done, with *status.
 */
bool kt_cmd_parse(int *status, int *n, const struct kt_command_line *command, int argc,
		  char **argv, void *options);

#endif
