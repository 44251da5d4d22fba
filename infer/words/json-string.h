/* SPDX-License-Identifier: MIT */
#ifndef KTAIL_WORDS_JSON_STRING_H
#define KTAIL_WORDS_JSON_STRING_H

#include <stdio.h>

/* Writes printable UTF-8 text as a JSON string, quotes included. */
static inline void kt_json_string(FILE *out, const char *text)
{
	putc('"', out);
	for (; *text; text++) {
		if (*text == '"' || *text == '\\') {
			putc('\\', out);
		}
		putc(*text, out);
	}
	putc('"', out);
}

#endif
