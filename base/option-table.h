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

enum kt_option_kind {
	KT_OPTION_CALL = 0, /* what no other kind fits: `set` is called */
	KT_OPTION_FLAG,     /* a bool becomes true */
	KT_OPTION_TEXT,     /* a const char * points to the value */
	KT_OPTION_NUMBER,   /* an unsigned long is the value, a whole number in lo..hi */
	KT_OPTION_CHOICE,   /* a const char * points to the value, one of `choices` */
};

/* One row of a table: four columns for --help, and one of the macros below. */
struct kt_option {
	const char *name; /* without the dashes; NULL ends the table */
	char letter;      /* 0: none */
	/* How --help names its argument; NULL: takes none. In brackets ("[MODE]") it may be
	 * left out, and is only what follows a '='. */
	const char *argument;
	const char *help;
	enum kt_option_kind kind;
	kt_option_fn set;
	size_t at;                  /* of the member of the context that takes the value */
	const char *const *choices; /* ends with NULL */
	unsigned long lo, hi;
};

/* Where a member lies; a compiler complains if it is not of that type. */
#define KT_OPTION_AT_(context, member, type)                                               \
	offsetof(context, member) + 0 * sizeof((type *)0 == &((context *)0)->member)

#define KT_SET(function) .kind = KT_OPTION_CALL, .set = (function)
#define KT_FLAG(context, member)                                                           \
	.kind = KT_OPTION_FLAG, .at = KT_OPTION_AT_(context, member, bool)
#define KT_TEXT(context, member)                                                           \
	.kind = KT_OPTION_TEXT, .at = KT_OPTION_AT_(context, member, const char *)
#define KT_NUMBER(context, member, from, to)                                               \
	.kind = KT_OPTION_NUMBER, .at = KT_OPTION_AT_(context, member, unsigned long),     \
	.lo = (from), .hi = (to)
#define KT_CHOICE(context, member, ...)                                                    \
	.kind = KT_OPTION_CHOICE, .at = KT_OPTION_AT_(context, member, const char *),      \
	.choices = (const char *const[])                                                   \
	{                                                                                  \
		__VA_ARGS__, NULL                                                          \
	}

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

/*
 * Takes the text of `choices`, which NULL ends, that equals `text`. KT_E_USAGE naming
 * `what`, and all choices, if none does.
 */
int kt_parse_choice(const char **out, const char *text, const char *const *choices,
		    const char *what);

#endif
