/* SPDX-License-Identifier: MIT */
/* UTF-8 as Unicode defines it: no overlong forms, no surrogates, at most U+10FFFF. */
#ifndef KTAIL_BASE_UTF8_H
#define KTAIL_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Length of the sequence at text[0..length), 1 to 4, or 0 if it is not valid UTF-8. */
size_t kt_utf8_sequence(const char *text, size_t length);

/* Whether text is valid UTF-8 without control characters (C0, DEL, C1). */
bool kt_utf8_is_printable(const char *text, size_t length);

/*
 * A copy in which what is not printable is '?', byte by byte; the caller frees it. NULL: no
 * memory.
 */
char *kt_utf8_printable_copy(const char *text);

#endif
