/* SPDX-License-Identifier: MIT */
/* Text for human readers, broken between pieces into lines that fit a terminal. */
#ifndef KTAIL_BASE_WRAP_H
#define KTAIL_BASE_WRAP_H

#include <stddef.h>
#include <stdio.h>

#define KT_WRAP_WIDTH 100 /* columns, if the text is not for a terminal */

/*
 * Initialise with {.out = out, .indent = columns that lines after the first are indented}.
 */
struct kt_wrap {
	FILE *out; /* Weak */
	size_t indent;
	size_t width;  /* of the terminal, or KT_WRAP_WIDTH; 0: not determined yet */
	size_t column; /* of the current line so far, counted in bytes */
};

/*
 * Begins a line that programs may read too, and which is therefore broken only on a
 * terminal.
 */
struct kt_wrap kt_wrap_line(FILE *out, size_t indent);

/*
 * Writes a piece, formatted like printf(). A piece that begins with a blank begins a new
 * line if it would go beyond the width; any other piece stays on the line of the previous
 * piece.
 */
void kt_wrap_put(struct kt_wrap *wrap, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Writes each word of a text as a piece that begins with a blank. */
void kt_wrap_words(struct kt_wrap *wrap, const char *text);

/* Ends the line. */
void kt_wrap_end(struct kt_wrap *wrap);

#endif
