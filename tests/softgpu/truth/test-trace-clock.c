/* SPDX-License-Identifier: MIT */
/* Tests the offset of a trace's clock, as read from the trace's metadata. */
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "corpus/softgpu/truth/said-labels.h"
#include "tests/suite.h"

#define CLOCK(rest)                                                                        \
	"/* CTF 1.8 */\ntrace {};\nclock {\n\tname = \"monotonic\";\n" rest "};\n"

static const struct {
	const char *text;
	int code;
	int64_t offset;
} cases[] = {
	{CLOCK("\tfreq = 1000000000;\n\toffset = 1795305538989474911;\n"), KT_OK,
	 1795305538989474911},
	{CLOCK("\toffset_s = 5;\n\toffset = 7;\n"), KT_OK, 5000000007},
	{CLOCK("\toffset = 7;\n\toffset_s = 5;\n"), KT_OK, 5000000007},
	{CLOCK("\t/* offset is: offset * (1/freq) */\n\toffset = -3;\n"), KT_OK, -3},
	{CLOCK(""), KT_OK, 0},
	{CLOCK("\tfreq = 1000;\n"), KT_E_MALFORMED, 0},
	/* An offset that does not fit into 64 bits. */
	{CLOCK("\toffset_s = 9223372036854775807;\n"), KT_E_MALFORMED, 0},
	{CLOCK("\toffset_s = 9223372036;\n\toffset = 9223372036854775807;\n"),
	 KT_E_MALFORMED, 0},
	{"clock {\n\tname = \"tai\";\n\toffset = 1;\n};\n", KT_E_MALFORMED, 0},
	{"clock {\n\tname = \"monotonic\";\n", KT_E_MALFORMED, 0},
	{"", KT_E_MALFORMED, 0},
};

static void test_text(void)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int64_t offset = 0;
		int code =
			kt_clock_offset_read(&offset, cases[i].text, strlen(cases[i].text));

		CU_ASSERT_EQUAL(code, cases[i].code);
		CU_ASSERT_EQUAL(offset, cases[i].offset);
	}
}

enum { HEADER = 37 };

static size_t put_packet(char *to, const char *text, size_t n, size_t padding)
{
	uint32_t magic = 0x75d11d57;
	uint32_t content = (uint32_t)(HEADER + n) * 8;
	uint32_t size = content + (uint32_t)padding * 8;

	memset(to, 0, HEADER + n + padding);
	memcpy(to, &magic, 4);
	memcpy(to + 24, &content, 4);
	memcpy(to + 28, &size, 4);
	memcpy(to + HEADER, text, n);
	return HEADER + n + padding;
}

/* A packet may end at any byte of the text. */
static void test_packets(void)
{
	const char *text = cases[0].text;
	size_t n = strlen(text);

	for (size_t cut = 0; cut <= n; cut++) {
		char *packets = malloc(n + 2 * HEADER + 100);
		size_t size;
		int64_t offset = 0;

		CU_ASSERT_PTR_NOT_NULL_FATAL(packets);
		size = put_packet(packets, text, cut, 100);
		size += put_packet(packets + size, text + cut, n - cut, 0);
		CU_ASSERT_EQUAL(kt_clock_offset_read(&offset, packets, size), KT_OK);
		CU_ASSERT_EQUAL(offset, cases[0].offset);
		/* A packet with invalid sizes ends the part that can be read. */
		CU_ASSERT_EQUAL(kt_clock_offset_read(&offset, packets, size - 1),
				cut == n || cut == n - 1 ? KT_OK : KT_E_MALFORMED);
		free(packets);
	}
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"text", test_text},
		{"packets", test_packets},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("clocks of traces", tests);
}
