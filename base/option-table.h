/* SPDX-License-Identifier: MIT */
/*
 * Command-line options as tables: each row describes an option, both for parsing and for
 * --help. Accepts --name VALUE, --name=VALUE, -n VALUE, -nVALUE and, unless `posix` is
 * set, options after operands; "--" ends the options.
 */
#ifndef KTAIL_BASE_OPTION_TABLE_H
#define KTAIL_BASE_OPTION_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/about.h"

/*
 * Called for each occurrence of the option. value is NULL if no argument was given. Returns
 * KT_OK, or another status with a message.
 */
typedef int (*kt_option_fn)(void *context, const char *value);

enum kt_option_kind {
	KT_OPTION_CALL = 0, /* calls `set`; for options that fit no other kind */
	KT_OPTION_FLAG,     /* sets a bool to true */
	KT_OPTION_TEXT,     /* sets a const char * to the value */
	KT_OPTION_NUMBER,   /* sets an unsigned long to a whole number in lo..hi */
	KT_OPTION_CHOICE,   /* sets a const char * to one of `choices` */
	KT_OPTION_ENUM,     /* sets an enum to the value's index in `choices` */
	KT_OPTION_HEADING,  /* not an option: --help prints `help` above the next rows */
};

/*
 * One row of a table. A row gives the first four members in order; one of the macros below
 * sets the kind and the members that belong to this kind.
 */
struct kt_option {
	const char *name; /* without the dashes; NULL ends the table */
	char letter;      /* 0: none */
	/* Name of the argument in --help; NULL: the option takes no argument. An argument
	 * in brackets ("[MODE]") is optional, and can only be given after a '='. */
	const char *argument;
	const char *help; /* NULL: --help omits the option */
	enum kt_option_kind kind;
	kt_option_fn set;
	size_t at; /* offset of the context's member that receives the value */
	/*
	 * Values that completion proposes, ended by NULL. KT_OPTION_CHOICE and
	 * KT_OPTION_ENUM accept no other value.
	 */
	const char *const *choices;
	unsigned long lo, hi;
	/* The replacement of a deprecated option, for example "--format json". NULL: not
	 * deprecated. */
	const char *instead;
};

#define KT_HEADING(text)                                                                   \
	{                                                                                  \
		.name = "", .help = (text), .kind = KT_OPTION_HEADING                      \
	}

/* Offset of a member; the compiler warns if the type of the member is not `type`. */
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
/* The variable arguments are the names of an enum's values, from 0 on. */
#define KT_ENUM(context, member, ...)                                                      \
	.kind = KT_OPTION_ENUM,                                                            \
	.at = offsetof(context, member) +                                                  \
	      0 * sizeof(char[sizeof(((context *)0)->member) == sizeof(int) ? 1 : -1]),    \
	.choices = (const char *const[])                                                   \
	{                                                                                  \
		__VA_ARGS__, NULL                                                          \
	}

/* Follows KT_SET or KT_TEXT in a row: values that completion proposes. */
#define KT_PROPOSE(...)                                                                    \
	.choices = (const char *const[])                                                   \
	{                                                                                  \
		__VA_ARGS__, NULL                                                          \
	}

/*
 * The options of every program. This struct is the first member of the struct that holds a
 * program's options.
 */
struct kt_asked {
	bool help;
	bool version;
	bool list; /* --list-options, for scripts/make-completions */
};

/*
 * Returns whether --help, --version or --list-options was given. The caller then need not
 * check the rest of the command line.
 */
static inline bool kt_asked_any(const struct kt_asked *asked)
{
	return asked->help || asked->version || asked->list;
}

/*
 * Ends a table: the rows for struct kt_asked, which must be the first member of the
 * context, and the NULL row.
 */
#define KT_LAST_ROWS                                                                       \
	{"help", 'h', NULL, "show this", KT_FLAG(struct kt_asked, help)},                  \
		{"version", 'V', NULL, "show the version",                                 \
		 KT_FLAG(struct kt_asked, version)},                                       \
		{"list-options", 0, NULL, NULL, KT_FLAG(struct kt_asked, list)},           \
	{                                                                                  \
		0                                                                          \
	}

/* The option --names of several programs: whether letters are shown by their names. */
enum kt_names { KT_NAMES_ON = 0, KT_NAMES_OFF };

#define KT_NAMES_ROW(context, member)                                                      \
	{                                                                                  \
		"names", 0, "on|off", "show letters by their names (default on)",          \
			KT_ENUM(context, member, "on", "off")                              \
	}

struct kt_command_line {
	const char *usage;             /* text after "usage: ", one or more lines */
	const char *summary;           /* one sentence */
	const struct kt_option *table; /* ends with a NULL name; may be NULL */
	bool posix;                    /* the first operand ends the options */
	/* Weak: for each row, set to true if its option is given; NULL: not noted */
	bool *given;
};

/*
 * Parses argv[1..] and moves operands to argv[0..*n_operands). KT_E_USAGE with a message
 * if an option is unknown, or an argument is missing, unexpected or invalid. --help is
 * only recorded in struct kt_asked; kt_options_answer() prints the help.
 */
int kt_options_parse(const struct kt_command_line *command, int argc, char **argv,
		     void *context, int *n_operands);

/*
 * Returns the name of an option that was given but is not in `names`; NULL if there is
 * none. `names` ends with NULL. command->given must be set.
 */
const char *kt_options_other(const struct kt_command_line *command,
			     const char *const *names);

/*
 * Prints usage, summary and table, as wide as the terminal but at most 100 columns wide; 80
 * columns if `out` is not a terminal.
 */
void kt_options_help(const struct kt_command_line *command, FILE *out);

/* Prints the rows that have help as TSV without a heading: name, letter, argument, choices
 * (joined by commas), help. */
void kt_options_list(const struct kt_command_line *command, FILE *out);

/* Answers --help, --list-options or --version on standard output. Returns whether one of
 * the three was given; the program then has nothing else to do. */
bool kt_options_answer(const struct kt_command_line *command, const struct kt_asked *asked,
		       const struct kt_about *about);

/*
 * Parses a whole decimal number from lo to hi. KT_E_USAGE with a message that names `what`
 * if the text is anything else.
 */
int kt_parse_number(unsigned long *out, const char *text, unsigned long lo,
		    unsigned long hi, const char *what);

/*
 * Sets *out to the element of `choices` that equals `text`; NULL ends `choices`. If no
 * element equals `text`, returns KT_E_USAGE with a message that names `what` and all
 * choices.
 */
int kt_parse_choice(const char **out, const char *text, const char *const *choices,
		    const char *what);

/* Like kt_parse_choice(), but sets *out to the index in `choices`. */
int kt_parse_enum(int *out, const char *text, const char *const *choices, const char *what);

#endif
