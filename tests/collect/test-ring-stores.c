/* SPDX-License-Identifier: MIT */
/* What is known of rings and GP_PUTs, against memory and against a plain model. */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "collect/preload/mappings/gpu-addresses.h"
#include "collect/preload/mappings/mappings.h"
#include "collect/preload/mappings/pages.h"
#include "collect/preload/mappings/steps.h"
#include "collect/preload/process/counters.h"
#include "collect/preload/process/memory.h"
#include "collect/preload/submissions/ring-reads.h"
#include "collect/preload/submissions/ring-stores.h"
#include "decode/gpfifo.h"
#include "tests/suite.h"

#define CLIENT   1u
#define MEMORY   2u
#define PAGE     4096u
#define PAGES    8u
#define WORDS    (PAGES * PAGE / 4)
#define CHANNELS 3u
#define ENTRIES  16u
#define RING     (PAGE / 4 - 8u) /* word of channel 0's ring: it lies across two pages */
#define USERD    (4u * PAGE / 4) /* word of channel 0's USERD */
#define APART    (2u * ENTRIES)  /* words between rings: they touch */
#define USERDS   (512u / 4)      /* words between USERDs */
#define PUT      (KT_USERD_GP_PUT / 4)

static uint32_t *program; /* the program's mapping: NULL, there is none */
static uint32_t *memory;  /* the same memory, as the device sees it */
static int file = -1;
static struct kt_ring_copy *copies[CHANNELS];
static struct kt_channel_alloc allocs[CHANNELS];

static uint32_t ring_word(uint32_t channel)
{
	return RING + channel * APART;
}

static uint32_t put_word(uint32_t channel)
{
	return USERD + channel * USERDS + PUT;
}

static void *map_pages(void *where)
{
	return mmap(where, PAGES * PAGE, PROT_READ | PROT_WRITE,
		    MAP_SHARED | (where ? MAP_FIXED : 0), file, 0);
}

/* The memory object, from its first byte on. */
static struct kt_mapping *add_mapping(void *where, uint32_t object, enum kt_watch watch)
{
	struct kt_mapping mapping = {
		.start = (uintptr_t)map_pages(where),
		.length = PAGES * PAGE,
		.memory = {.client = CLIENT, .object = object},
		.static_space = "fb",
		.protection = PROT_READ | PROT_WRITE,
		.alias = map_pages(NULL),
		.watch = watch,
	};
	struct kt_mapping *added;

	mapping.base = mapping.start;
	added = kt_mapping_add(&mapping);
	CU_ASSERT_PTR_NOT_NULL_FATAL(added);
	return added;
}

static void follow(uint32_t i)
{
	allocs[i] = (struct kt_channel_alloc){
		.client = CLIENT,
		.object = 100 + i,
		.userd_memory = MEMORY,
		.userd_offset = (USERD + i * USERDS) * 4ull,
		.ring = (uintptr_t)&program[ring_word(i)],
		.entries = ENTRIES,
	};
	copies[i] = kt_ring_follow(&allocs[i]);
	CU_ASSERT_PTR_NOT_NULL_FATAL(copies[i]);
}

static struct kt_mapping *set_up(enum kt_watch watch)
{
	struct kt_mapping *m;

	kt_rings_mode = KT_RINGS_STORES;
	file = memfd_create("rings", 0);
	CU_ASSERT_EQUAL_FATAL(ftruncate(file, PAGES * PAGE), 0);
	memory = map_pages(NULL);
	m = add_mapping(NULL, MEMORY, watch);
	program = (uint32_t *)m->start;
	for (uint32_t i = 0; i < CHANNELS; i++) {
		follow(i);
	}
	CU_ASSERT_TRUE(kt_rings_settle());
	CU_ASSERT_FALSE(kt_rings_settle());
	m = kt_mapping_find((uintptr_t)program);
	CU_ASSERT_TRUE_FATAL(kt_pages_close(m));
	return m;
}

static void tear_down(void)
{
	for (uint32_t i = 0; i < CHANNELS; i++) {
		kt_ring_unfollow(copies[i]);
		copies[i] = NULL;
	}
	kt_mapping_cut((uintptr_t)program, PAGES * PAGE);
	munmap(program, PAGES * PAGE);
	munmap(memory, PAGES * PAGE);
	close(file);
}

/* A store that was seen, to byte `at` of the memory. */
static void store(size_t at, size_t size, bool known, uint64_t value)
{
	uintptr_t address = (uintptr_t)program + at;
	unsigned char bytes[256];

	for (size_t i = 0; i < size; i++) {
		bytes[i] = (unsigned char)(size <= 8 ? value >> 8 * i : value + i);
	}
	memcpy((char *)memory + at, bytes, size);
	kt_ring_stored(kt_mapping_find(address), address, size, known, value);
}

static void store_entry(uint32_t channel, uint32_t index, uint64_t value)
{
	store((ring_word(channel) + 2 * index) * 4ul, 8, true, value);
}

static uint64_t entry(uint32_t channel, uint32_t index)
{
	uint32_t words[2];

	return kt_ring_entry(copies[channel], index, words)
		       ? (uint64_t)words[1] << 32 | words[0]
		       : UINT64_MAX;
}

static uint32_t put(uint32_t channel)
{
	uint32_t value;

	return kt_ring_put(copies[channel], &value) ? value : UINT32_MAX;
}

/* --- one by one --- */

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
	store(ring_word(1) * 4 + 8, 4, true, 5); /* one half, then the other */
	CU_ASSERT_EQUAL(entry(1, 1), UINT64_MAX);
	store(ring_word(1) * 4 + 12, 4, true, 6);
	CU_ASSERT_EQUAL(entry(1, 1), 6ull << 32 | 5);
	store(ring_word(1) * 4 - 4, 8, true, 7ull << 32 | 8); /* of two channels' rings */
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
	store(put_word(2) * 4 + 1, 1, true, 4); /* a part of it */
	CU_ASSERT_EQUAL(put(2), UINT32_MAX);
	store(ring_word(1) * 4 + 8, 16, false, 1);
	CU_ASSERT_EQUAL(entry(1, 1), UINT64_MAX);
	CU_ASSERT_EQUAL(entry(1, 0), 10ull << 32 | 7);
	kt_ring_all_unseen();
	CU_ASSERT_EQUAL(entry(1, 0), UINT64_MAX);
	CU_ASSERT_FALSE(kt_ring_put(NULL, &(uint32_t){0}));
	tear_down();
}

static void know_all(void)
{
	for (uint32_t i = 0; i < CHANNELS; i++) {
		for (uint32_t j = 0; j < ENTRIES; j++) {
			store_entry(i, j, 1000 * i + j);
		}
		store(put_word(i) * 4, 4, true, i);
	}
}

/* How much is known: entries of all channels, then GP_PUTs, as the hundreds. */
static uint32_t count_known(void)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < CHANNELS; i++) {
		for (uint32_t j = 0; j < ENTRIES; j++) {
			n += entry(i, j) != UINT64_MAX;
		}
		n += 100 * (put(i) != UINT32_MAX);
	}
	return n;
}

#define ALL (CHANNELS * (ENTRIES + 100))

static void forgets_what_lies_open(void)
{
	struct kt_mapping *m = set_up(KT_WATCH_ALL);
	uintptr_t start = (uintptr_t)program;
	struct kt_held held;

	know_all();
	CU_ASSERT_EQUAL(count_known(), ALL);
	CU_ASSERT_TRUE(kt_pages_open_window(m, start, PAGE, false)); /* for reading */
	CU_ASSERT_EQUAL(count_known(), ALL);
	kt_pages_close_windows();
	know_all();
	CU_ASSERT_TRUE(kt_pages_open_window(m, start, PAGE, true)); /* 4 entries */
	CU_ASSERT_EQUAL(count_known(), ALL - 4);
	know_all(); /* not while others can write there */
	CU_ASSERT_EQUAL(count_known(), ALL - 4);
	kt_pages_close_windows();
	CU_ASSERT_EQUAL(count_known(), ALL - 4);
	know_all();
	CU_ASSERT_EQUAL(count_known(), ALL);
	CU_ASSERT_TRUE(kt_pages_open_one(m, start + 4 * PAGE)); /* for one instruction */
	CU_ASSERT_EQUAL(count_known(), ALL - 300);
	kt_ring_learn_put(copies[0], 7);
	kt_pages_close_one(start + 4 * PAGE);
	CU_ASSERT_EQUAL(count_known(), ALL - 300);
	kt_ring_learn_put(copies[0], 8);
	CU_ASSERT_EQUAL(put(0), 8);
	held = kt_pages_hold(start, 1); /* by a system call: all of the mapping */
	kt_ring_learn_put(copies[0], 9);
	know_all();
	CU_ASSERT_EQUAL(count_known(), 0);
	kt_pages_release(held);
	CU_ASSERT_EQUAL(count_known(), 0);
	know_all();
	mprotect(program, PAGE, PROT_READ | PROT_WRITE); /* as the program's own would */
	kt_pages_protected(start, PAGE, PROT_READ | PROT_WRITE);
	CU_ASSERT_EQUAL(count_known(), ALL - 4);
	know_all();
	CU_ASSERT_EQUAL(count_known(), ALL); /* in two pieces of one mapping */
	tear_down();
}

/* Another thread's instruction runs with the page open, and this one's stores are seen. */
static void knows_nothing_beside_a_step(void)
{
	struct kt_mapping *m = set_up(KT_WATCH_ALL);
	ucontext_t context = {.uc_flags = 0};

	know_all();
	CU_ASSERT_TRUE(kt_step_begin(m, (uintptr_t)program + 4 * PAGE, &context));
	CU_ASSERT_EQUAL(count_known(), ALL - 300);
	know_all();
	kt_ring_learn_put(copies[0], 7);
	CU_ASSERT_EQUAL(count_known(), ALL - 300);
	kt_step_abandon(&context);
	CU_ASSERT_EQUAL(count_known(), ALL - 300);
	know_all();
	CU_ASSERT_EQUAL(count_known(), ALL);
	tear_down();
}

/* The kernel refuses: a part of the mapping has gone past us. */
static void knows_nothing_where_pages_stay_open(void)
{
	struct kt_mapping *m = set_up(KT_WATCH_ALL);
	uintptr_t start = (uintptr_t)program;
	struct kt_held held;

	know_all();
	held = kt_pages_hold(start, 1);
	munmap((char *)program + 3 * PAGE, PAGE);
	kt_pages_release(held);
	CU_ASSERT_EQUAL(kt_memory_protection(start + 4 * PAGE, PAGE), 3);
	know_all();
	kt_ring_learn_put(copies[0], 7);
	CU_ASSERT_EQUAL(count_known(), 0);
	map_pages(program);
	CU_ASSERT_TRUE(kt_pages_close(m));
	know_all();
	CU_ASSERT_EQUAL(count_known(), ALL);
	CU_ASSERT_TRUE(kt_pages_open_window(m, start + 4 * PAGE, PAGE, true));
	munmap((char *)program + 4 * PAGE, PAGE);
	mmap((char *)program + 4 * PAGE, PAGE, PROT_READ | PROT_WRITE,
	     MAP_SHARED | MAP_FIXED, file, 4 * PAGE);
	kt_mapping_cut(start + 7 * PAGE, PAGE); /* what is left forgets its windows */
	kt_rings_settle();
	kt_pages_close_windows();
	CU_ASSERT_EQUAL(kt_memory_protection(start + 4 * PAGE, PAGE), 3);
	know_all();
	CU_ASSERT_EQUAL(count_known(), 0);
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
	CU_ASSERT_EQUAL(count_known(), 0); /* before anybody has looked again */
	CU_ASSERT_TRUE(kt_rings_settle());
	CU_ASSERT_EQUAL(count_known(), 0);
	know_all();
	CU_ASSERT_EQUAL(count_known(), 0);
	kt_pages_close(add_mapping(program, MEMORY, KT_WATCH_ALL)); /* where it was */
	CU_ASSERT_TRUE(kt_rings_settle());
	CU_ASSERT_EQUAL(count_known(), 0);
	know_all();
	CU_ASSERT_EQUAL(count_known(), ALL);
	kt_mapping_cut((uintptr_t)program, PAGES * PAGE); /* another one, the same place */
	kt_pages_close(add_mapping(program, MEMORY, KT_WATCH_ALL));
	memory[ring_word(0)]++;
	CU_ASSERT_TRUE(kt_rings_settle());
	CU_ASSERT_EQUAL(count_known(), 0);
	know_all();
	other = add_mapping(NULL, MEMORY + 1, KT_WATCH_ALL); /* another object */
	start = other->start;
	CU_ASSERT_EQUAL(count_known(), 0);
	CU_ASSERT_FALSE(kt_rings_settle());
	CU_ASSERT_EQUAL(count_known(), ALL); /* nothing has moved, no store was missed */
	kt_mapping_cut(start, PAGES * PAGE);
	store_entry(0, 0, 77);
	CU_ASSERT_FALSE(kt_rings_settle());
	CU_ASSERT_EQUAL(count_known(), 0); /* one was */
	know_all();
	start = add_mapping(NULL, MEMORY, KT_WATCH_ALL)->start; /* a second view */
	CU_ASSERT_TRUE(kt_rings_settle());
	know_all();
	CU_ASSERT_EQUAL(count_known(), 0);
	kt_mapping_cut(start, PAGES * PAGE);
	kt_rings_settle();
	know_all();
	CU_ASSERT_EQUAL(count_known(), ALL);
	/* Open, or without an alias: its stores are not seen. */
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
	alloc.ring = range.address; /* that nobody has mapped yet */
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
	alloc.ring = allocs[0].ring + 8; /* in another's ring */
	replace(1, &alloc);
	CU_ASSERT_EQUAL(count_known(), ALL - ENTRIES);
	alloc = allocs[1];
	alloc.userd_memory = 0;
	alloc.entries = KT_RING_ENTRIES_MAX + 1;
	replace(1, &alloc);
	CU_ASSERT_EQUAL(count_known(), ALL - ENTRIES - 100);
	alloc.userd_memory = MEMORY;
	alloc.entries = 3 * PAGE / 8;
	alloc.ring = range.address; /* its middle is another object's */
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
	alloc.ring = (uintptr_t)program + PAGES * PAGE - 8; /* its end is nowhere */
	alloc.entries = 2;
	replace(1, &alloc);
	CU_ASSERT_EQUAL(count_known(), ALL - ENTRIES - 100);
	alloc.ring = allocs[1].ring + 2; /* not where words lie */
	alloc.entries = ENTRIES;
	replace(1, &alloc);
	CU_ASSERT_EQUAL(count_known(), ALL - ENTRIES - 100);
	replace(1, &allocs[1]);
	CU_ASSERT_EQUAL(count_known(), ALL);
	kt_rings_mode = KT_RINGS_BUS;
	CU_ASSERT_PTR_NULL(kt_ring_follow(&alloc));
	tear_down();
}

static void closes_their_pages_alone(void)
{
	const int expected[PAGES] = {PROT_READ, PROT_READ, 3, 3, PROT_READ, 3, 3, 3};
	struct kt_mapping *m = set_up(KT_WATCH_RINGS);
	uintptr_t start = (uintptr_t)program;

	know_all();
	CU_ASSERT_EQUAL(count_known(), ALL);
	for (int round = 0; round < 2; round++) {
		for (uint32_t i = 0; i < PAGES; i++) {
			CU_ASSERT_EQUAL(kt_memory_protection(start + i * PAGE, PAGE),
					expected[i]);
		}
		kt_pages_release(kt_pages_hold(start, 1));
	}
	CU_ASSERT_EQUAL(count_known(), 0);
	kt_pages_open_one(m, start + PAGE);
	kt_pages_open_one(m, start + 2 * PAGE);
	CU_ASSERT_EQUAL(kt_memory_protection(start + PAGE, PAGE), 3);
	kt_pages_close_one(start + PAGE);
	kt_pages_close_one(start + 2 * PAGE);
	CU_ASSERT_EQUAL(kt_memory_protection(start + PAGE, PAGE), PROT_READ);
	CU_ASSERT_EQUAL(kt_memory_protection(start + 2 * PAGE, PAGE), 3);
	tear_down();
}

/* A system call has begun to use the mapping before there was a channel in it. */
static void waits_for_system_calls(void)
{
	struct kt_mapping *m = set_up(KT_WATCH_ALL);
	uintptr_t start = (uintptr_t)program;
	struct kt_held first;
	struct kt_held second;

	m->watch = KT_WATCH_NOTHING;
	kt_pages_open(m);
	first = kt_pages_hold(start, 1);
	m->watch = KT_WATCH_RINGS;
	CU_ASSERT_TRUE(kt_pages_close(m));
	CU_ASSERT_EQUAL(kt_memory_protection(start, PAGE), 3);
	second = kt_pages_hold(start, 1);
	kt_pages_release(first);
	CU_ASSERT_EQUAL(kt_memory_protection(start, PAGE), 3);
	know_all();
	CU_ASSERT_EQUAL(count_known(), 0);
	kt_pages_release(second);
	CU_ASSERT_EQUAL(kt_memory_protection(start, PAGE), PROT_READ);
	tear_down();
}

/* --- what is taken from where --- */

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
	memory[ring_word(0) + 10] = 55; /* entry 5, and nobody knows */
	kt_ring_unseen((uintptr_t)&program[ring_word(0) + 10], 20);
	CU_ASSERT_EQUAL(kt_ring_read_entries(&work, 3, 10, words, &why), 10);
	CU_ASSERT_EQUAL(words[4], 55);
	CU_ASSERT_EQUAL(words[6], 6);
	CU_ASSERT_EQUAL(words[10], 8);
	CU_ASSERT_EQUAL(kt_counters->bus_reads, bus + 2); /* three entries */
	kt_ring_unseen((uintptr_t)&program[put_word(1)], 1);
	CU_ASSERT_FALSE(kt_ring_take_put(copies[1], &value));
	CU_ASSERT_FALSE(kt_ring_put_was_read(copies[1], 9));
	CU_ASSERT_TRUE(kt_ring_take_put(copies[1], &value)); /* not again */
	CU_ASSERT_EQUAL(value, 9);
	/* A part of the ring that cannot be read ends it. */
	kt_ring_unseen((uintptr_t)&program[ring_word(0) + 8], 8);
	kt_mapping_find((uintptr_t)program)->static_space = "reg";
	CU_ASSERT_EQUAL(kt_ring_read_entries(&work, 3, 10, words, &why), 1);
	CU_ASSERT_STRING_NOT_EQUAL(why, "");
	tear_down();
}

/* Memory changes in a way that nobody sees: a check says so, and reports what is there. */
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
	CU_ASSERT_EQUAL(put(2), UINT32_MAX); /* what was read is no store */
	tear_down();
}

/* --- anything, in any order --- */

/* All of the memory, word by word: whether a store of all of it was seen, and none missed.
 */
static struct {
	bool known[WORDS];
	bool open[PAGES]; /* for writing */
	bool held;
} model;

static bool is_open(size_t at)
{
	return model.held || model.open[at / PAGE];
}

static void model_store(size_t at, size_t size, bool known)
{
	bool good = known && size <= 8 && !is_open(at) && !is_open(at + size - 1);

	for (size_t word = at / 4; word * 4 < at + size; word++) {
		model.known[word] = good && word * 4 >= at && word * 4 + 4 <= at + size;
	}
}

static void model_forget(size_t from, size_t to)
{
	memset(&model.known[from / 4], 0, (to - from) / 4 * sizeof(bool));
}

static void store_anything(void)
{
	static const size_t sizes[] = {1, 2, 4, 4, 4, 8, 8, 8, 16, 32, 100};
	size_t size = sizes[(size_t)rand() % 11];
	uint32_t channel = (uint32_t)rand() % CHANNELS;
	size_t near = rand() % 3 ? ring_word(channel) * 4 + (size_t)rand() % (ENTRIES * 8)
				 : put_word(channel) * 4 + (size_t)rand() % 16 - 8;
	size_t at = rand() % 8 ? near & ~(size_t)3 : near;
	bool known = size <= 8 && rand() % 8;
	uint64_t value = (uint64_t)rand() << 32 | (uint64_t)rand();

	store(at, size, known, value);
	model_store(at, size, known);
}

static void open_anything(struct kt_mapping *m)
{
	uint32_t page = (uint32_t)rand() % PAGES;
	uint32_t n = 1 + (uint32_t)rand() % (PAGES - page);

	if (model.held || m->n_windows == KT_WINDOW_MAX) {
		return;
	}
	CU_ASSERT_TRUE(
		kt_pages_open_window(m, m->start + page * PAGE, n * (size_t)PAGE, true));
	for (uint32_t i = page; i < page + n; i++) {
		model.open[i] = true;
		model_forget(i * PAGE, (i + 1) * PAGE);
	}
}

static void close_all(void)
{
	kt_pages_close_windows();
	for (uint32_t i = 0; i < PAGES; i++) {
		if (model.open[i]) {
			model_forget(i * PAGE, (i + 1) * PAGE);
		}
		model.open[i] = false;
	}
}

static void hold_or_release(struct kt_mapping *m)
{
	static struct kt_held held;

	if (model.held) {
		kt_pages_release(held);
		memset(model.open, 0, sizeof(model.open)); /* it closes the windows too */
	} else {
		held = kt_pages_hold(m->start, 1);
	}
	model_forget(0, sizeof(model.known) * 4);
	model.held = !model.held;
}

/* The program writes past the recorder where it can. */
static void write_unseen(void)
{
	size_t at = (size_t)rand() % WORDS;

	if (is_open(at * 4)) {
		program[at] = (uint32_t)rand();
	}
}

static bool agrees(uint32_t channel)
{
	for (uint32_t i = 0; i < ENTRIES; i++) {
		uint32_t at = ring_word(channel) + 2 * i;
		bool known = model.known[at] && model.known[at + 1];
		uint64_t got = entry(channel, i);

		if (known != (got != UINT64_MAX) ||
		    (known && memcmp(&got, &memory[at], 8) != 0)) {
			return false;
		}
	}
	return model.known[put_word(channel)] == (put(channel) != UINT32_MAX) &&
	       (!model.known[put_word(channel)] ||
		put(channel) == memory[put_word(channel)]);
}

static void knows_what_the_model_knows(void)
{
	struct kt_mapping *m = set_up(KT_WATCH_ALL);
	uint32_t most = 0;

	memset(&model, 0, sizeof(model));
	for (int step = 0; step < 100000; step++) {
		switch (rand() % 64) {
		case 0: open_anything(m); break;
		case 1:
		case 2: close_all(); break;
		case 3:
			if (step % 7 == 0 || model.held) {
				hold_or_release(m);
			}
			break;
		case 4: write_unseen(); break;
		default: store_anything(); break;
		}
		for (uint32_t i = 0; step % 3 == 0 && i < CHANNELS; i++) {
			CU_ASSERT_TRUE_FATAL(agrees(i));
		}
		most = count_known() > most ? count_known() : most;
	}
	CU_ASSERT_TRUE(most > ENTRIES + 100); /* there was something to agree on */
	if (model.held) {
		hold_or_release(m);
	}
	close_all();
	tear_down();
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"knows what was stored", knows_what_was_stored},
		{"forgets what lies open", forgets_what_lies_open},
		{"knows nothing beside a step", knows_nothing_beside_a_step},
		{"knows nothing where pages stay open",
		 knows_nothing_where_pages_stay_open},
		{"follows mappings", follows_mappings},
		{"follows channels", follows_channels},
		{"closes their pages alone", closes_their_pages_alone},
		{"waits for system calls", waits_for_system_calls},
		{"takes what is known", takes_what_is_known},
		{"notices what it has missed", notices_what_it_has_missed},
		{"knows what the model knows", knows_what_the_model_knows},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("ring-stores", tests);
}
