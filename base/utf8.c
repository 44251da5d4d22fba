/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "base/utf8.h"

#include <string.h>

size_t kt_utf8_sequence(const char *text, size_t length)
{
	const unsigned char *s = (const unsigned char *)text;
	uint32_t point;
	size_t n;

	if (length == 0) {
		return 0;
	}
	if (s[0] < 0x80) {
		return 1;
	}
	n = s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : 2;
	if (s[0] < 0xc2 || s[0] > 0xf4 || length < n) {
		return 0;
	}
	point = s[0] & (0x7fu >> n);
	for (size_t i = 1; i < n; i++) {
		if ((s[i] & 0xc0) != 0x80) {
			return 0;
		}
		point = point << 6 | (s[i] & 0x3f);
	}
	if ((n == 3 && (point < 0x800 || (point >= 0xd800 && point <= 0xdfff))) ||
	    (n == 4 && (point < 0x10000 || point > 0x10ffff))) {
		return 0;
	}
	return n;
}

bool kt_utf8_is_printable(const char *text, size_t length)
{
	for (size_t i = 0; i < length;) {
		size_t n = kt_utf8_sequence(text + i, length - i);
		unsigned char c = (unsigned char)text[i];

		if (n == 0 || c < 0x20 || c == 0x7f) {
			return false;
		}
		if (n == 2 && c == 0xc2 && (unsigned char)text[i + 1] < 0xa0) {
			return false; /* U+0080..U+009F */
		}
		i += n;
	}
	return true;
}

char *kt_utf8_printable_copy(const char *text)
{
	char *copy = strdup(text);
	size_t length = copy ? strlen(copy) : 0;

	for (size_t i = 0; i < length;) {
		size_t n = kt_utf8_sequence(copy + i, length - i);

		if (n == 0 || !kt_utf8_is_printable(copy + i, n)) {
			memset(copy + i, '?', n ? n : 1);
		}
		i += n ? n : 1;
	}
	return copy;
}
