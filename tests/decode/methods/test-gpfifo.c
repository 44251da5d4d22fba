/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "decode/gpfifo.h"
#include "tests/suite.h"

static uint32_t random_word(void)
{
	return (uint32_t)rand() << 17 ^ (uint32_t)rand() << 8 ^ (uint32_t)rand();
}

static bool same(const struct kt_gpfifo_entry *a, const struct kt_gpfifo_entry *b)
{
	return a->address == b->address && a->words == b->words &&
	       a->subroutine == b->subroutine && a->wait == b->wait &&
	       a->conditional == b->conditional && a->opcode == b->opcode &&
	       a->operand == b->operand;
}

/*
 * The expected dwords are computed by hand: dword 0 is the low half of the address; dword 1
 * is the high part of the address, 0x02, with the length 15 << 10 = 0x3c00.
 */
static void knows_a_segment(void)
{
	const struct kt_gpfifo_entry entry = {.address = 0x200800000, .words = 15};
	struct kt_gpfifo_entry read;
	uint32_t words[2];

	kt_gpfifo_encode(words, &entry);
	CU_ASSERT_EQUAL(words[0], 0x00800000);
	CU_ASSERT_EQUAL(words[1], 0x00003c02);
	kt_gpfifo_decode(&read, words);
	CU_ASSERT_TRUE(same(&read, &entry));
}

/* Encodes each field alone: its bits are at the right position, and no others are set. */
static void knows_each_field(void)
{
	static const struct {
		struct kt_gpfifo_entry entry;
		uint32_t words[2];
	} cases[] = {
		{{.address = 0, .words = 1}, {0, 0x400}},
		{{.address = 4, .words = 1}, {4, 0x400}},
		{{.address = 0xfffffffffc, .words = 1}, {0xfffffffc, 0x4ff}},
		{{.words = KT_GPFIFO_MAX_WORDS}, {0, 0x7ffffc00}},
		{{.words = 1, .conditional = true}, {1, 0x400}},
		{{.words = 1, .subroutine = true}, {0, 0x600}},
		{{.words = 1, .wait = true}, {0, 0x80000400}},
		{{.opcode = KT_GPFIFO_NOP}, {0, 0}},
		{{.opcode = KT_GPFIFO_ILLEGAL, .operand = 0xffffffff}, {0xffffffff, 1}},
		{{.opcode = KT_GPFIFO_GP_CRC, .operand = 0x12345678}, {0x12345678, 2}},
		{{.opcode = KT_GPFIFO_PB_CRC, .wait = true}, {0, 0x80000003}},
		{{.opcode = KT_GPFIFO_SET_EXTENDED_BASE, .operand = 0x1ffff},
		 {0x01ffff00, 4}},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct kt_gpfifo_entry read;
		uint32_t words[2];

		kt_gpfifo_encode(words, &cases[i].entry);
		CU_ASSERT_EQUAL(words[0], cases[i].words[0]);
		CU_ASSERT_EQUAL(words[1], cases[i].words[1]);
		kt_gpfifo_decode(&read, cases[i].words);
		CU_ASSERT_TRUE(same(&read, &cases[i].entry));
	}
}

static void random_entry(struct kt_gpfifo_entry *entry)
{
	memset(entry, 0, sizeof(*entry));
	entry->subroutine = rand() & 1;
	entry->wait = rand() & 1;
	if (rand() % 3 == 0) {
		entry->opcode = (uint8_t)(rand() & 0xff);
		entry->operand = random_word();
		if (entry->opcode == KT_GPFIFO_SET_EXTENDED_BASE) {
			entry->operand &= 0x1ffff;
		}
		return;
	}
	entry->words = 1 + random_word() % KT_GPFIFO_MAX_WORDS;
	entry->conditional = rand() & 1;
	entry->address =
		((uint64_t)random_word() << 8 ^ random_word()) & UINT64_C(0xfffffffffc);
}

static void goes_there_and_back(void)
{
	unsigned wrong = 0;

	srand(2);
	for (unsigned i = 0; i < 100000; i++) {
		struct kt_gpfifo_entry entry, read;
		uint32_t words[2];

		random_entry(&entry);
		kt_gpfifo_encode(words, &entry);
		kt_gpfifo_decode(&read, words);
		wrong += !same(&read, &entry);
	}
	CU_ASSERT_EQUAL(wrong, 0);
}

/* The decoded part of any two dwords survives a round trip. */
static void keeps_what_it_understood(void)
{
	unsigned wrong = 0;

	srand(3);
	for (unsigned i = 0; i < 100000; i++) {
		struct kt_gpfifo_entry first, second;
		uint32_t words[2] = {random_word(), random_word()};

		if (rand() % 2) {
			words[1] &= 0x800003ff;
		}
		kt_gpfifo_decode(&first, words);
		kt_gpfifo_encode(words, &first);
		kt_gpfifo_decode(&second, words);
		wrong += !same(&first, &second);
	}
	CU_ASSERT_EQUAL(wrong, 0);
}

static void truncates_what_does_not_fit(void)
{
	const struct kt_gpfifo_entry entry = {.address = 0x12345678903, .words = 0x200001};
	const struct kt_gpfifo_entry base = {.opcode = KT_GPFIFO_SET_EXTENDED_BASE,
					     .operand = 0xfff00001};
	struct kt_gpfifo_entry read;
	uint32_t words[2];

	kt_gpfifo_encode(words, &entry);
	kt_gpfifo_decode(&read, words);
	CU_ASSERT_EQUAL(read.address, 0x2345678900);
	CU_ASSERT_EQUAL(read.words, 1);
	CU_ASSERT_FALSE(read.conditional);
	CU_ASSERT_FALSE(read.wait);
	kt_gpfifo_encode(words, &base);
	CU_ASSERT_EQUAL(words[0], 0x100);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"knows a segment", knows_a_segment},
		{"knows each field", knows_each_field},
		{"goes there and back", goes_there_and_back},
		{"keeps what it understood", keeps_what_it_understood},
		{"cuts what has no place", truncates_what_does_not_fit},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("gpfifo", tests);
}
