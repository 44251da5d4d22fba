/* SPDX-License-Identifier: MIT */
/* Text for people in lines of a width that terminals have: broken between pieces. */
#ifndef KTAIL_BASE_WRAP_H
#define KTAIL_BASE_WRAP_H

#include <stddef.h>
#include <stdio.h>

#define KT_WRAP_WIDTH 100 /* columns */

/* Begins as {.out = out, .indent = columns before the lines after the first}. */
struct kt_wrap {
	FILE *out; /* Weak */
	size_t indent;
	size_t column; /* used of the line; counted in bytes */
};

/*
 * Writes a piece, as printf() does. One that begins with a blank begins a line of its own
 * where it would go beyond the width; other pieces stay with the one before.
 */
void kt_wrap_put(struct kt_wrap *wrap, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Ends the line. */
void kt_wrap_end(struct kt_wrap *wrap);

#endif
