/* SPDX-License-Identifier: MIT */
/*
 * Command-line options as tables: one row an option, one place for parsing and for --help.
 * Accepts --name VALUE, --name=VALUE, -n VALUE, -nVALUE and, unless `posix` is set, options
 * after operands; "--" ends the options.
 */
#ifndef KTAIL_BASE_OPTION_TABLE_H
#define KTAIL_BASE_OPTION_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Called for each occurrence. value is NULL where there is no argument. */
typedef int (*kt_option_fn)(void *context, const char *value);

struct kt_option {
	const char *name; /* without the dashes; NULL ends the table */
	char letter;      /* 0: none */
	/* How --help names its argument; NULL: takes none. In brackets ("[MODE]") it may be
	 * left out, and is only what follows a '='. */
	const char *argument;
	const char *help;
	kt_option_fn set;
};

struct kt_command_line {
	const char *usage;             /* lines behind "usage: " */
	const char *summary;           /* one sentence */
	const struct kt_option *table; /* ends with a NULL name; may be NULL */
	bool posix;                    /* the first operand ends the options */
};

/*
 * Parses argv[1..]. Operands are moved to the front of argv (argv[0..*n_operands)).
 * KT_E_USAGE with a message on an unknown option, a missing or an unwanted argument.
 * --help is left to the table's owner: a row like any other.
 */
int kt_options_parse(const struct kt_command_line *command, int argc, char **argv,
		     void *context, int *n_operands);

/* Prints usage, summary and the table. */
void kt_options_help(const struct kt_command_line *command, FILE *out);

/* Parses a whole decimal number in lo..hi. KT_E_USAGE naming `what` otherwise. */
int kt_parse_number(unsigned long *out, const char *text, unsigned long lo,
		    unsigned long hi, const char *what);

#endif
