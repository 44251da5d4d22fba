/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "decode/method-stream.h"
#include "tests/decode/methods/method-oracle.h"
#include "tests/suite.h"

static uint32_t random_word(void)
{
	return (uint32_t)rand() << 17 ^ (uint32_t)rand() << 8 ^ (uint32_t)rand();
}

/*
 * The expected fields are computed by hand: the operation begins at bit 29, the count at
 * bit 16, the subchannel at bit 13, offset / 4 at bit 0; in the old forms, the count begins
 * at bit 18, and the offset itself at bit 0.
 */
static const struct {
	uint32_t word;
	struct kt_method_header header;
} headers[] = {
	{0x20018000, {KT_METHOD_INCREASING, 1, 4, 0}}, /* SET_OBJECT of the copy engine */
	{0x20048100, {KT_METHOD_INCREASING, 4, 4, 0x400}}, /* OFFSET_IN, OFFSET_OUT */
	{0x20050017, {KT_METHOD_INCREASING, 5, 0, 0x5c}},  /* a semaphore of the host */
	{0x3fffefff, {KT_METHOD_INCREASING, 0x1fff, 7, 0x3ffc}},
	{0x6060206d, {KT_METHOD_NON_INCREASING, 0x60, 1, 0x1b4}}, /* a QMD as inline data */
	{0x818280c0, {KT_METHOD_IMMEDIATE, 0x182, 4, 0x300}},     /* LAUNCH_DMA */
	{0x800a20b0, {KT_METHOD_IMMEDIATE, 0xa, 1, 0x2c0}},
	{0xa003206c, {KT_METHOD_INCREASE_ONCE, 3, 1, 0x1b0}},
	{0x00088400, {KT_METHOD_OLD_INCREASING, 2, 4, 0x400}},
	{0x1ffc1ffc, {KT_METHOD_OLD_INCREASING, 0x7ff, 0, 0x1ffc}},
	{0x400c21b4, {KT_METHOD_OLD_NON_INCREASING, 3, 1, 0x1b4}},
	{0xe0000000, {KT_METHOD_END, 0, 0, 0}},
};

static void knows_headers(void)
{
	for (size_t i = 0; i < sizeof(headers) / sizeof(headers[0]); i++) {
		struct kt_method_header header;

		kt_method_header_decode(&header, headers[i].word);
		CU_ASSERT_EQUAL(header.op, headers[i].header.op);
		CU_ASSERT_EQUAL(header.count, headers[i].header.count);
		CU_ASSERT_EQUAL(header.subchannel, headers[i].header.subchannel);
		CU_ASSERT_EQUAL(header.offset, headers[i].header.offset);
		CU_ASSERT_EQUAL(kt_method_header_encode(&headers[i].header),
				headers[i].word);
	}
}

static void names_forms(void)
{
	static const struct {
		uint32_t word;
		const char *form;
		bool is_mask;
		uint16_t mask;
	} rows[] = {
		{0x20048100, "INC", false, 0},
		{0x6060206d, "NON_INC", false, 0},
		{0x818280c0, "IMMD", false, 0},
		{0xa003206c, "ONE_INC", false, 0},
		{0x00088400, "GRP0_INC", false, 0},
		{0x400c21b4, "GRP2_NON_INC", false, 0},
		{0x0001fff0, "SET_SUB_DEV_MASK", true, 0xfff},
		{0x00020010, "STORE_SUB_DEV_MASK", true, 1},
		{0x00030010, "USE_SUB_DEV_MASK", true, 0},
		{0xe0000000, "END_PB_SEGMENT", false, 0},
		{0xc0000000, "RESERVED", false, 0},
		{0x40060010, "RESERVED", false, 0},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint16_t mask;

		CU_ASSERT_STRING_EQUAL(kt_method_header_form(rows[i].word), rows[i].form);
		CU_ASSERT_EQUAL(kt_method_header_mask(rows[i].word, &mask), rows[i].is_mask);
		CU_ASSERT_TRUE(!rows[i].is_mask || mask == rows[i].mask);
	}
}

static void headers_go_there_and_back(void)
{
	unsigned wrong = 0;

	srand(4);
	for (unsigned i = 0; i < 100000; i++) {
		uint32_t word = random_word();
		struct kt_method_header header;

		kt_method_header_decode(&header, word);
		/*
		 * Clears bits that the form does not use: 17:16 and 1:0 in the old forms,
		 * 12 in the new ones.
		 */
		word &= header.op == KT_METHOD_OLD_INCREASING ||
					header.op == KT_METHOD_OLD_NON_INCREASING
				? ~0x30003u
				: ~0x1000u;
		wrong += kt_method_header_encode(&header) != word;
	}
	CU_ASSERT_EQUAL(wrong, 0);
}

struct expected {
	unsigned subchannel, offset;
	uint32_t value;
	size_t at;
	bool last;
};

static void expect_next(struct kt_method_stream *stream, const struct expected *methods,
			size_t n_methods, enum kt_method_status end, size_t at)
{
	struct kt_method method;

	for (size_t i = 0; i < n_methods; i++) {
		CU_ASSERT_EQUAL_FATAL(kt_method_next(stream, &method), KT_METHOD_GIVEN);
		CU_ASSERT_EQUAL(method.subchannel, methods[i].subchannel);
		CU_ASSERT_EQUAL(method.offset, methods[i].offset);
		CU_ASSERT_EQUAL(method.value, methods[i].value);
		CU_ASSERT_EQUAL(method.at, methods[i].at);
		CU_ASSERT_EQUAL(method.last, methods[i].last);
		CU_ASSERT_EQUAL(method.immediate,
				stream->words[method.at] >> 29 == KT_METHOD_IMMEDIATE);
	}
	for (unsigned again = 0; again < 3; again++) {
		CU_ASSERT_EQUAL(kt_method_next(stream, &method), end);
		CU_ASSERT_EQUAL(stream->at, at);
	}
}

static void expect(const uint32_t *words, size_t n, const struct expected *methods,
		   size_t n_methods, enum kt_method_status end, size_t at)
{
	struct kt_method_stream stream;

	kt_method_stream_start(&stream, words, n);
	expect_next(&stream, methods, n_methods, end, at);
}

#define N(array) (sizeof(array) / sizeof((array)[0]))
#define EXPECT(words, methods, status, at)                                                 \
	expect(words, N(words), methods, N(methods), status, at)

static void deals_out_the_new_forms(void)
{
	static const uint32_t words[] = {
		0x20028100, 0xa, 0xb, 0x6002206d, 0xc,        0xd,
		0xa003206c, 0xe, 0xf, 0x10,       0x818280c0,
	};
	static const struct expected methods[] = {
		{4, 0x400, 0xa, 1, false}, {4, 0x404, 0xb, 2, true},
		{1, 0x1b4, 0xc, 4, false}, {1, 0x1b4, 0xd, 5, true},
		{1, 0x1b0, 0xe, 7, false}, {1, 0x1b4, 0xf, 8, false},
		{1, 0x1b4, 0x10, 9, true}, {4, 0x300, 0x182, 10, true},
	};

	EXPECT(words, methods, KT_METHOD_NO_MORE, N(words));
}

static void deals_out_the_old_forms(void)
{
	static const uint32_t words[] = {0x00088400, 1, 2, 0x400821b4, 3, 4};
	static const struct expected methods[] = {
		{4, 0x400, 1, 1, false},
		{4, 0x404, 2, 2, true},
		{1, 0x1b4, 3, 4, false},
		{1, 0x1b4, 4, 5, true},
	};

	EXPECT(words, methods, KT_METHOD_NO_MORE, N(words));
}

/*
 * A stream ends at an end header, whatever follows that header; empty headers and zeros
 * give no methods.
 */
static void skips_and_ends(void)
{
	static const uint32_t words[] = {0,          0x20008000, 0x20018000, 5,
					 0x60000000, 0,          0xe0000000, 0xc0000000};
	static const struct expected methods[] = {{4, 0, 5, 3, true}};

	EXPECT(words, methods, KT_METHOD_NO_MORE, 6);
	expect(NULL, 0, NULL, 0, KT_METHOD_NO_MORE, 0);
}

static void refuses_bad_headers(void)
{
	static const uint32_t reserved[] = {0x20018000, 5, 0xc0000000, 0x20018000, 5};
	static const uint32_t old[] = {0x20018000, 5, 0x40060010, 1};
	static const struct expected methods[] = {{4, 0, 5, 1, true}};

	EXPECT(reserved, methods, KT_METHOD_BAD, 2);
	EXPECT(old, methods, KT_METHOD_BAD, 2);
}

/* Masks of subdevices, which OpenGL's driver sets, have no data. */
static void skips_masks_of_subdevices(void)
{
	static const uint32_t words[] = {0x0001fff0, 0x00020010, 0x00030010, 0x20018000, 5};
	static const struct expected methods[] = {{4, 0, 5, 4, true}};

	EXPECT(words, methods, KT_METHOD_NO_MORE, N(words));
}

/*
 * If a segment ends before the data of its last header, the data continue in the next
 * segment.
 */
static void goes_on_in_the_next_segment(void)
{
	static const uint32_t words[] = {0x20018000, 5, 0xa0038100, 1, 2, 3, 0x81828100};
	static const struct expected methods[] = {{4, 0, 5, 1, true},
						  {4, 0x400, 1, 3, false}};
	static const struct expected rest[] = {{4, 0x404, 2, 0, false},
					       {4, 0x404, 3, 1, true},
					       {4, 0x400, 0x182, 2, true}};
	struct kt_method_stream stream;

	expect(words, 4, methods, 2, KT_METHOD_CUT, 4);
	expect(words, 3, methods, 1, KT_METHOD_CUT, 3);
	expect(words, 2, methods, 1, KT_METHOD_NO_MORE, 2);
	expect(words, 1, NULL, 0, KT_METHOD_CUT, 1);

	kt_method_stream_start(&stream, words, 4);
	expect_next(&stream, methods, 2, KT_METHOD_CUT, 4);
	kt_method_stream_continue(&stream, NULL, 0);
	expect_next(&stream, NULL, 0, KT_METHOD_CUT, 0);
	kt_method_stream_continue(&stream, words + 4, 3);
	expect_next(&stream, rest, 3, KT_METHOD_NO_MORE, 3);
}

/*
 * Writes dwords of which most are headers with a count that fits into the segment, so that
 * streams become long.
 */
static size_t random_segment(uint32_t *words, size_t capacity)
{
	size_t n = (size_t)rand() % capacity;

	for (size_t i = 0; i < n; i++) {
		words[i] = random_word();
		if (rand() % 8) {
			words[i] &= 0xe003ffff | (uint32_t)rand() % 4 << 18;
			words[i] &= rand() % 4 ? ~0x30000u : ~0u;
		}
	}
	return n;
}

static void agrees_with_the_oracle(void)
{
	struct kt_method_stream stream = {0};
	struct kt_method_open open = {0};
	unsigned wrong = 0, ends[4] = {0};

	srand(5);
	for (unsigned i = 0; i < 20000; i++) {
		uint32_t words[64];
		struct kt_method expected[64], method;
		enum kt_method_status end;
		size_t n = random_segment(words, N(words)), found, at;

		end = kt_method_oracle(&open, words, n, expected, &found, &at);
		kt_method_stream_continue(&stream, words, n);
		for (size_t k = 0; k < found; k++) {
			memset(&method, 0, sizeof(method));
			wrong += kt_method_next(&stream, &method) != KT_METHOD_GIVEN ||
				 method.subchannel != expected[k].subchannel ||
				 method.offset != expected[k].offset ||
				 method.value != expected[k].value ||
				 method.at != expected[k].at ||
				 method.last != expected[k].last;
		}
		wrong += kt_method_next(&stream, &method) != end || stream.at != at;
		ends[end]++;
	}
	CU_ASSERT_EQUAL(wrong, 0);
	CU_ASSERT_TRUE(ends[KT_METHOD_NO_MORE] > 100);
	CU_ASSERT_TRUE(ends[KT_METHOD_BAD] > 100);
	CU_ASSERT_TRUE(ends[KT_METHOD_CUT] > 100);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"knows headers", knows_headers},
		{"names forms", names_forms},
		{"headers go there and back", headers_go_there_and_back},
		{"deals out the new forms", deals_out_the_new_forms},
		{"deals out the old forms", deals_out_the_old_forms},
		{"skips and ends", skips_and_ends},
		{"refuses bad headers", refuses_bad_headers},
		{"skips masks of subdevices", skips_masks_of_subdevices},
		{"goes on in the next segment", goes_on_in_the_next_segment},
		{"agrees with the oracle", agrees_with_the_oracle},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("method stream", tests);
}
