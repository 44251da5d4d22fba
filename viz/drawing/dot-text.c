/* SPDX-License-Identifier: MIT */
#include "viz/drawing/dot-text.h"

#include <stdint.h>
#include <string.h>

#include "base/utf8.h"
#include "viz/drawing/scene.h"

#define REPLACEMENT "\xef\xbf\xbd" /* U+FFFD */

static const char *escape_ascii(enum kt_dot_context context, char c)
{
	switch (c) {
	case '&': return "&amp;";
	case '<': return context == KT_DOT_HTML ? "&lt;" : NULL;
	case '>': return context == KT_DOT_HTML ? "&gt;" : NULL;
	case '"': return context == KT_DOT_HTML ? "&quot;" : "\\\"";
	case '\\':
		return context == KT_DOT_HTML    ? NULL
		       : context == KT_DOT_LABEL ? "\\\\"
						 : "\\\\\\\\";
	default: return (unsigned char)c < 0x20 || c == 0x7f ? REPLACEMENT : NULL;
	}
}

void kt_dot_put_some(FILE *out, enum kt_dot_context context, const char *text, size_t limit)
{
	size_t length = strlen(text);
	size_t i = 0;

	for (; i < length && limit > 0; limit--) {
		const char *at = text + i;
		size_t n = kt_utf8_sequence(at, length - i);
		const char *escaped = NULL;

		if (n <= 1) {
			escaped = n == 0 ? REPLACEMENT : escape_ascii(context, at[0]);
			n = 1;
		} else if (!kt_utf8_is_printable(at, n) ||
			   memcmp(at, "\xef\xbf\xbe", n) == 0 ||
			   memcmp(at, "\xef\xbf\xbf", n) == 0) {
			escaped = REPLACEMENT;
		}
		if (escaped) {
			fputs(escaped, out);
		} else {
			fwrite(at, 1, n, out);
		}
		i += n;
	}
	if (i < length) {
		fputs("…", out);
	}
}

void kt_dot_put(FILE *out, enum kt_dot_context context, const char *text)
{
	kt_dot_put_some(out, context, text, SIZE_MAX);
}

void kt_dot_put_font(FILE *out, const char *font)
{
	fputs("fontname=\"", out);
	kt_dot_put(out, KT_DOT_LABEL, font ? font : KT_FONTS);
	putc('"', out);
}
