/* SPDX-License-Identifier: MIT */
/* Compares encoded fields with the examples of protobuf.dev/programming-guides/encoding. */
#include <string.h>

#include "annotate/export/protobuf.h"
#include "tests/suite.h"

static void expect(const struct kt_protobuf *p, const char *bytes, size_t n)
{
	CU_ASSERT_FALSE(p->failed);
	CU_ASSERT_EQUAL_FATAL(p->n, n);
	CU_ASSERT_EQUAL(memcmp(p->bytes, bytes, n), 0);
}

static void test_examples(void)
{
	struct kt_protobuf p = {.n = 0};

	kt_protobuf_number(&p, 1, 150);
	expect(&p, "\x08\x96\x01", 3);
	p.n = 0;
	kt_protobuf_text(&p, 2, "testing");
	expect(&p, "\x12\x07testing", 9);
	p.n = 0;
	kt_protobuf_begin(&p, 3);
	kt_protobuf_number(&p, 1, 150);
	kt_protobuf_end(&p);
	expect(&p, "\x1a\x03\x08\x96\x01", 5);
	kt_protobuf_free(&p);
}

static void test_limits(void)
{
	struct kt_protobuf p = {.n = 0};

	kt_protobuf_number(&p, 87, 0);
	expect(&p, "\xb8\x05\x00", 3);
	p.n = 0;
	kt_protobuf_number(&p, 1, UINT64_MAX);
	expect(&p, "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11);
	p.n = 0;
	kt_protobuf_fixed64(&p, 47, 0x0102030405060708);
	expect(&p, "\xf9\x02\x08\x07\x06\x05\x04\x03\x02\x01", 10);
	p.n = 0;
	kt_protobuf_text(&p, 1, "");
	expect(&p, "\x0a\x00", 2);
	kt_protobuf_free(&p);
}

/* A length that takes two bytes moves the message after it, at both depths. */
static void test_long_messages(void)
{
	struct kt_protobuf p = {.n = 0};
	char text[201];

	memset(text, 'x', 200);
	text[200] = '\0';
	kt_protobuf_begin(&p, 1);
	kt_protobuf_begin(&p, 2);
	kt_protobuf_text(&p, 3, text);
	kt_protobuf_end(&p);
	kt_protobuf_number(&p, 4, 5);
	kt_protobuf_end(&p);
	CU_ASSERT_EQUAL_FATAL(p.n, 3 + 3 + 3 + 200 + 2);
	CU_ASSERT_EQUAL(memcmp(p.bytes, "\x0a\xd0\x01\x12\xcb\x01\x1a\xc8\x01x", 10), 0);
	CU_ASSERT_EQUAL(memcmp(p.bytes + p.n - 3, "x\x20\x05", 3), 0);
	kt_protobuf_free(&p);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"examples", test_examples},
		{"limits", test_limits},
		{"long messages", test_long_messages},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("protobuf", tests);
}
