/* SPDX-License-Identifier: MIT */
/* GP_PUT of channels, in memory that stands for a mapped USERD. */
#include <stdint.h>

#include "collect/channels.h"
#include "collect/mappings.h"
#include "decode/gpfifo.h"
#include "tests/suite.h"

#define CLIENT 1u
#define MEMORY 2u

static uint32_t userd[3][256]; /* three USERDs behind each other, 1 KiB each */

static void set_up(void)
{
	struct kt_mapping mapping = {
		.start = (uintptr_t)userd,
		.length = sizeof(userd),
		.memory = {.client = CLIENT, .object = MEMORY},
		.static_space = "fb",
	};

	kt_mapping_add(&mapping);
	for (uint32_t i = 0; i < 3; i++) {
		struct kt_channel_alloc alloc = {.client = CLIENT,
						 .object = 100 + i,
						 .userd_memory = MEMORY,
						 .userd_offset = i * sizeof(userd[0])};

		kt_channel_add(&alloc);
		kt_channel_set_token(CLIENT, 100 + i, 0x10000 | i);
	}
}

static void put(int channel, uint32_t value)
{
	userd[channel][KT_USERD_GP_PUT / 4] = value;
}

static void tells_who_rang(void)
{
	struct kt_ring ring;

	set_up();
	put(1, 7);
	ring = kt_channel_rung(1, 0x10001);
	CU_ASSERT_EQUAL(ring.moved, 1);
	CU_ASSERT_EQUAL(ring.channel, 101);
	CU_ASSERT_EQUAL(ring.gp_put, 7);
	CU_ASSERT_EQUAL(kt_channel_rung(1, 0x10001).moved, 0);
	put(0, 1);
	put(2, 1);
	ring = kt_channel_rung(0, 0); /* the value is unknown: all are looked at */
	CU_ASSERT_EQUAL(ring.moved, 2);
	CU_ASSERT_EQUAL(ring.channel, 100);
	put(2, 2);
	ring = kt_channel_rung(1, 0x10000); /* another channel's token */
	CU_ASSERT_EQUAL(ring.channel, 102);
}

static void notices_who_was_not_heard(void)
{
	uint32_t readable = 0;
	uint32_t behind = 0;

	put(0, 9);
	kt_channel_look_last(CLIENT, 100);
	kt_channel_remove(CLIENT, 100);
	kt_channel_forget_mapping((uintptr_t)userd, sizeof(userd));
	kt_channel_finish(&readable, &behind);
	CU_ASSERT_EQUAL(readable, 3);
	CU_ASSERT_EQUAL(behind, 1);
	put(1, 50);
	kt_channel_finish(&readable, &behind);
	CU_ASSERT_EQUAL(behind, 2);
	kt_mapping_cut((uintptr_t)userd & ~4095ul, sizeof(userd) + 8192);
	CU_ASSERT_EQUAL(kt_channel_rung(0, 0).moved, 0); /* nothing can be read any more */
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"tells who rang", tells_who_rang},
		{"notices who was not heard", notices_who_was_not_heard},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("channels", tests);
}
