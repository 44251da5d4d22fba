/* SPDX-License-Identifier: MIT */
/* Compares ranges by address with a list of all ranges that is searched from its end. */
#include <stdbool.h>

#include <ktail/status.h>

#include "infer/words/memory/addresses.h"
#include "tests/suite.h"

#define MOST 4000

/* The oracle. */
static struct {
	uint64_t instance;
	uint64_t from;
	uint64_t length;
	size_t value;
	bool removed;
} list[MOST];
static size_t n_list;

static void add(struct kt_addresses *a, uint64_t instance, uint64_t from, uint64_t length,
		size_t value)
{
	CU_ASSERT_EQUAL_FATAL(kt_addresses_add(a, instance, from, length, value), KT_OK);
	list[n_list].instance = instance;
	list[n_list].from = from;
	list[n_list].length = length;
	list[n_list].value = value;
	list[n_list++].removed = false;
}

static void remove_at(struct kt_addresses *a, size_t i)
{
	kt_addresses_remove(a, list[i].instance, list[i].from, list[i].length,
			    list[i].value);
	list[i].removed = true;
}

static size_t expect(uint64_t instance, uint64_t address)
{
	for (size_t i = n_list; i > 0; i--) {
		if (!list[i - 1].removed && list[i - 1].instance == instance &&
		    address >= list[i - 1].from &&
		    address - list[i - 1].from < list[i - 1].length) {
			return list[i - 1].value;
		}
	}
	return KT_NOWHERE;
}

static void check_address(const struct kt_addresses *a, uint64_t instance, uint64_t address)
{
	CU_ASSERT_EQUAL(kt_addresses_find(a, instance, address), expect(instance, address));
}

static uint64_t seed;

static uint64_t draw(uint64_t n)
{
	seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (seed >> 33) % n;
}

static uint64_t draw_length(void)
{
	return draw(8) == 0 ? draw(3) << draw(50) : (1 + draw(4)) << (10 + draw(8));
}

static void is_as_a_list(void)
{
	for (seed = 1; seed < 40; seed++) {
		struct kt_addresses a = {.n = 0};
		const uint64_t kept = seed;

		n_list = 0;
		for (int i = 0; i < 800; i++) {
			const uint64_t at = draw(64) << 12;

			if (draw(3) && n_list < MOST) {
				add(&a, draw(2), at + draw(2) * 100, draw_length(), n_list);
			} else if (n_list) {
				remove_at(&a, draw(n_list));
			}
			for (uint64_t instance = 0; instance < 2; instance++) {
				check_address(&a, instance, at);
				check_address(&a, instance, draw(1u << 19));
				check_address(&a, instance, draw(1u << 30) << 20);
			}
		}
		kt_addresses_free(&a);
		seed = kept;
	}
}

static void knows_the_ends_of_memory(void)
{
	struct kt_addresses a = {.n = 0};

	n_list = 0;
	add(&a, 0, UINT64_MAX, 1, 1);
	add(&a, 1, UINT64_MAX - 10, 11, 2);
	add(&a, 2, 0, UINT64_MAX, 3);
	add(&a, 2, 7, 0, 4);
	for (uint64_t instance = 0; instance < 3; instance++) {
		check_address(&a, instance, UINT64_MAX);
		check_address(&a, instance, UINT64_MAX - 1);
		check_address(&a, instance, UINT64_MAX - 11);
		check_address(&a, instance, 7);
		check_address(&a, instance, 0);
	}
	/* A range that would extend past the last address ends there. */
	CU_ASSERT_EQUAL(kt_addresses_add(&a, 3, UINT64_MAX - 1, UINT64_MAX, 5), KT_OK);
	CU_ASSERT_EQUAL(kt_addresses_find(&a, 3, UINT64_MAX), 5);
	CU_ASSERT_EQUAL(kt_addresses_find(&a, 3, 0), KT_NOWHERE);
	kt_addresses_free(&a);
}

/* Mapping and unmapping ranges repeatedly does not take more memory each time. */
static void uses_space_again(void)
{
	struct kt_addresses a = {.n = 0};

	for (size_t i = 0; i < 100000; i++) {
		kt_addresses_add(&a, 0, (i % 16) << 21, 1u << 21, i);
		kt_addresses_remove(&a, 0, (i % 16) << 21, 1u << 21, i);
	}
	CU_ASSERT(a.n < 64);
	kt_addresses_free(&a);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"is as a list", is_as_a_list},
		{"knows the ends of memory", knows_the_ends_of_memory},
		{"uses room again", uses_space_again},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("addresses", tests);
}
