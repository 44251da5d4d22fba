/* SPDX-License-Identifier: MIT */
#include "base/xml.h"

#include <string.h>

#include "base/utf8.h"

static void put_char(FILE *out, char c)
{
	switch (c) {
	case '&': fputs("&amp;", out); break;
	case '<': fputs("&lt;", out); break;
	case '>': fputs("&gt;", out); break;
	default: putc(c, out);
	}
}

void kt_xml_put_text(FILE *out, const char *text)
{
	for (; *text; text++) {
		put_char(out, *text);
	}
}

void kt_xml_put_attribute(FILE *out, const char *text)
{
	size_t length = strlen(text);

	while (length > 0) {
		const size_t n = kt_utf8_sequence(text, length);
		const unsigned char c = (unsigned char)*text;

		/* U+FFFE and U+FFFF are the only longer sequences that are not allowed. */
		if (n == 0 || c < 0x20 ||
		    (n == 3 && (memcmp(text, "\xef\xbf\xbe", 3) == 0 ||
				memcmp(text, "\xef\xbf\xbf", 3) == 0))) {
			putc('?', out);
		} else if (c == '"') {
			fputs("&quot;", out);
		} else if (n == 1) {
			put_char(out, *text);
		} else {
			fwrite(text, 1, n, out);
		}
		text += n ? n : 1;
		length -= n ? n : 1;
	}
}
