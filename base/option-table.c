/* SPDX-License-Identifier: MIT */
#include "base/option-table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/try.h"

#ifndef KTAIL_VERSION
#error "KTAIL_VERSION must be defined"
#endif

static const struct kt_option *find_long(const struct kt_option *table, const char *name,
					 size_t length)
{
	for (; table && table->name; table++) {
		if (strlen(table->name) == length &&
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

/* By the words that the usage begins with: the program and its command. */
static int unknown_option(const struct kt_command_line *command, const char *dashes,
			  const char *name, size_t length)
{
	const char *usage = command->usage;
	size_t words = 0;

	while (usage[words] && strchr("abcdefghijklmnopqrstuvwxyz- ", usage[words])) {
		words++;
	}
	while (words && usage[words - 1] == ' ') {
		words--;
	}
	return kt_error(KT_E_USAGE, "parse options: unknown option %s%.*s; see %.*s --help",
			dashes, (int)length, name, (int)words, usage);
}

static int take(const struct kt_option *option, void *context, const char *value)
{
	char *at = (char *)context + option->at;
	char what[64];
	int chosen;

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
		memcpy(at, &chosen, sizeof(chosen)); /* whichever enum it is */
		return KT_OK;
	case KT_OPTION_TEXT: *(const char **)at = value; return KT_OK;
	}
	return kt_error(KT_E_INTERNAL, "parse options: %s is of no kind", what);
}

/* Handles argv[*i], a "--name" or "--name=value"; moves *i past what it took. */
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
		return kt_error(KT_E_USAGE, "parse options: --%s takes no argument",
				option->name);
	}
	if (needs_argument(option) && !value) {
		if (*i + 1 >= argc) {
			return kt_error(KT_E_USAGE, "parse options: --%s needs %s",
					option->name, option->argument);
		}
		value = argv[++*i];
	}
	return take(option, context, value);
}

/* Handles argv[*i], a "-abc" or "-oVALUE"; moves *i past what it took. */
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
				return kt_error(KT_E_USAGE, "parse options: -%c needs %s",
						*letter, option->argument);
			}
		}
		code = take(option, context, value);
		if (code || value) {
			return code;
		}
	}
	return KT_OK;
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

void kt_options_help(const struct kt_command_line *command, FILE *out)
{
	fprintf(out, "usage: %s\n\n%s\n", command->usage, command->summary);
	if (command->table && command->table->name) {
		fprintf(out, "\noptions:\n");
	}
	for (const struct kt_option *o = command->table; o && o->name; o++) {
		bool may_be_left_out = o->argument && o->argument[0] == '[';
		char left[64];

		if (o->heading) {
			fprintf(out, "\n%s:\n", o->heading);
		}
		/* "--name VALUE", or "--name[=VALUE]". */
		snprintf(left, sizeof(left), "%s%c%s --%s%s%s", o->letter ? "-" : " ",
			 o->letter ? o->letter : ' ', o->letter ? "," : " ", o->name,
			 !o->argument      ? ""
			 : may_be_left_out ? "[="
					   : " ",
			 o->argument ? o->argument + may_be_left_out : "");
		fprintf(out, "  %-28s %s\n", left, o->help);
	}
}

bool kt_options_answer(const struct kt_command_line *command, const struct kt_asked *asked,
		       const char *program)
{
	if (asked->help) {
		kt_options_help(command, stdout);
	} else if (asked->version) {
		printf("%s %s\n", program, KTAIL_VERSION);
	}
	return asked->help || asked->version;
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
				"parse options: %s must be a whole number from %lu to %lu, "
				"not '%s'",
				what, lo, hi, text);
	}
	*out = value;
	return KT_OK;
}

int kt_parse_enum(int *out, const char *text, const char *const *choices, const char *what)
{
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
	return kt_error(KT_E_USAGE, "parse options: %s must be %s, not '%s'", what, list,
			text);
}

int kt_parse_choice(const char **out, const char *text, const char *const *choices,
		    const char *what)
{
	int chosen;

	KT_TRY(kt_parse_enum(&chosen, text, choices, what));
	*out = choices[chosen];
	return KT_OK;
}
