/* SPDX-License-Identifier: MIT */
/*
 * Escapes text for DOT so that Graphviz displays it unchanged. Tests with Graphviz 2.42
 * show that it first replaces entities in all contexts ("&" must be "&amp;"), and then
 * backslash escapes, once in a label and twice in a tooltip. Control characters and what
 * XML cannot represent (U+FFFE, U+FFFF, invalid UTF-8) become U+FFFD.
 */
#ifndef KTAIL_VIZ_DOT_TEXT_H
#define KTAIL_VIZ_DOT_TEXT_H

#include <stddef.h>
#include <stdio.h>

enum kt_dot_context {
	KT_DOT_LABEL,   /* inside the quotes of a label */
	KT_DOT_TOOLTIP, /* inside the quotes of a tooltip */
	KT_DOT_HTML,    /* text inside an HTML-like label */
};

/* Writes at most `limit` characters of text, followed by "…" if some were left out. */
void kt_dot_put_some(FILE *out, enum kt_dot_context context, const char *text,
		     size_t limit);

/* Writes the attribute `fontname`; NULL: KT_FONTS. */
void kt_dot_put_font(FILE *out, const char *font);

/* Writes the whole text. */
void kt_dot_put(FILE *out, enum kt_dot_context context, const char *text);

#endif
