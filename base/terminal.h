/* SPDX-License-Identifier: MIT */
/* What a terminal asks of text: its width, lines broken between words, colour. */
#ifndef KTAIL_BASE_TERMINAL_H
#define KTAIL_BASE_TERMINAL_H

#include <stddef.h>
#include <stdio.h>

#define KT_TERMINAL_USUAL 80 /* columns, where nothing says how many there are */

/* Columns of the terminal that a stream writes to, KT_TERMINAL_USUAL if it does not say;
 * 0: it writes to none. */
size_t kt_terminal_width(FILE *out);

/*
 * Prints the words of a text, which begins in column `at` (from 0), and ends the line. A
 * word that would pass `width` begins a line, `indent` columns in; none is broken. A line
 * break in the text is a space. width 0: no line is broken.
 */
void kt_print_wrapped(FILE *out, const char *text, size_t at, size_t indent, size_t width);

/* --- colour --- */

/* Escape sequences to print before and after a text, or "" each without colour. */
struct kt_colors {
	const char *bold;
	const char *red;
	const char *green;
	const char *plain; /* ends any of them */
};

/*
 * The colours of a stream. Only standard output has any: with --color=auto, or without the
 * option, if it is a terminal other than TERM=dumb, and NO_COLOR is unset or empty
 * (no-color.org).
 */
const struct kt_colors *kt_colors_of(FILE *out);

/* Sets what holds for the program, whatever the context: the option's function. */
int kt_color_set(void *context, const char *value);

/* The option's row, for programs whose output has colours. */
#define KT_COLOR_NAMES "auto", "always", "never"
#define KT_COLOR_ROW                                                                       \
	{                                                                                  \
		"color", 0, "WHEN",                                                        \
			"colour: auto (default: on a terminal), always or never",          \
			KT_SET(kt_color_set), KT_PROPOSE(KT_COLOR_NAMES)                   \
	}

#endif
