/* SPDX-License-Identifier: MIT */
/* Reads GP_PUT of channels in memory that represents a mapped USERD. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include "collect/preload/instructions/guard.h"
#include "collect/preload/mappings/mappings.h"
#include "collect/preload/submissions/channels.h"
#include "decode/gpfifo.h"
#include "tests/suite.h"

#define CLIENT 1u
#define MEMORY 2u

static uint32_t userd[3][256]; /* three consecutive USERDs of 1 KiB */

static void set_up(void)
{
	struct kt_mapping mapping = {
		.start = (uintptr_t)userd,
		.length = sizeof(userd),
		.memory = {.client = CLIENT, .object = MEMORY},
		.static_space = "fb",
		.protection = PROT_READ | PROT_WRITE,
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

static void reports_whose_doorbell(void)
{
	struct kt_ring ring;

	set_up();
	put(1, 7);
	ring = kt_channel_doorbell(1, 0x10001);
	CU_ASSERT_EQUAL(ring.moved, 1);
	CU_ASSERT_EQUAL(ring.channel, 101);
	CU_ASSERT_EQUAL(ring.gp_put, 7);
	CU_ASSERT_EQUAL(kt_channel_doorbell(1, 0x10001).moved, 0);
	put(0, 1);
	put(2, 1);
	/* Without the doorbell's value, all channels are polled. */
	ring = kt_channel_doorbell(0, 0);
	CU_ASSERT_EQUAL(ring.moved, 2);
	CU_ASSERT_EQUAL(ring.channel, 100);
	put(2, 2);
	ring = kt_channel_doorbell(1, 0x10000); /* another channel's token */
	CU_ASSERT_EQUAL(ring.channel, 102);
}

static void notices_who_was_not_heard(void)
{
	uint32_t readable = 0;
	uint32_t lagging = 0;

	put(0, 9);
	kt_channel_read_last(CLIENT, 100);
	kt_channel_remove(CLIENT, 100);
	kt_channel_forget_mapping((uintptr_t)userd, sizeof(userd));
	kt_channel_finish(&readable, &lagging);
	CU_ASSERT_EQUAL(readable, 3);
	CU_ASSERT_EQUAL(lagging, 1);
	put(1, 50);
	kt_channel_finish(&readable, &lagging);
	CU_ASSERT_EQUAL(lagging, 2);
	kt_mapping_cut((uintptr_t)userd & ~4095ul, sizeof(userd) + 8192);
	CU_ASSERT_EQUAL(kt_channel_doorbell(0, 0).moved,
			0); /* no GP_PUT is readable any more */
}

/* --- memory that cannot be read --- */

#define OTHER 3u
#define PAGE  4096u

static volatile unsigned fixed;

static void on_fault(int signal, siginfo_t *info, void *context)
{
	(void)info;
	if (!kt_guard_fixup(context)) {
		_exit(128 + signal);
	}
	fixed++;
}

static struct kt_mapping *map_userd(uint32_t **userd_page)
{
	struct kt_mapping mapping = {
		.length = PAGE,
		.memory = {.client = CLIENT, .object = OTHER},
		.static_space = "fb",
		.protection = PROT_READ | PROT_WRITE,
	};

	*userd_page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			   -1, 0);
	mapping.start = (uintptr_t)*userd_page;
	return kt_mapping_add(&mapping);
}

/*
 * The program closes or unmaps a USERD without the recorder's knowledge. Polling GP_PUT
 * must do no harm, and must work again once the page is mapped again.
 */
static void survives_unmapped_userd(void)
{
	const struct kt_channel_alloc alloc = {
		.client = CLIENT, .object = 200, .userd_memory = OTHER};
	struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
	struct sigaction old;
	uint32_t *page;
	struct kt_mapping *mapping = map_userd(&page);

	sigaction(SIGSEGV, &action, &old);
	kt_channel_add(&alloc);
	kt_channel_set_token(CLIENT, 200, 5);
	page[KT_USERD_GP_PUT / 4] = 1;
	CU_ASSERT_EQUAL(kt_channel_doorbell(1, 5).moved, 1);
	page[KT_USERD_GP_PUT / 4] = 2;
	mprotect(page, PAGE, PROT_NONE);
	CU_ASSERT_EQUAL(kt_channel_doorbell(1, 5).moved, 0);
	CU_ASSERT_NOT_EQUAL(fixed, 0);
	fixed = 0;
	mapping->protection = PROT_NONE; /* the table knows that the page is unreadable */
	CU_ASSERT_EQUAL(kt_channel_doorbell(1, 5).moved, 0);
	CU_ASSERT_EQUAL(fixed, 0);
	mprotect(page, PAGE, PROT_READ);
	mapping->protection = PROT_READ;
	CU_ASSERT_EQUAL(kt_channel_doorbell(1, 5).gp_put, 2);
	sigaction(SIGSEGV, &old, NULL);
	kt_channel_remove(CLIENT, 200);
	kt_mapping_cut((uintptr_t)page, PAGE);
	munmap(page, PAGE);
}

/* A GP_PUT that crosses the end of the mapping is not read. */
static void reads_whole_numbers_only(void)
{
	const struct kt_channel_alloc alloc = {.client = CLIENT,
					       .object = 201,
					       .userd_memory = OTHER,
					       .userd_offset = PAGE - KT_USERD_GP_PUT - 2};
	uint32_t *page;

	map_userd(&page);
	((uint8_t *)page)[PAGE - 1] = 1;
	kt_channel_add(&alloc);
	CU_ASSERT_EQUAL(kt_channel_doorbell(0, 0).moved, 0);
	kt_channel_remove(CLIENT, 201);
	kt_mapping_cut((uintptr_t)page, PAGE);
	munmap(page, PAGE);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"reports a doorbell's channel", reports_whose_doorbell},
		{"notices lagging channels", notices_who_was_not_heard},
		{"survives an unmapped USERD", survives_unmapped_userd},
		{"reads whole numbers only", reads_whole_numbers_only},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("channels", tests);
}
