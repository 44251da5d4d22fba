/* SPDX-License-Identifier: MIT */
/*
 * Rings, USERDs and segments are in memory of this process; the events reported for them
 * are checked.
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include "collect/preload/mappings/gpu-addresses.h"
#include "collect/preload/mappings/mappings.h"
#include "collect/preload/submissions/channels.h"
#include "collect/preload/submissions/submissions.h"
#include "decode/gpfifo.h"
#include "tests/collect/submissions/submission-rig.h"
#include "tests/suite.h"

#define CLIENT  1u
#define USERDS  2u
#define PUSH    3u
#define TOKEN   0x10000u
#define FIRST   100u /* handle of channel 0 */
#define ENTRIES 8u
#define PAGE    4096u
#define BYTES   (4u << 20)

/*
 * GPU address of the memory, below 2^40 so that entries can encode it. The recorder's own
 * mapping can be at any address.
 */
#define LOW 0x10000000ull

static uint32_t *memory; /* rings and USERDs in the first pages, segments after them */

#define RINGS    0u    /* dword index of the rings, each of ENTRIES entries */
#define USERD    1024u /* dword index of the USERDs, each of 256 dwords */
#define SEGMENTS 4096u

static uint64_t address_of(uint32_t word)
{
	return LOW + word * 4ull;
}

static void *map_at(uintptr_t where, size_t bytes, int protection)
{
	void *hint = (void *)where; /* NOLINT */

	return mmap(hint, bytes, protection,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
}

/* The program's pages are closed, so reads must use the second mapping. */
static void add_memory(void)
{
	struct kt_mapping mapping = {
		.start = LOW,
		.base = LOW,
		.length = BYTES,
		.memory = {.client = CLIENT, .object = USERDS},
		.static_space = "fb",
		.protection = PROT_READ | PROT_WRITE,
		.watch = KT_WATCH_ALL,
	};

	CU_ASSERT_PTR_EQUAL_FATAL(map_at(LOW, BYTES, PROT_NONE), (void *)LOW);
	memory = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		      0);
	mapping.alias = memory;
	CU_ASSERT_PTR_NOT_NULL_FATAL(kt_mapping_add(&mapping));
}

static void add_channel(uint32_t i, uint32_t entries)
{
	const struct kt_channel_alloc alloc = {
		.client = CLIENT,
		.object = FIRST + i,
		.userd_memory = USERDS,
		.userd_offset = (USERD + i * 256) * 4ull,
		.class_ = 0xc86f,
		.ring = address_of(RINGS + i * ENTRIES * 2),
		.entries = entries,
	};

	kt_channel_remove(CLIENT, FIRST + i);
	kt_channel_add(&alloc);
	kt_channel_set_token(CLIENT, FIRST + i, TOKEN + i);
	memory[USERD + i * 256 + KT_USERD_GP_PUT / 4] = 0;
}

static void set_up(void)
{
	if (!memory) {
		add_memory();
		for (uint32_t i = SEGMENTS; i < BYTES / 4; i++) {
			memory[i] = i * 2654435761u;
		}
	}
	kt_rig_clear();
	kt_submissions_set_part(KT_PART_WORDS_MAX);
	for (uint32_t i = 0; i < 3; i++) {
		add_channel(i, ENTRIES);
	}
}

static void put_raw(uint32_t channel, uint32_t index, const uint32_t words[static 2])
{
	memcpy(&memory[RINGS + (channel * ENTRIES + index) * 2], words, 8);
}

static void put(uint32_t channel, uint32_t index, uint64_t address, uint32_t n)
{
	const struct kt_gpfifo_entry entry = {.address = address, .words = n, .wait = true};
	uint32_t words[2];

	kt_gpfifo_encode(words, &entry);
	put_raw(channel, index, words);
}

static void set_gp_put(uint32_t channel, uint32_t gp_put)
{
	memory[USERD + channel * 256 + KT_USERD_GP_PUT / 4] = gp_put;
}

static void report(struct kt_ring ring)
{
	const struct kt_event_doorbell doorbell = {
		.moved = ring.moved, .channel = ring.channel, .gp_put = ring.gp_put};

	kt_submissions_report(&doorbell);
	CU_ASSERT_EQUAL(kt_rig.doorbells, 1);
}

static void ring(uint32_t channel, uint32_t gp_put)
{
	set_gp_put(channel, gp_put);
	kt_rig_clear();
	report(kt_channel_doorbell(1, TOKEN + channel));
	CU_ASSERT_EQUAL(kt_rig.wrong, 0);
}

static bool holds(const struct rig_entry *entry, uint32_t word, uint32_t n)
{
	return entry->count == n &&
	       memcmp(&kt_rig.words[entry->first], &memory[word], n * 4ul) == 0;
}

static void reads_what_was_submitted(void)
{
	set_up();
	put(1, 0, address_of(SEGMENTS), 15);
	put(1, 1, address_of(SEGMENTS + 100), 6144);
	ring(1, 2);
	CU_ASSERT_EQUAL_FATAL(kt_rig.n, 2);
	CU_ASSERT_EQUAL(kt_rig.entries[0].event.channel, FIRST + 1);
	CU_ASSERT_EQUAL(kt_rig.entries[0].event.class_, 0xc86f);
	CU_ASSERT_EQUAL(kt_rig.entries[0].event.address, address_of(SEGMENTS));
	CU_ASSERT_STRING_EQUAL(kt_rig.entries[0].event.state, "submitted");
	CU_ASSERT_STRING_EQUAL(kt_rig.entries[0].event.unread, "");
	CU_ASSERT_EQUAL(kt_rig.entries[1].event.index, 1);
	CU_ASSERT_TRUE(holds(&kt_rig.entries[0], SEGMENTS, 15));
	CU_ASSERT_TRUE(holds(&kt_rig.entries[1], SEGMENTS + 100, 6144));
	CU_ASSERT_EQUAL(kt_rig.entries[1].parts, 3);
	ring(1, 2);
	CU_ASSERT_EQUAL(kt_rig.n, 0);
}

/*
 * Copies of all lengths near the thresholds between copy methods, at even and odd dword
 * addresses.
 */
static void copies_any_length(void)
{
	set_up();
	for (uint32_t n = 1; n < 200; n++) {
		uint32_t at = n % ENTRIES;

		put(0, (n - 1) % ENTRIES, address_of(SEGMENTS + n * 7), n);
		ring(0, at);
		CU_ASSERT_EQUAL_FATAL(kt_rig.n, 1);
		CU_ASSERT_TRUE(holds(&kt_rig.entries[0], SEGMENTS + n * 7, n));
	}
}

static void wraps_around(void)
{
	uint32_t seen = 0;
	uint32_t at = 0;

	set_up();
	for (uint32_t step = 0; step < 100; step++) {
		uint32_t n = step % ENTRIES;

		for (uint32_t i = 0; i < n; i++) {
			put(2, (at + i) % ENTRIES, address_of(SEGMENTS + seen + i), 1);
		}
		ring(2, (at + n) % ENTRIES);
		CU_ASSERT_EQUAL_FATAL(kt_rig.n, n);
		for (uint32_t i = 0; i < n; i++) {
			CU_ASSERT_EQUAL(kt_rig.entries[i].event.index, (at + i) % ENTRIES);
			CU_ASSERT_EQUAL(kt_rig.words[i], memory[SEGMENTS + seen + i]);
		}
		at = (at + n) % ENTRIES;
		seen += n;
	}
}

static void splits_long_segments(void)
{
	const uint32_t n = (1u << 20) / 4;

	set_up();
	kt_submissions_set_part(1000);
	put(0, 0, address_of(SEGMENTS), n);
	ring(0, 1);
	CU_ASSERT_EQUAL_FATAL(kt_rig.n, 1);
	CU_ASSERT_EQUAL(kt_rig.entries[0].parts, (n + 999) / 1000);
	CU_ASSERT_TRUE(holds(&kt_rig.entries[0], SEGMENTS, n));
	kt_submissions_set_part(0);
	put(0, 1, address_of(SEGMENTS), KT_PART_WORDS_MIN + 1);
	ring(0, 2);
	CU_ASSERT_EQUAL(kt_rig.entries[0].parts, 2);
}

/* All entries of one channel are reported in one event if their dwords fit. */
static void joins_small_submissions(void)
{
	set_up();
	put(1, 0, address_of(SEGMENTS), 15);
	put(1, 1, address_of(SEGMENTS + 100), KT_PART_WORDS_MAX - KT_SMALL_SPARE - 15);
	ring(1, 2);
	CU_ASSERT_EQUAL(kt_rig.small, 1);
	CU_ASSERT_EQUAL_FATAL(kt_rig.n, 2);
	CU_ASSERT_EQUAL(kt_rig.entries[1].parts, 1);
	CU_ASSERT_TRUE(holds(&kt_rig.entries[0], SEGMENTS, 15));
	CU_ASSERT_TRUE(holds(&kt_rig.entries[1], SEGMENTS + 100,
			     KT_PART_WORDS_MAX - KT_SMALL_SPARE - 15));
	/* One dword too many for one event. */
	put(1, 2, address_of(SEGMENTS), KT_PART_WORDS_MAX - KT_SMALL_SPARE + 1);
	ring(1, 3);
	CU_ASSERT_EQUAL(kt_rig.small, 0);
	CU_ASSERT_EQUAL_FATAL(kt_rig.n, 1);
	/* A batch that reaches the end of the ring, including its last entry. */
	put(1, 3, address_of(SEGMENTS), 1);
	put(1, 4, address_of(SEGMENTS), 0);
	put(1, 7, address_of(SEGMENTS + 5), 2);
	ring(1, 0);
	CU_ASSERT_EQUAL(kt_rig.small, 1);
	CU_ASSERT_EQUAL_FATAL(kt_rig.n, 5);
	CU_ASSERT_TRUE(holds(&kt_rig.entries[4], SEGMENTS + 5, 2));
	put(1, 0, address_of(SEGMENTS), 1);
	put(2, 0, address_of(SEGMENTS), 1);
	set_gp_put(1, 1);
	set_gp_put(2, 1);
	kt_rig_clear();
	report(kt_channel_doorbell(0, 0));
	CU_ASSERT_EQUAL(kt_rig.small, 0);
	CU_ASSERT_EQUAL(kt_rig.n, 2);
	/* An unreadable segment needs an event that gives the reason. */
	put(1, 1, 0x3000, 7);
	ring(1, 2);
	CU_ASSERT_EQUAL(kt_rig.small, 0);
	CU_ASSERT_EQUAL(kt_rig.n, 1);
	/* The largest part may be too small for the entries. */
	kt_submissions_set_part(0);
	put(1, 2, address_of(SEGMENTS), 1);
	ring(1, 3);
	CU_ASSERT_EQUAL(kt_rig.small, 0);
	CU_ASSERT_EQUAL(kt_rig.n, 1);
}

static void follows_control_entries(void)
{
	struct kt_gpfifo_entry base = {.opcode = KT_GPFIFO_SET_EXTENDED_BASE,
				       .operand = 0x1234};
	const struct kt_gpfifo_entry nop = {.opcode = KT_GPFIFO_NOP};
	const struct kt_gpu_range range = {.address = 0x1234ull << 40 | 0x5000,
					   .length = PAGE,
					   .client = CLIENT,
					   .object = USERDS,
					   .offset = SEGMENTS * 4ull};
	uint32_t words[2];

	set_up();
	kt_gpu_map(&range);
	kt_gpfifo_encode(words, &nop);
	put_raw(0, 0, words);
	kt_gpfifo_encode(words, &base);
	put_raw(0, 1, words);
	put(0, 2, 0x5010, 4);
	ring(0, 3);
	CU_ASSERT_EQUAL_FATAL(kt_rig.n, 3);
	CU_ASSERT_EQUAL(kt_rig.entries[1].event.words, 0);
	CU_ASSERT_EQUAL(kt_rig.entries[1].event.address, 0);
	CU_ASSERT_EQUAL(kt_rig.entries[1].event.entry, (uint64_t)words[1] << 32 | words[0]);
	CU_ASSERT_EQUAL(kt_rig.entries[2].event.address, range.address + 0x10);
	CU_ASSERT_TRUE(holds(&kt_rig.entries[2], SEGMENTS + 4, 4));
	/* The base stays valid until it is set again, and applies only to its channel. */
	put(0, 3, 0x5000, 1);
	ring(0, 4);
	CU_ASSERT_TRUE(holds(&kt_rig.entries[0], SEGMENTS, 1));
	put(1, 0, 0x5000, 1);
	ring(1, 1);
	CU_ASSERT_EQUAL(kt_rig.entries[0].event.address, 0x5000);
	CU_ASSERT_EQUAL(kt_rig.entries[0].count, 0);
	base.operand = 0;
	kt_gpfifo_encode(words, &base);
	put_raw(0, 4, words);
	put(0, 5, address_of(SEGMENTS), 1);
	ring(0, 6);
	CU_ASSERT_TRUE(holds(&kt_rig.entries[1], SEGMENTS, 1));
	kt_gpu_unmap(range.address, 1);
}

static void says_what_it_cannot_read(void)
{
	set_up();
	put(0, 0, 0x3000, 7);
	put(0, 1, LOW + BYTES - 40, 50); /* only the first ten dwords are mapped */
	put(0, 2, address_of(SEGMENTS), 1);
	ring(0, 3);
	CU_ASSERT_EQUAL_FATAL(kt_rig.n, 3);
	CU_ASSERT_STRING_EQUAL(kt_rig.entries[0].event.unread,
			       "no CPU mapping of that address");
	CU_ASSERT_EQUAL(kt_rig.entries[0].event.words, 7);
	CU_ASSERT_EQUAL(kt_rig.entries[0].count, 0);
	CU_ASSERT_STRING_EQUAL(kt_rig.entries[1].event.unread,
			       "no CPU mapping of that address");
	CU_ASSERT_TRUE(holds(&kt_rig.entries[1], BYTES / 4 - 10, 10));
	CU_ASSERT_STRING_EQUAL(kt_rig.entries[2].event.unread, "");
	CU_ASSERT_EQUAL(kt_rig.entries[2].count, 1);
}

static void survives_a_bad_gp_put(void)
{
	set_up();
	put(0, 0, address_of(SEGMENTS), 1);
	put(0, 1, address_of(SEGMENTS), 2);
	ring(0, 1);
	ring(0, 0xfffffff0);
	CU_ASSERT_EQUAL_FATAL(kt_rig.n, 1);
	CU_ASSERT_STRING_EQUAL(kt_rig.entries[0].event.unread, "GP_PUT is beyond the ring");
	ring(0, 0xfffffff0);
	CU_ASSERT_EQUAL(kt_rig.n, 0);
	ring(0, 2); /* the walk continues from the last valid GP_PUT */
	CU_ASSERT_EQUAL_FATAL(kt_rig.n, 1);
	CU_ASSERT_EQUAL(kt_rig.entries[0].event.index, 1);
	CU_ASSERT_EQUAL(kt_rig.entries[0].count, 2);
}

static void survives_bad_rings(void)
{
	struct kt_channel_alloc alloc = {.client = CLIENT,
					 .object = FIRST,
					 .userd_memory = USERDS,
					 .userd_offset = USERD * 4ull};

	set_up();
	kt_channel_add(&alloc); /* neither the address nor the size of the ring is known */
	ring(0, 3);
	CU_ASSERT_EQUAL_FATAL(kt_rig.n, 1);
	CU_ASSERT_STRING_EQUAL(kt_rig.entries[0].event.unread,
			       "the ring's address is unknown");
	alloc.ring = 0x3000;
	alloc.entries = UINT32_MAX;
	kt_channel_add(&alloc);
	ring(0, 0x80000000);
	CU_ASSERT_EQUAL_FATAL(kt_rig.n, 1); /* one event for all unreadable entries */
	alloc.ring = LOW + BYTES - 16;
	kt_channel_add(&alloc);
	memset(&memory[BYTES / 4 - 4], 0, 16);
	ring(0, 0x80000001);
	/* Two entries are mapped; one event reports the rest. */
	CU_ASSERT_EQUAL_FATAL(kt_rig.n, 3);
	CU_ASSERT_EQUAL(kt_rig.entries[2].event.index, 2);
	CU_ASSERT_STRING_NOT_EQUAL(kt_rig.entries[2].event.unread, "");
}

/*
 * The doorbell is written before USERD is mapped. When the work is found later, the
 * doorbell that submitted it is unknown.
 */
static void reports_found_work(void)
{
	struct kt_channel_alloc alloc = {.client = CLIENT,
					 .object = FIRST,
					 .userd_memory = PUSH,
					 .userd_offset = 0,
					 .ring = address_of(RINGS),
					 .entries = ENTRIES};
	static uint32_t userd[PAGE / 4];
	struct kt_mapping mapping = {.start = (uintptr_t)userd,
				     .length = sizeof(userd),
				     .memory = {.client = CLIENT, .object = PUSH},
				     .static_space = "fb",
				     .protection = PROT_READ | PROT_WRITE};

	set_up();
	kt_channel_add(&alloc);
	kt_channel_set_token(CLIENT, FIRST, TOKEN);
	put(0, 0, address_of(SEGMENTS), 1);
	put(0, 1, address_of(SEGMENTS), 2);
	kt_rig_clear();
	report(kt_channel_doorbell(1, TOKEN));
	CU_ASSERT_EQUAL(kt_rig.n, 0);
	CU_ASSERT_PTR_NOT_NULL_FATAL(kt_mapping_add(&mapping));
	userd[KT_USERD_GP_PUT / 4] = 2;
	kt_rig_clear();
	report(kt_channel_doorbell(1, TOKEN));
	CU_ASSERT_EQUAL_FATAL(kt_rig.n, 2);
	CU_ASSERT_STRING_EQUAL(kt_rig.entries[0].event.state, "found");
	CU_ASSERT_STRING_EQUAL(kt_rig.entries[1].event.state, "found");
	put(0, 2, address_of(SEGMENTS), 2);
	userd[KT_USERD_GP_PUT / 4] = 3;
	kt_rig_clear();
	report(kt_channel_doorbell(1, TOKEN));
	CU_ASSERT_EQUAL_FATAL(kt_rig.n, 1);
	CU_ASSERT_STRING_EQUAL(kt_rig.entries[0].event.state, "submitted");
	/* The same happens if USERD is unmapped for some time. */
	kt_mapping_cut((uintptr_t)userd, sizeof(userd));
	put(0, 3, address_of(SEGMENTS), 2);
	userd[KT_USERD_GP_PUT / 4] = 4;
	kt_channel_doorbell(1, TOKEN);
	CU_ASSERT_PTR_NOT_NULL_FATAL(kt_mapping_add(&mapping));
	put(0, 4, address_of(SEGMENTS), 2);
	userd[KT_USERD_GP_PUT / 4] = 5;
	kt_rig_clear();
	report(kt_channel_doorbell(1, TOKEN));
	CU_ASSERT_EQUAL_FATAL(kt_rig.n, 2);
	CU_ASSERT_STRING_EQUAL(kt_rig.entries[0].event.state, "found");
	kt_mapping_cut((uintptr_t)userd, sizeof(userd));
}

/*
 * Work found by a channel's final read was submitted earlier, by a doorbell that was not
 * observed, and not by the next doorbell.
 */
static void reports_work_that_a_last_read_found(void)
{
	set_up();
	put(0, 0, address_of(SEGMENTS), 1);
	put(1, 0, address_of(SEGMENTS), 2);
	set_gp_put(0, 1);
	kt_channel_read_last(CLIENT, FIRST);
	ring(1, 1);
	CU_ASSERT_EQUAL_FATAL(kt_rig.n, 2);
	for (size_t i = 0; i < 2; i++) {
		const struct kt_event_gpfifo_entry *event = &kt_rig.entries[i].event;

		CU_ASSERT_STRING_EQUAL(event->state,
				       event->channel == FIRST ? "found" : "submitted");
	}
	put(0, 1, address_of(SEGMENTS), 1);
	ring(0, 2);
	CU_ASSERT_STRING_EQUAL(kt_rig.entries[0].event.state, "submitted");
}

static void reports_all_channels_that_moved(void)
{
	set_up();
	put(0, 0, address_of(SEGMENTS), 1);
	put(2, 0, address_of(SEGMENTS), 2);
	set_gp_put(0, 1);
	set_gp_put(2, 1);
	kt_rig_clear();
	report(kt_channel_doorbell(0, 0)); /* value unknown */
	CU_ASSERT_EQUAL_FATAL(kt_rig.n, 2);
	CU_ASSERT_EQUAL(kt_rig.entries[0].event.channel, FIRST);
	CU_ASSERT_EQUAL(kt_rig.entries[1].event.channel, FIRST + 2);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"reads what was submitted", reads_what_was_submitted},
		{"copies any length", copies_any_length},
		{"wraps around", wraps_around},
		{"splits long segments", splits_long_segments},
		{"joins small submissions", joins_small_submissions},
		{"follows control entries", follows_control_entries},
		{"reports what it cannot read", says_what_it_cannot_read},
		{"survives a bad GP_PUT", survives_a_bad_gp_put},
		{"survives bad rings", survives_bad_rings},
		{"reports found work", reports_found_work},
		{"reports work found by a final read", reports_work_that_a_last_read_found},
		{"reports all channels that moved", reports_all_channels_that_moved},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("submissions", tests);
}
