/* SPDX-License-Identifier: MIT */
/* Text on terminals: width, lines broken between words, colour. */
#ifndef KTAIL_BASE_TERMINAL_H
#define KTAIL_BASE_TERMINAL_H

#include <stddef.h>
#include <stdio.h>

#define KT_TERMINAL_USUAL 80 /* columns of a terminal of unknown width */

/*
 * Returns the width in columns of the terminal that a stream writes to: KT_TERMINAL_USUAL
 * if the width is unknown, 0 if the stream does not write to a terminal.
 */
size_t kt_terminal_width(FILE *out);

/* Returns the height in lines of the same terminal; 0 if there is none or it is unknown. */
size_t kt_terminal_height(FILE *out);

/*
 * Prints the words of a text from column `at` (from 0) on, and ends the line. A word that
 * would go beyond `width` (0: no limit) begins a new line, indented by `indent` columns.
 * Words are not broken, and line breaks in the text count as spaces.
 */
void kt_print_wrapped(FILE *out, const char *text, size_t at, size_t indent, size_t width);

/*
 * Prints "START: TEXT" to standard error. On a terminal, lines are broken between words. Do
 * not add a newline.
 */
void kt_print_message(const char *start, const char *text);

/* --- colour --- */

/* Escape sequences to print before and after a text; without colour each is "". */
struct kt_colors {
	const char *bold;
	const char *red;
	const char *green;
	const char *plain; /* ends bold, red or green text */
};

/*
 * Returns the colours of a stream. Only standard output can have colours. With
 * --color=auto, the default, standard output must also be a terminal, TERM must be neither
 * empty nor "dumb", and NO_COLOR must be unset or empty (no-color.org).
 */
const struct kt_colors *kt_colors_of(FILE *out);

/* A kt_option_fn for --color: sets the colour mode of the program; ignores `context`. */
int kt_color_set(void *context, const char *value);

/* Row of --color for the option table of a program whose output has colours. */
#define KT_COLOR_NAMES "auto", "always", "never"
#define KT_COLOR_ROW                                                                       \
	{                                                                                  \
		"color", 0, "WHEN",                                                        \
			"colour: auto (default: on a terminal), always or never",          \
			KT_SET(kt_color_set), KT_PROPOSE(KT_COLOR_NAMES)                   \
	}

/*
 * Prints "ktail: warning: " and a message, formatted like printf(), to standard error. On a
 * terminal, lines are broken between words.
 */
void kt_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
