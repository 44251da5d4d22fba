/* SPDX-License-Identifier: MIT */
/* Compares bit fields with a slow oracle that moves one bit at a time. */
#include <stdlib.h>
#include <string.h>

#include "decode/bits.h"
#include "tests/suite.h"

enum { WORDS = 8, ROUNDS = 20000 };

static uint32_t random_word(void)
{
	return (uint32_t)rand() << 17 ^ (uint32_t)rand() << 8 ^ (uint32_t)rand();
}

static unsigned bit_of(const uint32_t *words, unsigned bit)
{
	return words[bit / 32] >> bit % 32 & 1;
}

static uint32_t slow_get(const uint32_t *words, unsigned hi, unsigned lo)
{
	uint32_t value = 0;

	for (unsigned bit = lo; bit <= hi; bit++) {
		value |= (uint32_t)bit_of(words, bit) << (bit - lo);
	}
	return value;
}

static void slow_set(uint32_t *words, unsigned hi, unsigned lo, uint32_t value)
{
	for (unsigned bit = lo; bit <= hi; bit++) {
		words[bit / 32] &= ~(1u << bit % 32);
		words[bit / 32] |= (value >> (bit - lo) & 1) << bit % 32;
	}
}

/* Draws a field of 1 to 32 bits, which often touches or crosses the border of a dword. */
static void random_field(unsigned *hi, unsigned *lo)
{
	unsigned width = 1 + (unsigned)rand() % 32;

	*lo = (unsigned)rand() % (WORDS * 32 - width + 1);
	if (rand() % 4 == 0) {
		*lo -= *lo % 32;
	}
	*hi = *lo + width - 1;
}

static void gets_and_sets_anywhere(void)
{
	unsigned wrong = 0;

	srand(1);
	for (unsigned i = 0; i < ROUNDS; i++) {
		uint32_t words[WORDS], expected[WORDS], value = random_word();
		unsigned hi, lo;

		for (unsigned w = 0; w < WORDS; w++) {
			words[w] = expected[w] = random_word();
		}
		random_field(&hi, &lo);
		wrong += kt_bits_get(words, hi, lo) != slow_get(words, hi, lo);
		kt_bits_set(words, hi, lo, value);
		slow_set(expected, hi, lo, value);
		wrong += memcmp(words, expected, sizeof(words)) != 0;
	}
	CU_ASSERT_EQUAL(wrong, 0);
}

static void fields_within_one_word(void)
{
	unsigned wrong = 0;

	for (unsigned lo = 0; lo < 32; lo++) {
		for (unsigned hi = lo; hi < 32; hi++) {
			uint32_t value = random_word(), word = 0;

			slow_set(&word, hi, lo, value);
			wrong += kt_bits(hi, lo, value) != word;
			wrong += kt_bits_in(hi, lo, value) != slow_get(&value, hi, lo);
		}
	}
	CU_ASSERT_EQUAL(wrong, 0);
}

#define WHOLE   31, 0
#define CROSS   39, 24 /* 8 bits in each of two dwords */
#define PART(i) 35 + (i)*33, 4 + (i)*33

static void takes_a_field_by_its_macro(void)
{
	uint32_t words[4] = {0};

	CU_ASSERT_EQUAL(kt_bits(WHOLE, 0xdeadbeef), 0xdeadbeef);
	CU_ASSERT_EQUAL(kt_bits_in(WHOLE, 0xdeadbeef), 0xdeadbeef);
	kt_bits_set(words, CROSS, 0x1a2b3);
	CU_ASSERT_EQUAL(words[0], 0xb3000000);
	CU_ASSERT_EQUAL(words[1], 0xa2);
	CU_ASSERT_EQUAL(kt_bits_get(words, CROSS), 0xa2b3);
	memset(words, 0, sizeof(words));
	kt_bits_set(words, PART(1), UINT32_MAX);
	CU_ASSERT_EQUAL(words[0], 0);
	CU_ASSERT_EQUAL(words[1], 0xffffffe0);
	CU_ASSERT_EQUAL(words[2], 0x1f);
	CU_ASSERT_EQUAL(words[3], 0);
	CU_ASSERT_EQUAL(kt_bits_get(words, PART(1)), UINT32_MAX);
}

/* Access to a field that ends with the last dword must not touch memory after it. */
static void stays_within_the_array(void)
{
	uint32_t *words = calloc(2, sizeof(*words));

	CU_ASSERT_PTR_NOT_NULL_FATAL(words);
	kt_bits_set(words, 63, 32, 0x80000001);
	kt_bits_set(words, 63, 63, 1);
	CU_ASSERT_EQUAL(kt_bits_get(words, 63, 32), 0x80000001);
	CU_ASSERT_EQUAL(words[0], 0);
	free(words);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"gets and sets anywhere", gets_and_sets_anywhere},
		{"places within one word", fields_within_one_word},
		{"takes a field by its macro", takes_a_field_by_its_macro},
		{"stays within the array", stays_within_the_array},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("bits", tests);
}
