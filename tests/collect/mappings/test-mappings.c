/* SPDX-License-Identifier: MIT */
/* The table of mappings, compared with an oracle that stores one owner for each page. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "collect/preload/mappings/mappings.h"
#include "tests/suite.h"

#define PAGE  4096u
#define PAGES 64
#define BASE  0x10000000u

static uint32_t owners[PAGES]; /* ordinal of the mapping that contains the page; 0: none */

static void check_all(void)
{
	for (unsigned page = 0; page < PAGES; page++) {
		const struct kt_mapping *m = kt_mapping_find(BASE + page * PAGE + 5);

		CU_ASSERT_EQUAL(m ? m->ordinal : 0, owners[page]);
		if (m) {
			/* The page must still have its original offset in the object. */
			CU_ASSERT_EQUAL(m->memory.offset + (BASE + page * PAGE - m->start),
					(uint64_t)page * PAGE);
		}
	}
}

static void add(unsigned from, unsigned n)
{
	struct kt_mapping mapping = {
		.start = BASE + from * PAGE,
		.length = n * PAGE,
		.memory = {.client = 1, .object = 2, .offset = (uint64_t)from * PAGE},
		.static_space = "sys",
	};
	const struct kt_mapping *added = kt_mapping_add(&mapping);

	CU_ASSERT_PTR_NOT_NULL_FATAL(added);
	for (unsigned page = from; page < from + n; page++) {
		owners[page] = added->ordinal;
	}
}

static void cut(unsigned from, unsigned n)
{
	kt_mapping_cut(BASE + from * PAGE, n * PAGE);
	memset(&owners[from], 0, n * sizeof(owners[0]));
}

/*
 * A handle is reused while a mapping of its former object still exists, below or above the
 * new mapping.
 */
static void finds_the_object_mapped_last(void)
{
	struct kt_mapping mapping = {.length = PAGE,
				     .memory = {.client = 7, .object = 8},
				     .static_space = "sys"};

	for (unsigned i = 0; i < 3; i++) {
		mapping.start = BASE + (PAGES + (i * 2 + 1) % 3) * PAGE;
		CU_ASSERT_PTR_NOT_NULL_FATAL(kt_mapping_add(&mapping));
		CU_ASSERT_EQUAL(kt_mapping_of_object(7, 8, 5)->start, mapping.start);
	}
	kt_mapping_cut(BASE + PAGES * PAGE, 3 * PAGE);
}

/* Splits a mapping, which must change nothing but the number of pieces. */
static void split(unsigned at)
{
	CU_ASSERT_TRUE(kt_mapping_split(BASE + at * PAGE));
}

static void follows_random_changes(void)
{
	srand(20260421);
	for (int round = 0; round < 20000; round++) {
		unsigned from = (unsigned)rand() % PAGES;
		unsigned n = 1 + (unsigned)rand() % (PAGES - from);

		cut(from, n);
		if (rand() % 3) {
			add(from, n);
		}
		split((unsigned)rand() % PAGES);
		if (round % 16 == 0) {
			check_all();
		}
	}
	cut(0, PAGES);
	check_all();
}

static void walks_what_is_touched(void)
{
	uintptr_t from = BASE;
	unsigned seen = 0;
	struct kt_mapping *m;

	add(1, 2);
	add(4, 1);
	add(5, 3);
	while ((m = kt_mapping_touching(BASE + 2 * PAGE, 4 * PAGE, from)) != NULL) {
		seen++;
		from = m->start + m->length;
	}
	CU_ASSERT_EQUAL(seen, 3);
	CU_ASSERT_PTR_NULL(kt_mapping_touching(BASE + 3 * PAGE, PAGE, BASE));
	CU_ASSERT_PTR_NOT_NULL(kt_mapping_of_object(1, 2, 4 * PAGE + 1));
	CU_ASSERT_PTR_NULL(kt_mapping_of_object(1, 2, 3 * PAGE));
	CU_ASSERT_PTR_NULL(kt_mapping_of_object(1, 3, 4 * PAGE));
	CU_ASSERT_TRUE(kt_mapping_may_touch(BASE, PAGES * PAGE));
	CU_ASSERT_FALSE(kt_mapping_may_touch(BASE + PAGES * PAGE, PAGE));
	cut(0, PAGES);
}

/* Maps a file twice: as the program's mapping and as the recorder's alias. */
static struct kt_mapping of_file(int fd, size_t length)
{
	void *address = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	return (struct kt_mapping){
		.start = (uintptr_t)address,
		.base = (uintptr_t)address,
		.length = length,
		.static_space = "sys",
		.alias = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0),
	};
}

static void check_alias(const void *address, size_t length)
{
	const struct kt_mapping *m = kt_mapping_find((uintptr_t)address);

	CU_ASSERT_PTR_NOT_NULL_FATAL(m);
	CU_ASSERT_EQUAL(m->length, length);
	CU_ASSERT_PTR_NOT_NULL_FATAL(m->alias);
	CU_ASSERT_EQUAL(memcmp(m->alias, address, length), 0);
}

static void takes_the_alias_along(void)
{
	int fd = memfd_create("aliases", 0);
	struct kt_mapping mapping;
	char *grown;
	char *doubled;

	CU_ASSERT_EQUAL_FATAL(ftruncate(fd, 4 * PAGE), 0);
	mapping = of_file(fd, 2 * PAGE);
	kt_mapping_add(&mapping);
	grown = mremap((void *)mapping.start, 2 * PAGE, 4 * PAGE, MREMAP_MAYMOVE);
	kt_mapping_move(mapping.start, 2 * PAGE, (uintptr_t)grown, 4 * PAGE, false);
	memset(grown + PAGE, 'g', 3 * PAGE);
	check_alias(grown, 4 * PAGE);
	doubled = mremap(grown, 0, 3 * PAGE, MREMAP_MAYMOVE);
	kt_mapping_move((uintptr_t)grown, 0, (uintptr_t)doubled, 3 * PAGE, true);
	memset(doubled, 'd', PAGE);
	check_alias(doubled, 3 * PAGE);
	check_alias(grown, 4 * PAGE);
	CU_ASSERT_PTR_EQUAL(mremap(grown, 4 * PAGE, PAGE, 0), grown);
	kt_mapping_move((uintptr_t)grown, 4 * PAGE, (uintptr_t)grown, PAGE, false);
	check_alias(grown, PAGE);
	kt_mapping_cut((uintptr_t)grown, PAGE);
	kt_mapping_cut((uintptr_t)doubled, 3 * PAGE);
	munmap(grown, PAGE);
	munmap(doubled, 3 * PAGE);
	close(fd);
}

/*
 * mremap() moves pages 8 to 15 to page 32 and, in the same call, shortens them to six
 * pages.
 */
static void follows_a_move(void)
{
	const struct kt_mapping *m;

	add(8, 2);
	add(12, 6);
	kt_mapping_move(BASE + 8 * PAGE, 8 * PAGE, BASE + 32 * PAGE, 6 * PAGE, false);
	for (unsigned page = 8; page < 16; page++) {
		CU_ASSERT_PTR_NULL(kt_mapping_find(BASE + page * PAGE));
	}
	m = kt_mapping_find(BASE + 32 * PAGE);
	CU_ASSERT_PTR_NOT_NULL_FATAL(m);
	CU_ASSERT_EQUAL(m->length, 2 * PAGE);
	CU_ASSERT_EQUAL(m->base, BASE + 32 * PAGE);
	CU_ASSERT_EQUAL(m->memory.offset, 8 * PAGE);
	CU_ASSERT_PTR_NULL(kt_mapping_find(BASE + 34 * PAGE));
	m = kt_mapping_find(BASE + 36 * PAGE);
	CU_ASSERT_PTR_NOT_NULL_FATAL(m);
	CU_ASSERT_EQUAL(m->length, 2 * PAGE); /* the call unmapped two of its pages */
	CU_ASSERT_EQUAL(m->memory.offset, 12 * PAGE);
	m = kt_mapping_find(BASE + 16 * PAGE);
	CU_ASSERT_PTR_NOT_NULL_FATAL(m);
	CU_ASSERT_EQUAL(m->length, 2 * PAGE); /* the rest has not moved */
	/*
	 * mremap() with an old size of 0 maps the same pages again, and the first mapping
	 * remains.
	 */
	kt_mapping_move(BASE + 32 * PAGE, 0, BASE + 48 * PAGE, 2 * PAGE, true);
	CU_ASSERT_PTR_NOT_NULL(kt_mapping_find(BASE + 32 * PAGE));
	CU_ASSERT_PTR_NOT_NULL(kt_mapping_find(BASE + 48 * PAGE));
	CU_ASSERT_PTR_NULL(kt_mapping_find(BASE + 52 * PAGE));
	cut(0, PAGES);
	check_all();
}

static void moves_the_doorbell_with_its_page(void)
{
	struct kt_mapping mapping = {
		.start = BASE, .length = 4 * PAGE, .static_space = "reg", .doorbell = 0x90};

	kt_mapping_add(&mapping);
	kt_mapping_cut(BASE + PAGE, PAGE);
	CU_ASSERT_EQUAL(kt_mapping_find(BASE)->doorbell, 0x90);
	CU_ASSERT_EQUAL(kt_mapping_find(BASE + 2 * PAGE)->doorbell, 0);
	kt_mapping_cut(BASE, PAGE);
	CU_ASSERT_PTR_NULL(kt_mapping_find(BASE));
	kt_mapping_cut(BASE, 4 * PAGE);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"follows random changes", follows_random_changes},
		{"finds the object mapped last", finds_the_object_mapped_last},
		{"walks what is touched", walks_what_is_touched},
		{"follows a move", follows_a_move},
		{"moves the doorbell with its page", moves_the_doorbell_with_its_page},
		{"takes the alias along", takes_the_alias_along},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("mappings", tests);
}
