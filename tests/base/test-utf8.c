/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "tests/suite.h"

/* Encodes a code point in n bytes, even if UTF-8 does not allow this. */
static size_t encode(char out[4], uint32_t point, size_t n)
{
	static const unsigned char lead[] = {0, 0x00, 0xc0, 0xe0, 0xf0};

	for (size_t i = n; i-- > 0; point >>= 6) {
		out[i] = (char)(i ? 0x80 | (point & 0x3f) : lead[n] | point);
	}
	return n;
}

static size_t shortest(uint32_t point)
{
	return point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
}

static void accepts_each_code_point(void)
{
	for (uint32_t point = 0; point <= 0x1fffff; point += point < 0x12000 ? 1 : 97) {
		int surrogate = point >= 0xd800 && point <= 0xdfff;
		size_t n = shortest(point);
		char text[4];

		encode(text, point, n);
		CU_ASSERT_EQUAL(kt_utf8_sequence(text, n),
				surrogate || point > 0x10ffff ? 0 : n);
		for (size_t cut = 0; n > 1 && cut < n; cut++) {
			CU_ASSERT_EQUAL(kt_utf8_sequence(text, cut), 0);
		}
	}
}

static void rejects_overlong_forms(void)
{
	for (size_t n = 2; n <= 4; n++) {
		for (uint32_t point = 0; shortest(point) < n; point++) {
			char text[4];

			encode(text, point, n);
			CU_ASSERT_EQUAL(kt_utf8_sequence(text, n), 0);
		}
	}
}

static void rejects_stray_bytes(void)
{
	for (int byte = 0x80; byte < 0x100; byte++) {
		char text[4] = {(char)byte, 'a', 'a', 'a'};

		CU_ASSERT_EQUAL(kt_utf8_sequence(text, 4), 0);
	}
}

static void recognises_printable_text(void)
{
	CU_ASSERT_TRUE(kt_utf8_is_printable("", 0));
	CU_ASSERT_TRUE(kt_utf8_is_printable("ioctl:0x2a é→𝄞", strlen("ioctl:0x2a é→𝄞")));
	CU_ASSERT_TRUE(kt_utf8_is_printable("\xc2\xa0", 2));
	CU_ASSERT_FALSE(kt_utf8_is_printable("a\tb", 3));
	CU_ASSERT_FALSE(kt_utf8_is_printable("a\0b", 3));
	CU_ASSERT_FALSE(kt_utf8_is_printable("\x7f", 1));
	CU_ASSERT_FALSE(kt_utf8_is_printable("\xc2\x80", 2));
	CU_ASSERT_FALSE(kt_utf8_is_printable("\xc2\x9f", 2));
	CU_ASSERT_FALSE(kt_utf8_is_printable("a\xff", 2));
	CU_ASSERT_FALSE(kt_utf8_is_printable("\xe2\x86", 2));
}

static void copies_printable_text(void)
{
	static const char *const pairs[][2] = {
		{"", ""},
		{"a b\xc3\xa9", "a b\xc3\xa9"},
		{"a\nb\x7f\xff\xc2\x80\xe2\x86", "a?b??????"},
	};

	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		char *copy = kt_utf8_printable_copy(pairs[i][0]);

		CU_ASSERT_STRING_EQUAL_FATAL(copy, pairs[i][1]);
		free(copy);
	}
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"accepts each code point", accepts_each_code_point},
		{"rejects overlong forms", rejects_overlong_forms},
		{"rejects stray bytes", rejects_stray_bytes},
		{"tells printable text", recognises_printable_text},
		{"copies printable text", copies_printable_text},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("utf8", tests);
}
