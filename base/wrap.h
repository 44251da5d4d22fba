/* SPDX-License-Identifier: MIT */
/* Writes text in pieces, and breaks lines between pieces to fit a terminal. */
#ifndef KTAIL_BASE_WRAP_H
#define KTAIL_BASE_WRAP_H

#include <stddef.h>
#include <stdio.h>

#define KT_WRAP_WIDTH 80 /* columns, if the text is not for a terminal */

/*
 * Initialise with {.out = out, .indent = columns by which all but the first line are indented}.
 */
struct kt_wrap {
	FILE *out; /* Weak */
	size_t indent;
	size_t width;  /* columns; SIZE_MAX: no limit; 0: not determined yet */
	size_t column; /* bytes written to the current line */
};

/*
 * Returns a kt_wrap for a line that programs may read too. The line is therefore broken
 * only on a terminal.
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
