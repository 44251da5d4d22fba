/* SPDX-License-Identifier: MIT */
/* Text of an HTML-like label, broken into lines of a given width. */
#ifndef KTAIL_VIZ_FLOW_TEXT_H
#define KTAIL_VIZ_FLOW_TEXT_H

#include <stdio.h>

/*
 * Writes the text in the context KT_DOT_HTML. Lines end at `separator` only, and `line` is
 * written between lines. `width` is the width of a line in points, for letters of `size`
 * points; 0: no limit. KT_E_MEMORY.
 */
int kt_flow_text(FILE *out, const char *text, const char *separator, double size,
		 double width, const char *line);

#endif
