/* SPDX-License-Identifier: MIT */
/*
 * Tests what is read from packet headers, such as where the last whole packet of a file
 * ends.
 */
#include <stdlib.h>
#include <string.h>

#include "infer/words/read/ctf-folder.h"
#include "tests/suite.h"

#define SIZE 4096

static void put(unsigned char *at, uint64_t value, size_t size, bool swapped)
{
	for (size_t i = 0; i < size; i++) {
		at[swapped ? size - 1 - i : i] = (unsigned char)(value >> 8 * i);
	}
}

/* Writes a packet as LTTng does; an old one has no stream_instance_id. */
static void make_packet(unsigned char *at, bool old, bool swapped)
{
	unsigned char *context = at + (old ? 24 : 32);

	memset(at, 0, SIZE);
	put(at, 0xc1fc1fc1, 4, swapped);
	put(context, 1000, 8, swapped);
	put(context + 8, 2000, 8, swapped);
	put(context + 16, 8 * 1000, 8, swapped);
	put(context + 24, 8 * SIZE, 8, swapped);
}

static void check(bool old, bool swapped)
{
	unsigned char *data = malloc(4 * SIZE);
	bool known;

	CU_ASSERT_PTR_NOT_NULL_FATAL(data);
	for (size_t i = 0; i < 4; i++) {
		make_packet(data + i * SIZE, old, swapped);
	}
	for (size_t length = 0; length <= 4 * SIZE; length++) {
		if (kt_ctf_whole_packets(data, length, &known) != length / SIZE * SIZE ||
		    !known) {
			CU_FAIL("wrong length");
			break;
		}
	}
	free(data);
}

static void test_layouts(void)
{
	check(false, false);
	check(true, false);
	check(false, true);
	check(true, true);
}

/* Files with unknown headers are left to Babeltrace unchanged. */
static void test_unknown(void)
{
	unsigned char data[2 * SIZE];
	bool known;

	make_packet(data, false, false);
	make_packet(data + SIZE, false, false);
	data[SIZE] = 1;
	CU_ASSERT_EQUAL(kt_ctf_whole_packets(data, sizeof(data), &known), sizeof(data));
	CU_ASSERT_FALSE(known);
	make_packet(data + SIZE, false, false);
	put(data + 48, 9 * SIZE, 8, false); /* content larger than packet */
	CU_ASSERT_EQUAL(kt_ctf_whole_packets(data, sizeof(data), &known), sizeof(data));
	CU_ASSERT_FALSE(known);
	memset(data, 'x', sizeof(data));
	CU_ASSERT_EQUAL(kt_ctf_whole_packets(data, sizeof(data), &known), sizeof(data));
	CU_ASSERT_FALSE(known);
}

/* Zeros after the packets, or zeros alone, are packets that were never written. */
static void test_zeros(void)
{
	unsigned char data[4 * SIZE] = {0};
	bool known;

	CU_ASSERT_EQUAL(kt_ctf_whole_packets(data, sizeof(data), &known), 0);
	CU_ASSERT_TRUE(known);
	make_packet(data, false, false);
	for (size_t length = SIZE; length <= sizeof(data); length += SIZE / 8) {
		CU_ASSERT_EQUAL(kt_ctf_whole_packets(data, length, &known), SIZE);
		CU_ASSERT_TRUE(known);
	}
	data[sizeof(data) - 1] = 1;
	CU_ASSERT_EQUAL(kt_ctf_whole_packets(data, sizeof(data), &known), sizeof(data));
	CU_ASSERT_FALSE(known);
}

static void test_discarded(void)
{
	unsigned char data[SIZE];

	make_packet(data, false, false);
	CU_ASSERT_EQUAL(kt_ctf_discarded_first(data, SIZE), 0);
	put(data + 72, 5, 4, false);
	put(data + 76, 3, 4, false); /* a CPU number if a long has 32 bits */
	CU_ASSERT_EQUAL(kt_ctf_discarded_first(data, SIZE), 5);
	CU_ASSERT_EQUAL(kt_ctf_discarded_first(data, 79), 0);
	put(data + 64, 1, 8, false); /* not the first packet since tracing began */
	CU_ASSERT_EQUAL(kt_ctf_discarded_first(data, SIZE), 0);
	make_packet(data, false, true);
	put(data + 72, 5, 8, true);
	CU_ASSERT_EQUAL(kt_ctf_discarded_first(data, SIZE), 5);
	put(data + 72, 5, 4, true);
	put(data + 76, 3, 4, true);
	CU_ASSERT_EQUAL(kt_ctf_discarded_first(data, SIZE), 5);
	make_packet(data, true, false);
	put(data + 64, 5, 8, false);
	CU_ASSERT_EQUAL(kt_ctf_discarded_first(data, SIZE), 0);
	CU_ASSERT_EQUAL(kt_ctf_discarded_first(data, 3), 0);
}

static void test_timeless(void)
{
	unsigned char data[SIZE];

	make_packet(data, false, false);
	CU_ASSERT_FALSE(kt_ctf_is_timeless(data, SIZE));
	put(data + 32, UINT64_MAX, 8, false);
	put(data + 40, UINT64_MAX, 8, false);
	CU_ASSERT_TRUE(kt_ctf_is_timeless(data, SIZE));
	CU_ASSERT_FALSE(kt_ctf_is_timeless(data, 63));
	CU_ASSERT_FALSE(kt_ctf_is_timeless(data, 3));
	make_packet(data, true, true);
	put(data + 24, UINT64_MAX, 8, true);
	put(data + 32, UINT64_MAX, 8, true);
	CU_ASSERT_TRUE(kt_ctf_is_timeless(data, SIZE));
}

static void test_metadata(void)
{
	unsigned char data[3 * 128] = {0};

	for (size_t i = 0; i < 3; i++) {
		put(data + 128 * i, 0x75d11d57, 4, false);
		put(data + 128 * i + 24, 8 * 100, 4, false);
		put(data + 128 * i + 28, 8 * 128, 4, false);
	}
	for (size_t length = 1; length <= sizeof(data); length++) {
		bool whole = length % 128 == 0;

		if (length >= 4 && kt_ctf_metadata_is_whole(data, length) != whole) {
			CU_FAIL("wrong about metadata");
			break;
		}
	}
	CU_ASSERT_FALSE(kt_ctf_metadata_is_whole(data, 0));
	CU_ASSERT_TRUE(
		kt_ctf_metadata_is_whole((const unsigned char *)"/* CTF 1.8 */", 13));
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"layouts", test_layouts},   {"unknown", test_unknown},
		{"zeros", test_zeros},       {"discarded at first", test_discarded},
		{"timeless", test_timeless}, {"metadata", test_metadata},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("ctf-packets", tests);
}
