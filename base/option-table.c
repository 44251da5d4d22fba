/* SPDX-License-Identifier: MIT */
#include "base/option-table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/nearest.h"
#include "base/terminal.h"
#include "base/try.h"

#ifndef KTAIL_VERSION
#error "KTAIL_VERSION must be defined"
#endif

#define HELP_WIDEST 100 /* columns: longer lines are hard to read */
#define HELP_LEFT   28 /* columns; after a wider option, the help begins on the next line */

static const struct kt_option *find_long(const struct kt_option *table, const char *name,
					 size_t length)
{
	for (; table && table->name; table++) {
		if (length > 0 && strlen(table->name) == length &&
		    memcmp(table->name, name, length) == 0) {
			return table;
		}
	}
	return NULL;
}

static const struct kt_option *find_letter(const struct kt_option *table, char letter)
{
	for (; table && table->name; table++) {
		if (table->letter == letter) {
			return table;
		}
	}
	return NULL;
}

static bool needs_argument(const struct kt_option *option)
{
	return option->argument && option->argument[0] != '[';
}

/*
 * Sets an error message that names the program and its command, which are the first words
 * of the usage.
 */
static int unknown_option(const struct kt_command_line *command, const char *dashes,
			  const char *name, size_t length)
{
	struct kt_nearest nearest = {.word = name, .length = length};
	const char *usage = command->usage;
	size_t words = 0;

	while (usage[words] && strchr("abcdefghijklmnopqrstuvwxyz- ", usage[words])) {
		words++;
	}
	while (words && usage[words - 1] == ' ') {
		words--;
	}
	/* Suggest nothing for "-x": one letter is too short for a search. */
	for (const struct kt_option *o = command->table; dashes[1] && o && o->name; o++) {
		if (o->help) {
			kt_nearest_try(&nearest, o->name);
		}
	}
	if (nearest.found) {
		return kt_error(KT_E_USAGE,
				"unknown option %s%.*s; did you mean --%s? "
				"See %.*s --help",
				dashes, (int)length, name, nearest.found, (int)words,
				usage);
	}
	return kt_error(KT_E_USAGE, "unknown option %s%.*s; see %.*s --help", dashes,
			(int)length, name, (int)words, usage);
}

static int take(const struct kt_command_line *command, const struct kt_option *option,
		void *context, const char *value)
{
	char *at = (char *)context + option->at;
	char what[64];
	int chosen;

	if (command->given) {
		command->given[option - command->table] = true;
	}
	snprintf(what, sizeof(what), "--%s", option->name);
	switch (option->kind) {
	case KT_OPTION_CALL: return option->set(context, value);
	case KT_OPTION_FLAG: *(bool *)at = true; return KT_OK;
	case KT_OPTION_NUMBER:
		return kt_parse_number((unsigned long *)at, value, option->lo, option->hi,
				       what);
	case KT_OPTION_CHOICE:
		return kt_parse_choice((const char **)at, value, option->choices, what);
	case KT_OPTION_ENUM:
		KT_TRY(kt_parse_enum(&chosen, value, option->choices, what));
		memcpy(at, &chosen, sizeof(chosen)); /* the enum may be of any type */
		return KT_OK;
	case KT_OPTION_TEXT: *(const char **)at = value; return KT_OK;
	case KT_OPTION_HEADING: break;
	}
	return kt_error(KT_E_INTERNAL, "%s has an unknown kind", what);
}

/* Prints a note if the option is deprecated. */
static void note_old(const struct kt_option *option, const char *dashes, const char *name)
{
	if (option->instead) {
		fprintf(stderr,
			"ktail: note: %s%s is an old name of %s and will be removed in "
			"the next version\n",
			dashes, name, option->instead);
	}
}

/*
 * Handles argv[*i], "--name" or "--name=value". Increments *i if argv[*i + 1] is the
 * option's argument.
 */
static int parse_long(const struct kt_command_line *command, int argc, char **argv, int *i,
		      void *context)
{
	const char *name = argv[*i] + 2;
	const char *equals = strchr(name, '=');
	size_t length = equals ? (size_t)(equals - name) : strlen(name);
	const struct kt_option *option = find_long(command->table, name, length);
	const char *value = equals ? equals + 1 : NULL;

	if (!option) {
		return unknown_option(command, "--", name, length);
	}
	if (!option->argument && value) {
		return kt_error(KT_E_USAGE, "--%s takes no argument", option->name);
	}
	if (needs_argument(option) && !value) {
		if (*i + 1 >= argc) {
			return kt_error(KT_E_USAGE, "--%s needs %s", option->name,
					option->argument);
		}
		value = argv[++*i];
	}
	note_old(option, "--", option->name);
	return take(command, option, context, value);
}

/*
 * Handles argv[*i], "-abc" or "-oVALUE". Increments *i if argv[*i + 1] is the argument of
 * the last option.
 */
static int parse_letters(const struct kt_command_line *command, int argc, char **argv,
			 int *i, void *context)
{
	for (const char *letter = argv[*i] + 1; *letter; letter++) {
		const struct kt_option *option = find_letter(command->table, *letter);
		const char *value = NULL;
		int code;

		if (!option) {
			return unknown_option(command, "-", letter, 1);
		}
		if (needs_argument(option)) {
			if (letter[1]) {
				value = letter + 1;
			} else if (*i + 1 < argc) {
				value = argv[++*i];
			} else {
				return kt_error(KT_E_USAGE, "-%c needs %s", *letter,
						option->argument);
			}
		}
		note_old(option, "-", (const char[]){*letter, '\0'});
		code = take(command, option, context, value);
		if (code || value) {
			return code;
		}
	}
	return KT_OK;
}

const char *kt_options_other(const struct kt_command_line *command,
			     const char *const *names)
{
	for (size_t i = 0; command->table[i].name; i++) {
		const char *const *name = names;

		while (*name && strcmp(*name, command->table[i].name) != 0) {
			name++;
		}
		if (command->given[i] && !*name) {
			return command->table[i].name;
		}
	}
	return NULL;
}

int kt_options_parse(const struct kt_command_line *command, int argc, char **argv,
		     void *context, int *n_operands)
{
	bool only_operands = false;
	int n = 0;

	for (int i = 1; i < argc; i++) {
		int code = KT_OK;

		if (only_operands || argv[i][0] != '-' || argv[i][1] == '\0') {
			argv[n++] = argv[i];
			only_operands = only_operands || command->posix;
		} else if (strcmp(argv[i], "--") == 0) {
			only_operands = true;
		} else if (argv[i][1] == '-') {
			code = parse_long(command, argc, argv, &i, context);
		} else {
			code = parse_letters(command, argc, argv, &i, context);
		}
		if (code) {
			return code;
		}
	}
	*n_operands = n;
	return KT_OK;
}

/* --- --help, --list-options, --version --- */

/* Formats "-l, --name VALUE", or "    --name[=VALUE]". Returns the length. */
static int print_left(char *out, size_t size, const struct kt_option *o)
{
	bool may_be_left_out = o->argument && o->argument[0] == '[';

	return snprintf(out, size, "%s%c%s --%s%s%s", o->letter ? "-" : " ",
			o->letter ? o->letter : ' ', o->letter ? "," : " ", o->name,
			!o->argument      ? ""
			: may_be_left_out ? "[="
					  : " ",
			o->argument ? o->argument + may_be_left_out : "");
}

/* Prints the lines of a usage, which all begin in the column after "usage: ". */
static void print_usage(FILE *out, const char *usage, size_t width)
{
	static const char before[] = "usage: ";
	const size_t at = sizeof(before) - 1;

	fputs(before, out);
	while (usage) {
		size_t length = strcspn(usage, "\n");
		char line[256];

		snprintf(line, sizeof(line), "%.*s", (int)length, usage);
		kt_print_wrapped(out, line, at, at + 6, width);
		usage = usage[length] ? usage + length + 1 : NULL;
		fprintf(out, "%*s", usage ? (int)at : 0, "");
	}
}

void kt_options_help(const struct kt_command_line *command, FILE *out)
{
	size_t width = kt_terminal_width(out);
	char left[64];
	int most = 0;

	width = width == 0 ? KT_TERMINAL_USUAL : width > HELP_WIDEST ? HELP_WIDEST : width;
	for (const struct kt_option *o = command->table; o && o->name; o++) {
		int n = o->name[0] && o->help ? print_left(left, sizeof(left), o) : 0;

		most = n > most && n <= HELP_LEFT ? n : most;
	}
	print_usage(out, command->usage, width);
	putc('\n', out);
	kt_print_wrapped(out, command->summary, 0, 0, width);
	if (command->table && command->table->name &&
	    command->table->kind != KT_OPTION_HEADING) {
		fprintf(out, "\noptions:\n");
	}
	for (const struct kt_option *o = command->table; o && o->name; o++) {
		int n;

		if (o->kind == KT_OPTION_HEADING) {
			fprintf(out, "\n%s:\n", o->help);
			continue;
		}
		if (!o->help) {
			continue;
		}
		n = print_left(left, sizeof(left), o);
		fprintf(out, "  %-*s", most, left);
		if (n > most) {
			fprintf(out, "\n  %*s", most, "");
		}
		fputs("  ", out);
		kt_print_wrapped(out, o->help, (size_t)most + 4, (size_t)most + 4, width);
	}
}

void kt_options_list(const struct kt_command_line *command, FILE *out)
{
	for (const struct kt_option *o = command->table; o && o->name; o++) {
		if (!o->name[0] || !o->help) {
			continue;
		}
		fprintf(out, "%s\t%.*s\t%s\t", o->name, o->letter != 0, &o->letter,
			o->argument ? o->argument : "");
		for (size_t i = 0; o->choices && o->choices[i]; i++) {
			fprintf(out, "%s%s", i ? "," : "", o->choices[i]);
		}
		fprintf(out, "\t%s\n", o->help);
	}
}

void kt_about_print(const struct kt_about *about)
{
	printf("%s %s\ncommit %s\n", about->program, KTAIL_VERSION, about->commit);
	for (const char *at = about->linked; *at;) {
		size_t length = strcspn(at, ",");

		printf("%.*s\n", (int)length, at);
		at += length;
		at += strspn(at, ", ");
	}
}

bool kt_options_answer(const struct kt_command_line *command, const struct kt_asked *asked,
		       const struct kt_about *about)
{
	if (asked->help) {
		kt_options_help(command, stdout);
	} else if (asked->list) {
		kt_options_list(command, stdout);
	} else if (asked->version) {
		kt_about_print(about);
	}
	return kt_asked_any(asked);
}

int kt_parse_number(unsigned long *out, const char *text, unsigned long lo,
		    unsigned long hi, const char *what)
{
	char *end = NULL;
	unsigned long value;

	errno = 0;
	value = strtoul(text, &end, 10);
	if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno || value < lo ||
	    value > hi) {
		return kt_error(KT_E_USAGE,
				"%s must be a whole number from %lu to %lu, "
				"not '%s'",
				what, lo, hi, text);
	}
	*out = value;
	return KT_OK;
}

int kt_parse_enum(int *out, const char *text, const char *const *choices, const char *what)
{
	char meant[KT_DID_YOU_MEAN];
	char list[256] = "";
	size_t n = 0;

	for (size_t i = 0; choices[i]; i++) {
		const char *between = i == 0 ? "" : choices[i + 1] ? ", " : " or ";

		if (strcmp(text, choices[i]) == 0) {
			*out = (int)i;
			return KT_OK;
		}
		if (n < sizeof(list)) {
			n += (size_t)snprintf(list + n, sizeof(list) - n, "%s%s", between,
					      choices[i]);
		}
	}
	return kt_error(KT_E_USAGE, "%s must be %s, not '%s'%s", what, list, text,
			kt_did_you_mean(meant, kt_nearest_of(text, choices)));
}

int kt_parse_choice(const char **out, const char *text, const char *const *choices,
		    const char *what)
{
	int chosen;

	KT_TRY(kt_parse_enum(&chosen, text, choices, what));
	*out = choices[chosen];
	return KT_OK;
}
