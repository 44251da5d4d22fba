/* SPDX-License-Identifier: MIT */
#include "base/json-string.h"

#include <string.h>

#include "base/utf8.h"

static void escape(FILE *out, unsigned char c, size_t sequence)
{
	if (sequence == 0) {
		fputs("\\ufffd", out);
	} else if (c == '"' || c == '\\') {
		fprintf(out, "\\%c", c);
	} else {
		fprintf(out, "\\u%04x", c);
	}
}

void kt_json_string(FILE *out, const char *text)
{
	size_t length = strlen(text);
	size_t plain = 0; /* what was not written yet begins there */

	putc('"', out);
	for (size_t i = 0; i < length;) {
		unsigned char c = (unsigned char)text[i];
		size_t n = kt_utf8_sequence(text + i, length - i);

		if (n == 0 || c == '"' || c == '\\' || c < 0x20 || c == 0x7f) {
			fwrite(text + plain, 1, i - plain, out);
			escape(out, c, n);
			plain = i + 1;
		}
		i += n ? n : 1;
	}
	fwrite(text + plain, 1, length - plain, out);
	putc('"', out);
}
