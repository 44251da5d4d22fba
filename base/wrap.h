/* SPDX-License-Identifier: MIT */
/* Writes text in pieces, and breaks lines between pieces to fit a terminal. */
#ifndef KTAIL_BASE_WRAP_H
#define KTAIL_BASE_WRAP_H

#include <stddef.h>
#include <stdio.h>

#define KT_WRAP_WIDTH 80 /* columns, if the text is not for a terminal */

/*
 * To initialise, set `out` and `indent`, the number of columns by which all lines but the
 * first are indented. Set the other members to 0.
 */
struct kt_wrap {
	FILE *out; /* Weak */
	size_t indent;
	size_t width;  /* columns; SIZE_MAX: no limit; 0: not determined yet */
	size_t column; /* bytes written to the current line, with its indentation */
};

/*
 * Returns a kt_wrap for a line that may be read by a person or by a program. The line is
 * broken only if `out` is a terminal, so that a program always gets one line.
 */
struct kt_wrap kt_wrap_line(FILE *out, size_t indent);

/*
 * Writes a piece, formatted like printf(). A piece whose format begins with a blank begins
 * a new line if it would go beyond the width; any other piece stays on the line of the
 * previous piece.
 */
void kt_wrap_put(struct kt_wrap *wrap, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Writes each word of a text as a piece that begins with a blank. */
void kt_wrap_words(struct kt_wrap *wrap, const char *text);

/* Ends the line. */
void kt_wrap_end(struct kt_wrap *wrap);

#endif
