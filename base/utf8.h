/* SPDX-License-Identifier: MIT */
/* UTF-8 as defined by Unicode: no overlong forms, no surrogates, at most U+10FFFF. */
#ifndef KTAIL_BASE_UTF8_H
#define KTAIL_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Returns the length in bytes (1 to 4) of the UTF-8 sequence that begins text[0..length),
 * or 0 if the text does not begin with a valid sequence.
 */
size_t kt_utf8_sequence(const char *text, size_t length);

/* Returns whether text is valid UTF-8 without control characters (C0, DEL, C1). */
bool kt_utf8_is_printable(const char *text, size_t length);

/*
 * Returns a copy of the text with each unprintable byte replaced by '?', or NULL if out of
 * memory. The caller frees the copy.
 */
char *kt_utf8_printable_copy(const char *text);

#endif
