/* SPDX-License-Identifier: MIT */
/*
 * Text as it must be written in DOT so that Graphviz shows just that text. Three places,
 * three ways, measured with Graphviz 2.42: in all of them entities are replaced first ("&"
 * must be "&amp;"); a label's escapes are then replaced once, a tooltip's twice. Control
 * characters and what XML cannot hold (U+FFFE, U+FFFF, bytes that are no UTF-8) become
 * U+FFFD.
 */
#ifndef KTAIL_VIZ_DOT_TEXT_H
#define KTAIL_VIZ_DOT_TEXT_H

#include <stddef.h>
#include <stdio.h>

enum kt_dot_context {
	KT_DOT_LABEL,   /* within "" of a label */
	KT_DOT_TOOLTIP, /* within "" of a tooltip */
	KT_DOT_HTML,    /* text within an HTML-like label */
};

/* Writes text, at most `limit` characters of it, then "…" if some are left out. */
void kt_dot_put_some(FILE *out, enum kt_dot_context context, const char *text,
		     size_t limit);

/* Writes all of text. */
void kt_dot_put(FILE *out, enum kt_dot_context context, const char *text);

#endif
