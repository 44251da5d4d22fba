/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include <ktail/status.h>

#include "base/hash-index.h"
#include "tests/suite.h"

#define KEYS 3000

/* The oracle: an array that is searched from its beginning. */
static uint64_t keys[KEYS];
static size_t n_keys;

static bool find_slowly(uint64_t key, uint32_t *number)
{
	for (size_t i = 0; i < n_keys; i++) {
		if (keys[i] == key) {
			*number = (uint32_t)i;
			return true;
		}
	}
	return false;
}

static bool find(const struct kt_hash_index *index, uint32_t hash, uint64_t key,
		 uint32_t *number)
{
	struct kt_hash_probe probe = kt_hash_probe(index, hash);

	while (kt_hash_next(index, &probe, number)) {
		if (keys[*number] == key) {
			return true;
		}
	}
	return false;
}

/*
 * Adds random keys below `range` and compares the index with the oracle. With few different
 * hashes, probes are long.
 */
static void compare(uint64_t range, uint32_t n_hashes)
{
	struct kt_hash_index index = {0};
	uint64_t random = 88172645463325252u;

	n_keys = 0;
	for (int i = 0; i < KEYS; i++) {
		uint32_t expected = 0;
		uint32_t number = 0;
		uint32_t hash;
		bool known;

		random ^= random << 13;
		random ^= random >> 7;
		random ^= random << 17;
		hash = kt_hash_number(random % range) % n_hashes;
		known = find_slowly(random % range, &expected);
		CU_ASSERT_EQUAL_FATAL(find(&index, hash, random % range, &number), known);
		if (known) {
			CU_ASSERT_EQUAL_FATAL(number, expected);
			continue;
		}
		CU_ASSERT_EQUAL_FATAL(kt_hash_add(&index, hash, n_keys), KT_OK);
		keys[n_keys++] = random % range;
		CU_ASSERT_EQUAL_FATAL(index.n, n_keys);
		CU_ASSERT_FATAL(2 * index.n <= index.n_slots);
	}
	kt_hash_clear(&index);
	CU_ASSERT_EQUAL(index.n, 0);
	CU_ASSERT_FALSE(
		find(&index, kt_hash_number(keys[0]) % n_hashes, keys[0], &(uint32_t){0}));
	kt_hash_free(&index);
	CU_ASSERT_EQUAL(index.n_slots, 0);
}

static void finds_what_was_added(void)
{
	compare(1000, UINT32_MAX);
	compare(UINT64_MAX, UINT32_MAX);
}

static void finds_among_equal_hashes(void)
{
	compare(500, 1);
	compare(UINT64_MAX, 7);
}

static void an_empty_index_holds_nothing(void)
{
	struct kt_hash_index index = {0};

	CU_ASSERT_FALSE(find(&index, 5, 5, &(uint32_t){0}));
	kt_hash_clear(&index);
	kt_hash_free(&index);
}

static void refuses_numbers_that_are_too_large(void)
{
	struct kt_hash_index index = {0};

	CU_ASSERT_EQUAL(kt_hash_add(&index, 1, UINT32_MAX), KT_E_MEMORY);
	CU_ASSERT_EQUAL(kt_hash_reserve(&index, UINT32_MAX), KT_E_MEMORY);
	CU_ASSERT_EQUAL(index.n_slots, 0);
	CU_ASSERT_EQUAL(kt_hash_add(&index, 1, UINT32_MAX - 1), KT_OK);
	kt_hash_free(&index);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"finds what was added", finds_what_was_added},
		{"finds among equal hashes", finds_among_equal_hashes},
		{"an empty index holds nothing", an_empty_index_holds_nothing},
		{"refuses numbers that are too large", refuses_numbers_that_are_too_large},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("hash index", tests);
}
