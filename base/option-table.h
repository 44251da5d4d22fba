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

/* Called for each occurrence of the option. value is NULL if the option has no argument. */
typedef int (*kt_option_fn)(void *context, const char *value);

enum kt_option_kind {
	KT_OPTION_CALL = 0, /* `set` is called; for options that fit no other kind */
	KT_OPTION_FLAG,     /* sets a bool to true */
	KT_OPTION_TEXT,     /* sets a const char * to the value */
	KT_OPTION_NUMBER,   /* sets an unsigned long to a whole number in lo..hi */
	KT_OPTION_CHOICE,   /* sets a const char * to one of `choices` */
	KT_OPTION_ENUM,     /* sets an enum to the value's index in `choices` */
	KT_OPTION_HEADING,  /* not an option: --help prints `help` above the next rows */
};

/*
 * One row of a table. The first four members are for --help; one of the macros below sets
 * the others.
 */
struct kt_option {
	const char *name; /* without the dashes; NULL ends the table */
	char letter;      /* 0: none */
	/* How --help names the option's argument; NULL: it takes none. An argument in
	 * brackets ("[MODE]") may be left out, and must be given after a '='. */
	const char *argument;
	const char *help; /* NULL: --help omits the option */
	enum kt_option_kind kind;
	kt_option_fn set;
	size_t at; /* offset of the context's member that takes the value */
	/*
	 * The values, ended by NULL. For kinds other than CHOICE and ENUM any text is
	 * accepted, and completion only proposes the values.
	 */
	const char *const *choices;
	unsigned long lo, hi;
	/* The current name of a deprecated option, which --help omits. NULL: not
	 * deprecated. */
	const char *instead;
};

#define KT_HEADING(text)                                                                   \
	{                                                                                  \
		.name = "", .help = (text), .kind = KT_OPTION_HEADING                      \
	}

/* Offset of a member; the compiler warns if the member does not have that type. */
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
/* The names of an enum's values, from 0 on. */
#define KT_ENUM(context, member, ...)                                                      \
	.kind = KT_OPTION_ENUM,                                                            \
	.at = offsetof(context, member) +                                                  \
	      0 * sizeof(char[sizeof(((context *)0)->member) == sizeof(int) ? 1 : -1]),    \
	.choices = (const char *const[])                                                   \
	{                                                                                  \
		__VA_ARGS__, NULL                                                          \
	}

/* After a macro above that takes any text: values for completion to propose. */
#define KT_PROPOSE(...)                                                                    \
	.choices = (const char *const[])                                                   \
	{                                                                                  \
		__VA_ARGS__, NULL                                                          \
	}

/*
 * The options of every program. It is the first member of the struct that holds a program's
 * options.
 */
struct kt_asked {
	bool help;
	bool version;
	bool list; /* --list-options, for scripts/make-completions */
};

/*
 * Returns whether one of them was given; the rest of the command line need not be valid
 * then.
 */
static inline bool kt_asked_any(const struct kt_asked *asked)
{
	return asked->help || asked->version || asked->list;
}

/*
 * The rows for a struct kt_asked, which must be the first member of the context, and the
 * end of the table.
 */
#define KT_LAST_ROWS                                                                       \
	{"help", 'h', NULL, "show this", KT_FLAG(struct kt_asked, help)},                  \
		{"version", 'V', NULL, "show the version",                                 \
		 KT_FLAG(struct kt_asked, version)},                                       \
		{"list-options", 0, NULL, NULL, KT_FLAG(struct kt_asked, list)},           \
	{                                                                                  \
		0                                                                          \
	}

/* The option --names of many programs: whether letters are shown by their names. */
enum kt_names { KT_NAMES_ON = 0, KT_NAMES_OFF };

#define KT_NAMES_ROW(context, member)                                                      \
	{                                                                                  \
		"names", 0, "on|off", "show letters by their names (default on)",          \
			KT_ENUM(context, member, "on", "off")                              \
	}

struct kt_command_line {
	const char *usage;             /* lines after "usage: " */
	const char *summary;           /* one sentence */
	const struct kt_option *table; /* ends with a NULL name; may be NULL */
	bool posix;                    /* the first operand ends the options */
};

/*
 * Parses argv[1..]. Operands are moved to the front of argv (argv[0..*n_operands)).
 * KT_E_USAGE with a message on an unknown option, a missing or an unwanted argument.
 * --help is parsed like other options; kt_options_answer() acts on it.
 */
int kt_options_parse(const struct kt_command_line *command, int argc, char **argv,
		     void *context, int *n_operands);

/*
 * Prints usage, summary and table, as wide as the terminal but at most 100 columns; 80
 * columns if there is no terminal.
 */
void kt_options_help(const struct kt_command_line *command, FILE *out);

/* Prints the table as TSV without a head: name, letter, argument, choices (joined by
 * commas), help. */
void kt_options_list(const struct kt_command_line *command, FILE *out);

/* Answers --help, --list-options, or --version, on standard output.
 * Returns true if one of them was given, so that the program has nothing else to do. */
bool kt_options_answer(const struct kt_command_line *command, const struct kt_asked *asked,
		       const struct kt_about *about);

/*
 * Parses a whole decimal number in lo..hi. Otherwise KT_E_USAGE with a message that names
 * `what`.
 */
int kt_parse_number(unsigned long *out, const char *text, unsigned long lo,
		    unsigned long hi, const char *what);

/*
 * Sets *out to the text in `choices` that equals `text`; `choices` ends with NULL. If none
 * is equal, returns KT_E_USAGE with a message that names `what` and all choices.
 */
int kt_parse_choice(const char **out, const char *text, const char *const *choices,
		    const char *what);

/* Like kt_parse_choice(), but sets *out to the index in `choices`. */
int kt_parse_enum(int *out, const char *text, const char *const *choices, const char *what);

#endif
