/* SPDX-License-Identifier: MIT */
/* Text for people in lines of a width that terminals have: broken between pieces. */
#ifndef KTAIL_BASE_WRAP_H
#define KTAIL_BASE_WRAP_H

#include <stddef.h>
#include <stdio.h>

#define KT_WRAP_WIDTH 100 /* columns, if the text is not for a terminal */

/* Begins as {.out = out, .indent = columns before the lines after the first}. */
struct kt_wrap {
	FILE *out; /* Weak */
	size_t indent;
	size_t width;  /* of the terminal, or KT_WRAP_WIDTH; 0: not determined yet */
	size_t column; /* used of the line; counted in bytes */
};

/* Begins a line that programs may read, too: it is broken on terminals only. */
struct kt_wrap kt_wrap_line(FILE *out, size_t indent);

/*
 * Writes a piece, as printf() does. One that begins with a blank begins a line of its own
 * where it would go beyond the width; other pieces stay with the one before.
 */
void kt_wrap_put(struct kt_wrap *wrap, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Ends the line. */
void kt_wrap_end(struct kt_wrap *wrap);

#endif
