/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "tests/collect/submissions/ring-stores-rig.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "collect/preload/mappings/pages.h"
#include "tests/suite.h"

uint32_t *program;
uint32_t *memory;
int file = -1;
struct kt_ring_copy *copies[CHANNELS];
struct kt_channel_alloc allocs[CHANNELS];

uint32_t ring_word(uint32_t channel)
{
	return RING + channel * APART;
}

uint32_t put_word(uint32_t channel)
{
	return USERD + channel * USERDS + PUT;
}

void *map_pages(void *where)
{
	return mmap(where, PAGES * PAGE, PROT_READ | PROT_WRITE,
		    MAP_SHARED | (where ? MAP_FIXED : 0), file, 0);
}

struct kt_mapping *add_mapping(void *where, uint32_t object, enum kt_watch watch)
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

struct kt_mapping *set_up(enum kt_watch watch)
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

void tear_down(void)
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

void store(size_t at, size_t size, bool known, uint64_t value)
{
	uintptr_t address = (uintptr_t)program + at;
	unsigned char bytes[256];

	for (size_t i = 0; i < size; i++) {
		bytes[i] = (unsigned char)(size <= 8 ? value >> 8 * i : value + i);
	}
	memcpy((char *)memory + at, bytes, size);
	kt_ring_stored(kt_mapping_find(address), address, size, known, value);
}

void store_entry(uint32_t channel, uint32_t index, uint64_t value)
{
	store((ring_word(channel) + 2 * index) * 4ul, 8, true, value);
}

uint64_t entry(uint32_t channel, uint32_t index)
{
	uint32_t words[2];

	return kt_ring_entry(copies[channel], index, words)
		       ? (uint64_t)words[1] << 32 | words[0]
		       : UINT64_MAX;
}

uint32_t put(uint32_t channel)
{
	uint32_t value;

	return kt_ring_put(copies[channel], &value) ? value : UINT32_MAX;
}

void know_all(void)
{
	for (uint32_t i = 0; i < CHANNELS; i++) {
		for (uint32_t j = 0; j < ENTRIES; j++) {
			store_entry(i, j, 1000 * i + j);
		}
		store(put_word(i) * 4, 4, true, i);
	}
}

uint32_t count_known(void)
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
