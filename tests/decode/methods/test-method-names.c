/* SPDX-License-Identifier: MIT */
/* Compares some names with numbers known from command streams of real drivers. */
#include "decode/bits.h"
#include "decode/method-names.h"
#include "tests/suite.h"

static void knows_methods(void)
{
	CU_ASSERT_EQUAL(KT_C86F_SET_OBJECT, 0);
	CU_ASSERT_EQUAL(KT_C86F_SEM_ADDR_LO, 0x5c);
	CU_ASSERT_EQUAL(KT_C86F_SEM_EXECUTE, 0x6c);
	CU_ASSERT_EQUAL(KT_CBC0_LINE_LENGTH_IN, 0x180);
	CU_ASSERT_EQUAL(KT_CBC0_OFFSET_OUT_UPPER, 0x188);
	CU_ASSERT_EQUAL(KT_CBC0_LAUNCH_DMA, 0x1b0);
	CU_ASSERT_EQUAL(KT_CBC0_LOAD_INLINE_DATA, 0x1b4);
	CU_ASSERT_EQUAL(KT_CBC0_SEND_PCAS_A, 0x2b4);
	CU_ASSERT_EQUAL(KT_CBC0_SEND_SIGNALING_PCAS2_B, 0x2c0);
	CU_ASSERT_EQUAL(KT_CBC0_SET_REPORT_SEMAPHORE_A, 0x1b00);
	CU_ASSERT_EQUAL(KT_C8B5_SET_SEMAPHORE_A, 0x240);
	CU_ASSERT_EQUAL(KT_C8B5_LAUNCH_DMA, 0x300);
	CU_ASSERT_EQUAL(KT_C8B5_OFFSET_IN_UPPER, 0x400);
	CU_ASSERT_EQUAL(KT_C8B5_LINE_LENGTH_IN, 0x418);
}

static unsigned highest(unsigned hi, unsigned lo)
{
	(void)lo;
	return hi;
}

static unsigned lowest(unsigned hi, unsigned lo)
{
	(void)hi;
	return lo;
}

/* The macro of a field expands to two numbers, which become two arguments of a function. */
#define HIGHEST(...) highest(__VA_ARGS__)
#define LOWEST(...)  lowest(__VA_ARGS__)
#define IS(high, low, ...)                                                                 \
	CU_ASSERT_TRUE(HIGHEST(__VA_ARGS__) == (high) && LOWEST(__VA_ARGS__) == (low))

static void knows_fields(void)
{
	IS(1, 0, KT_C8B5_LAUNCH_DMA__DATA_TRANSFER_TYPE);
	IS(2, 2, KT_C8B5_LAUNCH_DMA__FLUSH_ENABLE);
	IS(4, 3, KT_C8B5_LAUNCH_DMA__SEMAPHORE_TYPE);
	IS(7, 7, KT_C8B5_LAUNCH_DMA__SRC_MEMORY_LAYOUT);
	IS(8, 8, KT_C8B5_LAUNCH_DMA__DST_MEMORY_LAYOUT);
	IS(9, 9, KT_C8B5_LAUNCH_DMA__MULTI_LINE_ENABLE);
	IS(12, 12, KT_C8B5_LAUNCH_DMA__SRC_TYPE);
	IS(13, 13, KT_C8B5_LAUNCH_DMA__DST_TYPE);
	IS(2, 0, KT_C86F_SEM_EXECUTE__OPERATION);
	IS(24, 24, KT_C86F_SEM_EXECUTE__PAYLOAD_SIZE);
	IS(25, 25, KT_C86F_SEM_EXECUTE__RELEASE_TIMESTAMP);
}

/* The launch of a direct copy as drivers write it: one line, pitch layout, no semaphore. */
static void reads_the_launch_of_a_copy(void)
{
	uint32_t launch = 0x182;

	CU_ASSERT_EQUAL(kt_bits_in(KT_C8B5_LAUNCH_DMA__DATA_TRANSFER_TYPE, launch),
			KT_C8B5_LAUNCH_DMA__DATA_TRANSFER_TYPE__NON_PIPELINED);
	CU_ASSERT_EQUAL(kt_bits_in(KT_C8B5_LAUNCH_DMA__FLUSH_ENABLE, launch),
			KT_C8B5_LAUNCH_DMA__FLUSH_ENABLE__FALSE);
	CU_ASSERT_EQUAL(kt_bits_in(KT_C8B5_LAUNCH_DMA__SEMAPHORE_TYPE, launch),
			KT_C8B5_LAUNCH_DMA__SEMAPHORE_TYPE__NONE);
	CU_ASSERT_EQUAL(kt_bits_in(KT_C8B5_LAUNCH_DMA__SRC_MEMORY_LAYOUT, launch),
			KT_C8B5_LAUNCH_DMA__SRC_MEMORY_LAYOUT__PITCH);
	CU_ASSERT_EQUAL(kt_bits_in(KT_C8B5_LAUNCH_DMA__DST_MEMORY_LAYOUT, launch),
			KT_C8B5_LAUNCH_DMA__DST_MEMORY_LAYOUT__PITCH);
	CU_ASSERT_EQUAL(kt_bits_in(KT_C8B5_LAUNCH_DMA__SRC_TYPE, launch),
			KT_C8B5_LAUNCH_DMA__SRC_TYPE__VIRTUAL);
	CU_ASSERT_EQUAL(kt_bits(KT_C8B5_LAUNCH_DMA__DATA_TRANSFER_TYPE,
				KT_C8B5_LAUNCH_DMA__DATA_TRANSFER_TYPE__NON_PIPELINED) |
				kt_bits(KT_C8B5_LAUNCH_DMA__SRC_MEMORY_LAYOUT,
					KT_C8B5_LAUNCH_DMA__SRC_MEMORY_LAYOUT__PITCH) |
				kt_bits(KT_C8B5_LAUNCH_DMA__DST_MEMORY_LAYOUT,
					KT_C8B5_LAUNCH_DMA__DST_MEMORY_LAYOUT__PITCH),
			launch);
}

static void reads_a_release(void)
{
	uint32_t execute = kt_bits(KT_C86F_SEM_EXECUTE__OPERATION,
				   KT_C86F_SEM_EXECUTE__OPERATION__RELEASE) |
			   kt_bits(KT_C86F_SEM_EXECUTE__RELEASE_TIMESTAMP,
				   KT_C86F_SEM_EXECUTE__RELEASE_TIMESTAMP__EN);

	CU_ASSERT_EQUAL(execute, 0x02000001);
}

static void knows_the_descriptor(void)
{
	uint32_t qmd[KT_QMD_BYTES / 4] = {0};

	IS(1055, 1024, KT_QMD_V04_00__GRID_WIDTH);
	IS(1071, 1056, KT_QMD_V04_00__GRID_HEIGHT);
	IS(428, 428, KT_QMD_V04_00__CONSTANT_BUFFER_VALID(3));
	IS(1695, 1664, KT_QMD_V04_00__CONSTANT_BUFFER_ADDR_LOWER_SHIFTED6(1 + 1));
	kt_bits_set(qmd, KT_QMD_V04_00__GRID_WIDTH, 0x12345678);
	CU_ASSERT_EQUAL(qmd[32], 0x12345678);
	CU_ASSERT_EQUAL(KT_QMD_BYTES, 384);
}

/* The last elements of arrays lie within the QMD. */
static void stays_within_the_descriptor(void)
{
	CU_ASSERT_TRUE(HIGHEST(KT_QMD_V04_00__CONSTANT_BUFFER_VALID(7)) < KT_QMD_BYTES * 8);
	CU_ASSERT_TRUE(HIGHEST(KT_QMD_V04_00__CONSTANT_BUFFER_ADDR_UPPER_SHIFTED6(7)) <
		       KT_QMD_BYTES * 8);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"knows methods", knows_methods},
		{"knows fields", knows_fields},
		{"reads the launch of a copy", reads_the_launch_of_a_copy},
		{"reads a release", reads_a_release},
		{"knows the descriptor", knows_the_descriptor},
		{"stays within the descriptor", stays_within_the_descriptor},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("method names", tests);
}
