/* SPDX-License-Identifier: MIT */
/*
 * Estimates how wide a text will be. The font is unknown, since a viewer takes the first
 * that exists of those that a picture names. So the width is that of DejaVu Sans, which is
 * wide: Helvetica, Arial and Liberation Sans are narrower by a tenth or more.
 */
#ifndef KTAIL_VIZ_TEXT_WIDTH_H
#define KTAIL_VIZ_TEXT_WIDTH_H

#include <stddef.h>

/* Returns the width of a text in points, in regular letters of `size` points, or in bold.
 */
double kt_text_width(const char *text, double size);
double kt_bold_width(const char *text, double size);

/*
 * Returns how many bytes of a text fit into a line: whole words only, but at least the
 * first word, even if it is too wide. 0 if the first word has more than 1023 bytes.
 */
size_t kt_text_line(const char *text, double size, double width);

#endif
