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

/* Setters for rows of an option table whose context begins with struct kt_asked. */
int kt_asked_set_help(void *context, const char *value);
int kt_asked_set_version(void *context, const char *value);

/* Their rows, and the end of the table. */
#define KT_LAST_ROWS                                                                       \
	{"help", 'h', NULL, "show this", kt_asked_set_help},                               \
		{"version", 'V', NULL, "show the version", kt_asked_set_version},          \
	{                                                                                  \
		NULL, 0, NULL, NULL, NULL                                                  \
	}

/*
 * Fills in the options from argv[1..) and answers --help and --version. true: the operands
 * are argv[0..*n). false: the subcommand is done, with *status.
 */
bool kt_cmd_parse(int *status, int *n, const struct kt_command_line *command, int argc,
		  char **argv, void *options);

#endif
