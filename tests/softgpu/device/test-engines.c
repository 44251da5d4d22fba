/* SPDX-License-Identifier: MIT */
/* Tests the copy engine, inline data and reports. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "decode/bits.h"
#include "decode/method-names.h"
#include "rig.h"
#include "tests/suite.h"

#define AREA 0x100000u /* bytes of the data that the copies use */

static void fill(struct rig *rig, uint32_t *state)
{
	for (size_t i = 0; i < AREA; i++) {
		rig->data[i] = (uint8_t)rig_random(state);
	}
}

static void finish(struct rig *rig)
{
	rig_submit(&rig->channels[0]);
	rig_run(rig);
}

static uint32_t error_of(struct rig *rig)
{
	uint32_t xid = 0;

	finish(rig);
	xid = rig_error(&rig->channels[0]);
	CU_ASSERT_FATAL(rig_renew(rig, 0));
	return xid;
}

static void test_random_copies_are_as_memcpy(void)
{
	struct rig rig;
	struct rig_channel *channel = &rig.channels[0];
	struct kt_gpu_counts counts;
	uint8_t *expected = malloc(AREA);
	uint32_t state = 7;
	bool same = true;

	CU_ASSERT_FATAL(expected && rig_open(&rig, true));
	fill(&rig, &state);
	memcpy(expected, rig.data, AREA);
	rig_bind(channel);
	for (int i = 0; i < 300; i++) {
		uint32_t n = rig_random(&state) % (i % 10 ? 3000 : AREA / 2);
		uint32_t from = rig_random(&state) % (AREA / 2 - n + 1);
		uint32_t to = AREA / 2 + rig_random(&state) % (AREA / 2 - n + 1);

		if (i % 2) {
			uint32_t swap = from;

			from = to;
			to = swap;
		}
		memcpy(expected + to, expected + from, n);
		rig_copy(channel, RIG_DATA + to, RIG_DATA + from, n);
		finish(&rig);
		same = same && memcmp(expected, rig.data, AREA) == 0;
	}
	kt_gpu_counts(rig.gpu, &counts);
	CU_ASSERT(same);
	CU_ASSERT(counts.copies == 300 && counts.errors == 0);
	rig_close(&rig);
	free(expected);
}

/*
 * Copies across pages whose physical order is reversed. The data must follow the GPU
 * addresses.
 */
static void test_a_copy_crosses_mappings(void)
{
	struct rig rig;
	const uint64_t base = UINT64_C(0x500000000);
	bool same = true;

	CU_ASSERT_FATAL(rig_open(&rig, true));
	for (uint64_t i = 0; i < 8; i++) {
		CU_ASSERT(kt_gpu_space_map(rig.space, base + i * KT_ABI_PAGE, KT_ABI_PAGE,
					   rig.data_physical + (7 - i) * KT_ABI_PAGE) == 0);
	}
	for (uint32_t i = 0; i < 8 * KT_ABI_PAGE; i++) {
		rig.data[i] = (uint8_t)(i / KT_ABI_PAGE + i);
	}
	rig_bind(&rig.channels[0]);
	rig_copy(&rig.channels[0], RIG_DATA + AREA, base + 10, 7 * KT_ABI_PAGE);
	finish(&rig);
	for (uint32_t i = 0; i < 7 * KT_ABI_PAGE; i++) {
		uint32_t at = i + 10;
		uint32_t physical = (7 - at / KT_ABI_PAGE) * KT_ABI_PAGE + at % KT_ABI_PAGE;

		same = same && rig.data[AREA + i] == rig.data[physical];
	}
	CU_ASSERT(same);
	rig_close(&rig);
}

static void test_lines_have_pitches(void)
{
	struct rig rig;
	struct rig_channel *channel = &rig.channels[0];
	uint8_t *expected = NULL;
	uint32_t state = 3;

	CU_ASSERT_FATAL(rig_open(&rig, true));
	expected = calloc(1, AREA);
	CU_ASSERT_FATAL(expected != NULL);
	fill(&rig, &state);
	for (uint32_t line = 0; line < 37; line++) {
		memcpy(expected + line * 211, rig.data + 5 + line * 1000, 111);
	}
	rig_bind(channel);
	rig_method(channel, RIG_COPY, KT_C8B5_PITCH_IN, 1000);
	rig_method(channel, RIG_COPY, KT_C8B5_PITCH_OUT, 211);
	rig_method(channel, RIG_COPY, KT_C8B5_LINE_COUNT, 37);
	rig_address(channel, RIG_COPY, KT_C8B5_OFFSET_IN_UPPER, RIG_DATA + 5);
	rig_address(channel, RIG_COPY, KT_C8B5_OFFSET_OUT_UPPER, RIG_DATA + AREA);
	rig_method(channel, RIG_COPY, KT_C8B5_LINE_LENGTH_IN, 111);
	rig_method(channel, RIG_COPY, KT_C8B5_LAUNCH_DMA,
		   0x182 | kt_bits(KT_C8B5_LAUNCH_DMA__MULTI_LINE_ENABLE, 1));
	finish(&rig);
	CU_ASSERT(memcmp(expected, rig.data + AREA, AREA) == 0);
	rig_close(&rig);
	free(expected);
}

/*
 * A long copy is executed in several parts, and the other channel continues between them.
 */
static void test_a_long_copy_takes_turns(void)
{
	struct rig rig;
	const uint32_t half = 0x700000;
	uint64_t far = UINT64_C(0x600000000);
	unsigned turns = 0;

	CU_ASSERT_FATAL(rig_open(&rig, true));
	/*
	 * The three mappings show the same 7 MiB one after the other, so that one copy has
	 * 21 MiB.
	 */
	for (uint64_t i = 0; i < 3; i++) {
		CU_ASSERT(kt_gpu_space_map(rig.space, far + i * half, half,
					   rig.data_physical) == 0);
		CU_ASSERT(kt_gpu_space_map(rig.space, far + (i + 4) * half, half,
					   rig.data_physical + half) == 0);
	}
	memset(rig.data, 0x77, half);
	rig_bind(&rig.channels[0]);
	rig_copy(&rig.channels[0], far + 4ull * half, far, 3 * half);
	rig_submit(&rig.channels[0]);
	rig_ring(&rig.channels[0]);
	rig_release(&rig.channels[1], RIG_DATA + 2 * half, 1);
	rig_submit(&rig.channels[1]);
	rig_ring(&rig.channels[1]);
	while (rig_get(&rig.channels[0]) == 0 && turns < 100) {
		kt_gpu_step(rig.gpu, NULL);
		turns++;
		CU_ASSERT(rig.data[2 * half] == 1);
	}
	CU_ASSERT(turns == 3);
	CU_ASSERT(rig.data[half] == 0x77 && rig.data[2 * half - 1] == 0x77);
	rig_close(&rig);
}

static void test_semaphores_of_copies(void)
{
	struct rig rig;
	struct rig_channel *channel = &rig.channels[0];
	uint64_t values[6];
	uint64_t before = kt_gpu_time();
	uint32_t wide = kt_bits(KT_C8B5_LAUNCH_DMA__SEMAPHORE_PAYLOAD_SIZE, 1);

	CU_ASSERT_FATAL(rig_open(&rig, true));
	memset(rig.data, 0xff, 64);
	rig_bind(channel);
	rig_method(channel, RIG_COPY, KT_C8B5_SET_SEMAPHORE_PAYLOAD, 0x11223344);
	rig_method(channel, RIG_COPY, KT_C8B5_SET_SEMAPHORE_PAYLOAD_UPPER, 0x55667788);
	rig_address(channel, RIG_COPY, KT_C8B5_SET_SEMAPHORE_A, RIG_DATA);
	rig_method(channel, RIG_COPY, KT_C8B5_LAUNCH_DMA, 1 << 3);
	rig_address(channel, RIG_COPY, KT_C8B5_SET_SEMAPHORE_A, RIG_DATA + 16);
	rig_method(channel, RIG_COPY, KT_C8B5_LAUNCH_DMA,
		   2 << 3); /* four dwords: payload, timestamp */
	rig_address(channel, RIG_COPY, KT_C8B5_SET_SEMAPHORE_A, RIG_DATA + 32);
	rig_method(channel, RIG_COPY, KT_C8B5_LAUNCH_DMA, 2 << 3 | wide);
	finish(&rig);
	memcpy(values, rig.data, sizeof(values));
	CU_ASSERT(values[0] == UINT64_C(0xffffffff11223344) && values[1] == UINT64_MAX);
	CU_ASSERT(values[2] == 0x11223344 && values[3] >= before);
	CU_ASSERT(values[4] == UINT64_C(0x5566778811223344) && values[5] >= values[3]);
	rig_close(&rig);
}

static void test_what_the_copy_engine_refuses(void)
{
	static const uint32_t launches[] = {
		0x102 | 1,          /* transfer type 3, block-linear source */
		0x182 & ~(1u << 7), /* block-linear source, then destination */
		0x182 & ~(1u << 8),
		0x182 | 1u << 10, /* remap */
		0x182 | 1u << 12, /* physical source, then destination */
		0x182 | 1u << 13,
		0x182 | 1u << 19, /* semaphore reduction */
		0x182 | 1u << 20, /* secure */
		0x182 | 1u << 22, /* VPR */
		0x182 | 1u << 23, /* scrub */
		0x182 | 3u << 3,  /* a conditional interrupt */
		0x183,
	};
	struct rig rig;
	struct rig_channel *channel = &rig.channels[0];

	CU_ASSERT_FATAL(rig_open(&rig, true));
	for (size_t i = 0; i < sizeof(launches) / sizeof(launches[0]); i++) {
		rig_bind(channel);
		rig_address(channel, RIG_COPY, KT_C8B5_OFFSET_IN_UPPER, RIG_DATA);
		rig_address(channel, RIG_COPY, KT_C8B5_OFFSET_OUT_UPPER, RIG_DATA + AREA);
		rig_method(channel, RIG_COPY, KT_C8B5_LINE_LENGTH_IN, 16);
		rig_method(channel, RIG_COPY, KT_C8B5_LAUNCH_DMA, launches[i]);
		CU_ASSERT(error_of(&rig) == KT_ABI_XID_COPY_EXCEPTION);
	}
	rig_bind(channel);
	rig_address(channel, RIG_COPY, KT_C8B5_SET_SEMAPHORE_A, RIG_DATA + 8);
	rig_method(channel, RIG_COPY, KT_C8B5_LAUNCH_DMA, 2 << 3);
	CU_ASSERT(error_of(&rig) == KT_ABI_XID_COPY_EXCEPTION); /* misaligned */
	rig_bind(channel);
	rig_method(channel, RIG_COPY, KT_C8B5_SET_RENDER_ENABLE_C, 0);
	CU_ASSERT(error_of(&rig) == KT_ABI_XID_COPY_EXCEPTION);
	rig_bind(channel);
	rig_method(channel, RIG_COPY, KT_C8B5_SET_RENDER_ENABLE_C, 1);
	CU_ASSERT(error_of(&rig) == 0);
	rig_bind(channel);
	rig_copy(channel, RIG_DATA + RIG_DATA_BYTES - 8, RIG_DATA, 16);
	CU_ASSERT(error_of(&rig) == KT_ABI_XID_MMU_FAULT);
	rig_bind(channel);
	rig_copy(channel, RIG_DATA, RIG_DATA - 8, 16);
	CU_ASSERT(error_of(&rig) == KT_ABI_XID_MMU_FAULT);
	rig_close(&rig);
}

static void test_copies_reach_closed_user_memory(void)
{
	struct rig rig;
	const uint32_t bytes = 0x20000;
	uint8_t *user = mmap(NULL, 2 * bytes, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	const uint64_t at = UINT64_C(0x700000000);
	uint32_t state = 1;

	CU_ASSERT_FATAL(user != MAP_FAILED && rig_open(&rig, true));
	fill(&rig, &state);
	CU_ASSERT(kt_gpu_space_map_user(rig.space, at, 2 * bytes, (uintptr_t)user) == 0);
	CU_ASSERT(mprotect(user, 2 * bytes, PROT_NONE) == 0);
	rig_bind(&rig.channels[0]);
	rig_copy(&rig.channels[0], at, RIG_DATA, bytes);   /* to user memory */
	rig_copy(&rig.channels[0], at + bytes, at, bytes); /* within user memory */
	/* from user memory */
	rig_copy(&rig.channels[0], RIG_DATA + AREA, at + bytes, bytes);
	finish(&rig);
	CU_ASSERT(rig_error(&rig.channels[0]) == 0);
	CU_ASSERT(mprotect(user, 2 * bytes, PROT_READ) == 0);
	CU_ASSERT(memcmp(user, rig.data, bytes) == 0);
	CU_ASSERT(memcmp(user + bytes, rig.data, bytes) == 0);
	CU_ASSERT(memcmp(rig.data + AREA, rig.data, bytes) == 0);

	/* The program unmaps the user memory but leaves it registered. */
	munmap(user, 2 * bytes);
	rig_copy(&rig.channels[0], at, RIG_DATA, 8);
	CU_ASSERT(error_of(&rig) == KT_ABI_XID_MMU_FAULT);
	rig_close(&rig);
}

static void test_semaphores_in_user_memory(void)
{
	struct rig rig;
	uint64_t *user = mmap(NULL, KT_ABI_PAGE, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	const uint64_t at = UINT64_C(0x700000000);

	CU_ASSERT_FATAL(user != MAP_FAILED && rig_open(&rig, true));
	CU_ASSERT(kt_gpu_space_map_user(rig.space, at, KT_ABI_PAGE, (uintptr_t)user) == 0);
	rig_acquire(&rig.channels[0], at + 16, 4);
	rig_release(&rig.channels[0], at, 9);
	finish(&rig);
	CU_ASSERT(user[0] == 0);
	user[2] = 5;
	rig_run(&rig);
	CU_ASSERT(user[0] == 9 && user[1] != 0);
	munmap(user, KT_ABI_PAGE);
	rig_close(&rig);
}

/* --- inline data --- */

static void begin_inline(struct rig_channel *channel, uint64_t to, uint32_t length,
			 uint32_t lines, uint32_t launch)
{
	rig_method(channel, RIG_COMPUTE, KT_CBC0_LINE_LENGTH_IN, length);
	rig_method(channel, RIG_COMPUTE, KT_CBC0_LINE_COUNT, lines);
	rig_address(channel, RIG_COMPUTE, KT_CBC0_OFFSET_OUT_UPPER, to);
	rig_method(channel, RIG_COMPUTE, KT_CBC0_LAUNCH_DMA, launch);
}

static void inline_words(struct rig_channel *channel, const uint8_t *bytes, uint32_t n)
{
	rig_header(channel, KT_METHOD_NON_INCREASING, RIG_COMPUTE, KT_CBC0_LOAD_INLINE_DATA,
		   n);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t word = 0;

		memcpy(&word, bytes + (size_t)i * 4, 4);
		rig_word(channel, word);
	}
}

static void test_inline_data_of_all_lengths(void)
{
	struct rig rig;
	struct rig_channel *channel = &rig.channels[0];
	uint8_t bytes[24576];
	uint32_t state = 5;

	CU_ASSERT_FATAL(rig_open(&rig, true));
	for (size_t i = 0; i < sizeof(bytes); i++) {
		bytes[i] = (uint8_t)rig_random(&state);
	}
	rig_bind(channel);
	for (uint32_t n = 1; n <= sizeof(bytes); n = n < 20 ? n + 1 : n * 2 - 13) {
		memset(rig.data, 0, sizeof(bytes) + 64);
		begin_inline(channel, RIG_DATA + 3, n, 1, 0x1);
		inline_words(channel, bytes, (n + 3) / 4);
		finish(&rig);
		CU_ASSERT(memcmp(rig.data + 3, bytes, n) == 0);
		CU_ASSERT(rig.data[2] == 0 && rig.data[3 + n] == 0);
	}
	CU_ASSERT(rig_error(channel) == 0);
	rig_close(&rig);
}

/* The data are in several methods, cross the end of a segment, and form several lines. */
static void test_inline_data_in_parts(void)
{
	struct rig rig;
	struct rig_channel *channel = &rig.channels[0];
	const uint8_t bytes[24] = "abcdefghijklmnopqrstuvw";

	CU_ASSERT_FATAL(rig_open(&rig, true));
	rig_bind(channel);
	rig_method(channel, RIG_COMPUTE, KT_CBC0_PITCH_OUT, 100);
	rig_address(channel, RIG_COMPUTE, KT_CBC0_SET_I2M_SEMAPHORE_A, RIG_DATA + 1024);
	rig_method(channel, RIG_COMPUTE, KT_CBC0_SET_I2M_SEMAPHORE_C, 77);
	begin_inline(channel, RIG_DATA, 6, 4,
		     0x1 | KT_CBC0_LAUNCH_DMA__COMPLETION_TYPE__RELEASE_SEMAPHORE << 4);
	inline_words(channel, bytes, 2);
	finish(&rig);
	CU_ASSERT(rig.data[1024] == 0);
	inline_words(channel, bytes + 8, 1);
	rig_header(channel, KT_METHOD_INCREASE_ONCE, RIG_COMPUTE, KT_CBC0_LAUNCH_DMA + 4,
		   1);
	rig_word(channel, 0x706f6e6d); /* the bytes "mnop" */
	inline_words(channel, bytes + 16, 2);
	finish(&rig);
	CU_ASSERT(rig_error(channel) == 0);
	CU_ASSERT(memcmp(rig.data, "abcdef\0", 7) == 0);
	CU_ASSERT(memcmp(rig.data + 100, "ghijkl\0", 7) == 0);
	CU_ASSERT(memcmp(rig.data + 200, "mnopqr\0", 7) == 0);
	CU_ASSERT(memcmp(rig.data + 300, "stuvw\0", 6) == 0);
	CU_ASSERT(rig.data[1024] == 77);
	rig_close(&rig);
}

static void test_wrong_inline_data(void)
{
	struct rig rig;
	struct rig_channel *channel = &rig.channels[0];
	uint8_t bytes[64] = {0};

	CU_ASSERT_FATAL(rig_open(&rig, true));
	rig_bind(channel);
	inline_words(channel, bytes, 1); /* data without a launch */
	CU_ASSERT(error_of(&rig) == KT_ABI_XID_GR_EXCEPTION);
	rig_bind(channel);
	begin_inline(channel, RIG_DATA, 9, 1, 1);
	inline_words(channel, bytes, 4); /* four dwords, where three are enough */
	CU_ASSERT(error_of(&rig) == KT_ABI_XID_GR_EXCEPTION);
	rig_bind(channel);
	begin_inline(channel, RIG_DATA, 9, 1, 1);
	inline_words(channel, bytes, 2); /* too few: the next method causes the error */
	rig_method(channel, RIG_COMPUTE, KT_CBC0_NO_OPERATION, 0);
	CU_ASSERT(error_of(&rig) == KT_ABI_XID_GR_EXCEPTION);
	rig_bind(channel);
	begin_inline(channel, RIG_DATA, 9, 1, 1);
	rig_release(channel, RIG_DATA, 1); /* the missing data would never arrive */
	CU_ASSERT(error_of(&rig) == KT_ABI_XID_GR_EXCEPTION);
	rig_bind(channel);
	begin_inline(channel, RIG_DATA, 9, 1, 0); /* block-linear */
	CU_ASSERT(error_of(&rig) == KT_ABI_XID_GR_EXCEPTION);
	rig_bind(channel);
	begin_inline(channel, RIG_DATA, 8, 1, 3); /* reduction */
	CU_ASSERT(error_of(&rig) == KT_ABI_XID_GR_EXCEPTION);
	rig_bind(channel);
	begin_inline(channel, RIG_DATA + RIG_DATA_BYTES - 4, 8, 1, 1);
	inline_words(channel, bytes, 2);
	CU_ASSERT(error_of(&rig) == KT_ABI_XID_MMU_FAULT);
	rig_close(&rig);
}

static void test_reports(void)
{
	struct rig rig;
	struct rig_channel *channel = &rig.channels[0];
	uint64_t values[6];
	uint64_t before = kt_gpu_time();

	CU_ASSERT_FATAL(rig_open(&rig, true));
	memset(rig.data, 0xff, 64);
	rig_bind(channel);
	rig_address(channel, RIG_COMPUTE, KT_CBC0_SET_REPORT_SEMAPHORE_A, RIG_DATA);
	rig_method(channel, RIG_COMPUTE, KT_CBC0_SET_REPORT_SEMAPHORE_C, 5);
	rig_method(channel, RIG_COMPUTE, KT_CBC0_SET_REPORT_SEMAPHORE_D, 0);
	rig_address(channel, RIG_COMPUTE, KT_CBC0_SET_REPORT_SEMAPHORE_A, RIG_DATA + 16);
	rig_method(channel, RIG_COMPUTE, KT_CBC0_SET_REPORT_SEMAPHORE_D, 1u << 28);
	rig_method(channel, RIG_COMPUTE, KT_CBC0_SET_REPORT_SEMAPHORE_PAYLOAD_LOWER, 6);
	rig_method(channel, RIG_COMPUTE, KT_CBC0_SET_REPORT_SEMAPHORE_PAYLOAD_UPPER, 7);
	rig_method(channel, RIG_COMPUTE, KT_CBC0_SET_REPORT_SEMAPHORE_ADDRESS_LOWER,
		   (uint32_t)RIG_DATA + 32);
	rig_method(channel, RIG_COMPUTE, KT_CBC0_SET_REPORT_SEMAPHORE_ADDRESS_UPPER,
		   (uint32_t)(RIG_DATA >> 32));
	rig_method(channel, RIG_COMPUTE, KT_CBC0_REPORT_SEMAPHORE_EXECUTE, 1u << 12);
	finish(&rig);
	memcpy(values, rig.data, sizeof(values));
	CU_ASSERT(rig_error(channel) == 0);
	CU_ASSERT(values[0] == 5 && values[1] >= before);
	CU_ASSERT(values[2] == UINT64_C(0xffffffff00000005) && values[3] == UINT64_MAX);
	CU_ASSERT(values[4] == (UINT64_C(7) << 32 | 6) && values[5] >= values[1]);

	rig_method(channel, RIG_COMPUTE, KT_CBC0_SET_REPORT_SEMAPHORE_D, 3); /* a trap */
	CU_ASSERT(error_of(&rig) == KT_ABI_XID_GR_EXCEPTION);
	rig_bind(channel);
	rig_method(channel, RIG_COMPUTE, KT_CBC0_SET_RENDER_ENABLE_C, 2);
	CU_ASSERT(error_of(&rig) == KT_ABI_XID_GR_EXCEPTION);
	rig_close(&rig);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"random copies are as memcpy", test_random_copies_are_as_memcpy},
		{"a copy crosses mappings", test_a_copy_crosses_mappings},
		{"lines have pitches", test_lines_have_pitches},
		{"a long copy takes turns", test_a_long_copy_takes_turns},
		{"semaphores of copies", test_semaphores_of_copies},
		{"what the copy engine refuses", test_what_the_copy_engine_refuses},
		{"copies reach closed user memory", test_copies_reach_closed_user_memory},
		{"semaphores in user memory", test_semaphores_in_user_memory},
		{"inline data of all lengths", test_inline_data_of_all_lengths},
		{"inline data in parts", test_inline_data_in_parts},
		{"wrong inline data", test_wrong_inline_data},
		{"reports", test_reports},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("softgpu-engines", tests);
}
