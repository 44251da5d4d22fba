/* SPDX-License-Identifier: MIT */
/* Command-line parsing common to all subcommands. */
#ifndef KTAIL_PARSE_H
#define KTAIL_PARSE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/option-table.h"

/*
 * Fills in the options, which begin with struct kt_asked, from argv[1..) and answers --help
 * and --version. Returns true if the operands are now in argv[0..*n); false if the
 * subcommand must end with exit status *status.
 */
bool kt_cmd_parse(int *status, int *n, const struct kt_command_line *command, int argc,
		  char **argv, void *options);

#endif
