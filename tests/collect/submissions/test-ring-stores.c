/* SPDX-License-Identifier: MIT */
/* Compares known ring entries and GP_PUTs with memory and with a simple model. */
#include <stdint.h>

#include "collect/preload/mappings/gpu-addresses.h"
#include "collect/preload/mappings/pages.h"
#include "collect/preload/process/counters.h"
#include "collect/preload/submissions/ring-stores.h"
#include "tests/collect/submissions/ring-stores-rig.h"
#include "tests/suite.h"

/* --- single cases --- */

static void knows_what_was_stored(void)
{
	uint64_t stores;

	set_up(KT_WATCH_ALL);
	stores = kt_counters->put_stores;
	CU_ASSERT_EQUAL(entry(0, 0), UINT64_MAX);
	CU_ASSERT_EQUAL(put(0), UINT32_MAX);
	store_entry(0, 0, 0x1122334455667788);
	CU_ASSERT_EQUAL(entry(0, 0), 0x1122334455667788);
	CU_ASSERT_EQUAL(entry(0, 1), UINT64_MAX);
	/* One half of the entry is stored, then the other. */
	store(ring_word(1) * 4 + 8, 4, true, 5);
	CU_ASSERT_EQUAL(entry(1, 1), UINT64_MAX);
	store(ring_word(1) * 4 + 12, 4, true, 6);
	CU_ASSERT_EQUAL(entry(1, 1), 6ull << 32 | 5);
	/* One store covers parts of two channels' rings. */
	store(ring_word(1) * 4 - 4, 8, true, 7ull << 32 | 8);
	store(ring_word(1) * 4 - 8, 4, true, 9);
	store(ring_word(1) * 4 + 4, 4, true, 10);
	CU_ASSERT_EQUAL(entry(0, ENTRIES - 1), 8ull << 32 | 9);
	CU_ASSERT_EQUAL(entry(1, 0), 10ull << 32 | 7);
	store(put_word(2) * 4, 4, true, 3);
	CU_ASSERT_EQUAL(put(2), 3);
	store(put_word(2) * 4 - 4, 8, true, 4ull << 32); /* with GP_GET */
	CU_ASSERT_EQUAL(put(2), 4);
	store(put_word(2) * 4, 4, true, 4);
	CU_ASSERT_EQUAL(kt_counters->put_stores - stores, 2);
	store(put_word(2) * 4 + 1, 1, true, 4); /* a part of GP_PUT */
	CU_ASSERT_EQUAL(put(2), UINT32_MAX);
	store(ring_word(1) * 4 + 8, 16, false, 1);
	CU_ASSERT_EQUAL(entry(1, 1), UINT64_MAX);
	CU_ASSERT_EQUAL(entry(1, 0), 10ull << 32 | 7);
	kt_ring_all_unseen();
	CU_ASSERT_EQUAL(entry(1, 0), UINT64_MAX);
	CU_ASSERT_FALSE(kt_ring_put(NULL, &(uint32_t){0}));
	tear_down();
}

static void follows_mappings(void)
{
	struct kt_mapping *other;
	uintptr_t start;

	set_up(KT_WATCH_ALL);
	start = (uintptr_t)program;
	know_all();
	kt_mapping_cut(start, PAGES * PAGE);
	CU_ASSERT_EQUAL(count_known(), 0); /* unknown at once, before any poll */
	CU_ASSERT_TRUE(kt_rings_settle());
	CU_ASSERT_EQUAL(count_known(), 0);
	know_all();
	CU_ASSERT_EQUAL(count_known(), 0);
	/* A new mapping at the same address starts with no known values. */
	kt_pages_close(add_mapping(program, MEMORY, KT_WATCH_ALL));
	CU_ASSERT_TRUE(kt_rings_settle());
	CU_ASSERT_EQUAL(count_known(), 0);
	know_all();
	CU_ASSERT_EQUAL(count_known(), ALL);
	/* Another mapping replaces the first between two polls. */
	kt_mapping_cut((uintptr_t)program, PAGES * PAGE);
	kt_pages_close(add_mapping(program, MEMORY, KT_WATCH_ALL));
	memory[ring_word(0)]++;
	CU_ASSERT_TRUE(kt_rings_settle());
	CU_ASSERT_EQUAL(count_known(), 0);
	know_all();
	/*
	 * After a mapping of another object, no value counts as known until
	 * kt_rings_settle() has found that no ring has moved.
	 */
	other = add_mapping(NULL, MEMORY + 1, KT_WATCH_ALL);
	start = other->start;
	CU_ASSERT_EQUAL(count_known(), 0);
	CU_ASSERT_FALSE(kt_rings_settle());
	/* No ring was moved, and no store was missed. */
	CU_ASSERT_EQUAL(count_known(), ALL);
	kt_mapping_cut(start, PAGES * PAGE);
	store_entry(0, 0, 77);
	CU_ASSERT_FALSE(kt_rings_settle());
	CU_ASSERT_EQUAL(count_known(), 0); /* a store was missed */
	know_all();
	/* The same memory is mapped a second time. */
	start = add_mapping(NULL, MEMORY, KT_WATCH_ALL)->start;
	CU_ASSERT_TRUE(kt_rings_settle());
	know_all();
	CU_ASSERT_EQUAL(count_known(), 0);
	kt_mapping_cut(start, PAGES * PAGE);
	kt_rings_settle();
	know_all();
	CU_ASSERT_EQUAL(count_known(), ALL);
	/* Stores to an open mapping, or to one without an alias, are not observed. */
	kt_mapping_find((uintptr_t)program)->watch = KT_WATCH_NOTHING;
	know_all();
	CU_ASSERT_EQUAL(count_known(), 0);
	tear_down();
}

static void replace(uint32_t channel, const struct kt_channel_alloc *alloc)
{
	kt_ring_unfollow(copies[channel]);
	copies[channel] = kt_ring_follow(alloc);
	CU_ASSERT_TRUE(kt_rings_settle());
	know_all();
}

static void follows_channels(void)
{
	struct kt_channel_alloc alloc;
	const struct kt_gpu_range range = {.address = 0x20000000,
					   .length = PAGE,
					   .client = CLIENT,
					   .object = MEMORY,
					   .offset = ring_word(1) * 4};

	set_up(KT_WATCH_ALL);
	alloc = allocs[1];
	alloc.ring = range.address; /* the address is not mapped yet */
	replace(1, &alloc);
	CU_ASSERT_EQUAL(count_known(), ALL - ENTRIES);
	kt_gpu_map(&range);
	CU_ASSERT_TRUE(kt_rings_settle());
	know_all();
	CU_ASSERT_EQUAL(count_known(), ALL);
	CU_ASSERT_EQUAL(entry(1, 3), 1003);
	kt_gpu_unmap(range.address, 1);
	CU_ASSERT_TRUE(kt_rings_settle());
	CU_ASSERT_EQUAL(count_known(), ALL - ENTRIES);
	alloc.ring = allocs[0].ring + 8; /* the ring begins within another channel's ring */
	replace(1, &alloc);
	CU_ASSERT_EQUAL(count_known(), ALL - ENTRIES);
	alloc = allocs[1];
	alloc.userd_memory = 0;
	alloc.entries = KT_RING_ENTRIES_MAX + 1;
	replace(1, &alloc);
	CU_ASSERT_EQUAL(count_known(), ALL - ENTRIES - 100);
	alloc.userd_memory = MEMORY;
	alloc.entries = 3 * PAGE / 8;
	alloc.ring = range.address; /* the ring's middle belongs to another object */
	for (uint32_t i = 0; i < 3; i++) {
		kt_gpu_map(&(struct kt_gpu_range){.address = range.address + i * PAGE,
						  .length = PAGE,
						  .client = CLIENT,
						  .object = MEMORY + (i == 1),
						  .offset = (5 + i) * PAGE});
	}
	replace(1, &alloc);
	store(5 * PAGE, 8, true, 1);
	CU_ASSERT_EQUAL(entry(1, 0), UINT64_MAX);
	kt_gpu_unmap(range.address, 3 * PAGE);
	alloc.userd_memory = 0;
	alloc.ring = (uintptr_t)program + PAGES * PAGE - 8; /* the ring's end is unmapped */
	alloc.entries = 2;
	replace(1, &alloc);
	CU_ASSERT_EQUAL(count_known(), ALL - ENTRIES - 100);
	alloc.ring = allocs[1].ring + 2; /* the ring is not aligned to dwords */
	alloc.entries = ENTRIES;
	replace(1, &alloc);
	CU_ASSERT_EQUAL(count_known(), ALL - ENTRIES - 100);
	replace(1, &allocs[1]);
	CU_ASSERT_EQUAL(count_known(), ALL);
	kt_rings_mode = KT_RINGS_BUS;
	CU_ASSERT_PTR_NULL(kt_ring_follow(&alloc));
	tear_down();
}

/* --- sources of the reported values --- */

static struct kt_channel_work work_of(uint32_t channel)
{
	return (struct kt_channel_work){.alloc = &allocs[channel], .copy = copies[channel]};
}

static void takes_what_is_known(void)
{
	struct kt_channel_work work;
	uint32_t words[2 * ENTRIES];
	const char *why = "";
	uint64_t bus;
	uint32_t value;

	set_up(KT_WATCH_ALL);
	work = work_of(0);
	know_all();
	bus = kt_counters->bus_reads;
	CU_ASSERT_EQUAL(kt_ring_read_entries(&work, 3, 10, words, &why), 10);
	CU_ASSERT_EQUAL(words[18], 12);
	CU_ASSERT_TRUE(kt_ring_take_put(copies[1], &value));
	CU_ASSERT_EQUAL(kt_counters->bus_reads, bus);
	memory[ring_word(0) + 10] = 55; /* entry 5 changes without an observed store */
	kt_ring_unseen((uintptr_t)&program[ring_word(0) + 10], 20);
	CU_ASSERT_EQUAL(kt_ring_read_entries(&work, 3, 10, words, &why), 10);
	CU_ASSERT_EQUAL(words[4], 55);
	CU_ASSERT_EQUAL(words[6], 6);
	CU_ASSERT_EQUAL(words[10], 8);
	CU_ASSERT_EQUAL(kt_counters->bus_reads, bus + 2); /* for three unknown entries */
	kt_ring_unseen((uintptr_t)&program[put_word(1)], 1);
	CU_ASSERT_FALSE(kt_ring_take_put(copies[1], &value));
	CU_ASSERT_FALSE(kt_ring_put_was_read(copies[1], 9));
	/* The value that was just read is known now. */
	CU_ASSERT_TRUE(kt_ring_take_put(copies[1], &value));
	CU_ASSERT_EQUAL(value, 9);
	/* Reading ends at the first entry that cannot be read. */
	kt_ring_unseen((uintptr_t)&program[ring_word(0) + 8], 8);
	kt_mapping_find((uintptr_t)program)->static_space = "reg";
	CU_ASSERT_EQUAL(kt_ring_read_entries(&work, 3, 10, words, &why), 1);
	CU_ASSERT_STRING_NOT_EQUAL(why, "");
	tear_down();
}

/*
 * Memory changes without an observed store. --rings=check must count the difference and
 * report the memory's value.
 */
static void notices_what_it_has_missed(void)
{
	struct kt_channel_work work;
	uint32_t words[2 * ENTRIES];
	const char *why = "";
	uint64_t equal;
	uint64_t wrong;
	uint32_t value;

	set_up(KT_WATCH_ALL);
	kt_rings_mode = KT_RINGS_CHECK;
	work = work_of(2);
	know_all();
	equal = kt_counters->entries_stored;
	wrong = kt_counters->entries_wrong;
	memory[ring_word(2) + 7]++;
	kt_ring_unseen((uintptr_t)&program[ring_word(2)], 1);
	CU_ASSERT_EQUAL(kt_ring_read_entries(&work, 0, ENTRIES, words, &why), ENTRIES);
	CU_ASSERT_EQUAL(words[7], 1);
	CU_ASSERT_EQUAL(kt_counters->entries_stored - equal, ENTRIES - 2);
	CU_ASSERT_EQUAL(kt_counters->entries_wrong - wrong, 1);
	CU_ASSERT_FALSE(kt_ring_take_put(copies[2], &value));
	CU_ASSERT_TRUE(kt_ring_put_was_read(copies[2], 2));
	wrong = kt_counters->puts_wrong;
	CU_ASSERT_FALSE(kt_ring_put_was_read(copies[2], 3));
	CU_ASSERT_EQUAL(kt_counters->puts_wrong - wrong, 1);
	kt_ring_unseen((uintptr_t)&program[put_word(2)], 1);
	CU_ASSERT_FALSE(kt_ring_put_was_read(copies[2], 3));
	CU_ASSERT_EQUAL(put(2), UINT32_MAX); /* a value read is not a store */
	tear_down();
}

/* Returns the number of the next GP_PUT that is not taken from a store. */
static unsigned next_sample(uint32_t channel)
{
	uint32_t value;
	unsigned n = 1;

	while (n < 10 * KT_RING_SAMPLE && kt_ring_take_put(copies[channel], &value)) {
		n++;
	}
	return n;
}

/*
 * Samples that equal the observed stores change nothing. After one that differs, the ring
 * of that channel is read, and no other.
 */
static void samples_what_it_takes(void)
{
	struct kt_channel_work work;
	uint32_t words[2 * ENTRIES];
	const char *why = "";
	uint64_t wrong;

	set_up(KT_WATCH_ALL);
	work = work_of(2);
	know_all();
	CU_ASSERT_EQUAL(next_sample(2), KT_RING_SAMPLE);
	CU_ASSERT_TRUE(kt_ring_put_was_read(copies[2], 2));
	CU_ASSERT_EQUAL(kt_ring_read_entries(&work, 0, ENTRIES, words, &why), ENTRIES);
	CU_ASSERT_EQUAL(next_sample(2), KT_RING_SAMPLE);
	wrong = kt_counters->entries_wrong;
	memory[ring_word(2) + 7]++;
	CU_ASSERT_EQUAL(kt_ring_read_entries(&work, 0, ENTRIES, words, &why), ENTRIES);
	CU_ASSERT_EQUAL(kt_counters->entries_wrong - wrong, 1);
	CU_ASSERT_EQUAL(next_sample(2), 1);
	CU_ASSERT_FALSE(kt_ring_put_was_read(copies[2], 2));
	memory[ring_word(2) + 7]++;
	CU_ASSERT_EQUAL(kt_ring_read_entries(&work, 0, ENTRIES, words, &why), ENTRIES);
	CU_ASSERT_EQUAL(words[7], memory[ring_word(2) + 7]);
	CU_ASSERT_EQUAL(next_sample(1), KT_RING_SAMPLE);
	wrong = kt_counters->puts_wrong;
	CU_ASSERT_FALSE(kt_ring_put_was_read(copies[1], 77));
	CU_ASSERT_EQUAL(kt_counters->puts_wrong - wrong, 1);
	CU_ASSERT_EQUAL(next_sample(1), 1);
	tear_down();
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"knows what was stored", knows_what_was_stored},
		{"forgets open pages", forgets_what_lies_open},
		{"knows nothing during a single-step", knows_nothing_beside_a_step},
		{"knows nothing where pages stay open",
		 knows_nothing_where_pages_stay_open},
		{"follows mappings", follows_mappings},
		{"follows channels", follows_channels},
		{"closes only their pages", closes_their_pages_alone},
		{"waits for system calls", waits_for_system_calls},
		{"takes what is known", takes_what_is_known},
		{"notices what it has missed", notices_what_it_has_missed},
		{"samples what it takes", samples_what_it_takes},
		{"knows what the model knows", knows_what_the_model_knows},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("ring-stores", tests);
}
