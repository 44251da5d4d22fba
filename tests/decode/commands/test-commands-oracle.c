/* SPDX-License-Identifier: MIT */
/*
 * Compares the decoder with the oracle on streams of all generations that are likely to
 * start commands. The fuzz target compares; its input is built here.
 */
#include <stdlib.h>
#include <string.h>

#include "decode/classes.h"
#include "decode/commands.h"
#include "decode/method-stream.h"
#include "tests/suite.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MOST 4096

struct input {
	uint32_t words[MOST * 32];
	size_t n;
};

static uint32_t below(uint32_t n)
{
	return (uint32_t)rand() % n;
}

static uint32_t random_word(void)
{
	return (uint32_t)rand() << 17 ^ (uint32_t)rand() << 8 ^ (uint32_t)rand();
}

static void word(struct input *input, uint32_t value)
{
	input->words[input->n++] = value;
}

static void header(struct input *input, enum kt_method_op op, uint32_t subchannel,
		   uint32_t offset, uint32_t count)
{
	struct kt_method_header h = {op, (uint16_t)count, (uint8_t)subchannel,
				     (uint16_t)offset};

	word(input, kt_method_header_encode(&h));
}

/* Returns mostly one of few values, so that launches hit written memory. */
static uint32_t likely_value(void)
{
	switch (below(8)) {
	case 0: return random_word();
	case 1: return 1u << below(32);
	case 2: return below(4) * 256;
	case 3: return below(3);
	case 4: return below(512);
	default: return below(16);
	}
}

static uint32_t random_class(uint32_t kind)
{
	for (;;) {
		const struct kt_method_class *class_ =
			kt_method_class_at(below((uint32_t)kt_method_classes()));

		if ((kt_method_class_number(class_) & 0xff) == kind) {
			return kt_method_class_number(class_);
		}
	}
}

static void bind(struct input *input, uint32_t subchannel)
{
	static const uint32_t kinds[] = {0xb5, 0xc0, 0xc0, 0x40, 0x6f};

	header(input, KT_METHOD_INCREASING, subchannel, 0, 1);
	word(input, below(16) ? random_class(kinds[below(5)]) : below(0x10000));
}

/*
 * Returns any offset, one of a host semaphore, one of `others`, or one from 0x100 to 0x41c,
 * where most methods that start commands are.
 */
static uint32_t likely_offset(void)
{
	static const uint16_t others[] = {0x1b00, 0x1b04, 0x1b08, 0x1b0c, 0x708,  0x120c,
					  0x1210, 0x1288, 0x1330, 0x1334, 0x1338, 0x1424,
					  0x1458, 0x1698, 0x1934, 0x49c,  0x41c};

	switch (below(8)) {
	case 0: return below(0x1000) * 4;
	case 1: return below(0x40) * 4;
	case 2: return others[below(sizeof(others) / sizeof(others[0]))];
	case 3: return 0x10 + below(4) * 4;
	case 4: return 0x5c + below(5) * 4;
	default: return 0x100 + below(0xc8) * 4;
	}
}

static void some_methods(struct input *input, uint32_t subchannel)
{
	static const enum kt_method_op ops[] = {
		KT_METHOD_INCREASING,     KT_METHOD_INCREASING,    KT_METHOD_NON_INCREASING,
		KT_METHOD_OLD_INCREASING, KT_METHOD_INCREASE_ONCE,
	};
	uint32_t n = below(6);

	header(input, ops[below(5)], subchannel, likely_offset(), n);
	for (uint32_t i = 0; i < n; i++) {
		word(input, likely_value());
	}
}

/* Writes inline data, mostly of one line, mostly to addresses below 0x400. */
static void inline_data(struct input *input, uint32_t subchannel)
{
	uint32_t lines = below(4) ? 1 : below(4);
	uint32_t length = below(3) ? 64 * below(9) : below(600);
	uint32_t n = (lines * length + 3) / 4;

	header(input, KT_METHOD_INCREASING, subchannel, 0x180, 5);
	word(input, length);
	word(input, lines);
	word(input, below(8) ? 0 : random_word());
	word(input, below(8) ? 256 * below(4) : below(1024));
	word(input, below(2) ? length : below(700));
	header(input, KT_METHOD_INCREASING, subchannel, 0x1dc, 3);
	word(input, random_word());
	word(input, random_word());
	word(input, random_word());
	header(input, KT_METHOD_IMMEDIATE, subchannel, 0x1b0,
	       below(8) ? 0x41 | below(4) << 4 : below(0x2000));
	while (n && below(64)) {
		uint32_t now = below(4) ? n : 1 + below(n);

		header(input, KT_METHOD_NON_INCREASING, subchannel, 0x1b4, now);
		for (uint32_t i = 0; i < now; i++) {
			word(input, random_word());
		}
		n -= now;
	}
}

static void copy(struct input *input, uint32_t subchannel)
{
	static const uint16_t first[] = {0x240, 0x400, 0x418, 0x708};
	static const uint16_t n[] = {4, 4, 2, 1};

	for (unsigned i = 0; i < 4; i++) {
		header(input, KT_METHOD_INCREASING, subchannel, first[i], n[i]);
		for (unsigned j = 0; j < n[i]; j++) {
			word(input, below(2) ? random_word() : likely_value());
		}
	}
	header(input, KT_METHOD_INCREASING, subchannel, 0x300, 1);
	word(input, random_word());
}

static void launch(struct input *input, uint32_t subchannel)
{
	uint32_t n = below(2) ? 64 : 96;

	if (below(4)) {
		header(input, KT_METHOD_IMMEDIATE, subchannel, 0x2b4, below(4));
		header(input, KT_METHOD_IMMEDIATE, subchannel, 0x2b8 + below(3) * 4,
		       below(16));
		return;
	}
	header(input, KT_METHOD_INCREASING, subchannel, 0x318, 2 + n);
	word(input, below(2) << 30 | below(2));
	word(input, below(4));
	for (uint32_t i = 0; i < n; i++) {
		word(input, random_word());
	}
}

static void something(struct input *input)
{
	uint32_t subchannel = below(3);

	switch (below(16)) {
	case 0: bind(input, subchannel); break;
	case 1:
	case 2:
	case 3:
	case 4: inline_data(input, subchannel); break;
	case 5:
	case 6:
	case 7: launch(input, subchannel); break;
	case 8:
		if (!below(16)) {
			word(input, random_word());
		}
		break;
	case 9:
	case 10: copy(input, subchannel); break;
	default: some_methods(input, subchannel); break;
	}
}

static void fill(struct input *input)
{
	input->n = 0;
	word(input, random_class(0x6f));
	while (input->n < MOST) {
		size_t length = input->n;

		word(input, 0);
		do {
			something(input);
		} while (below(24));
		input->words[length] = (uint32_t)(input->n - length - 1);
	}
}

static void agrees_on_likely_streams(void)
{
	struct input *input = malloc(sizeof(*input));

	CU_ASSERT_PTR_NOT_NULL_FATAL(input);
	srand(7);
	for (unsigned i = 0; i < 400; i++) {
		fill(input);
		LLVMFuzzerTestOneInput((const uint8_t *)input->words, input->n * 4);
	}
	free(input);
}

/* Writes every method of a class several times, then sequences that start commands. */
static void sweep(struct input *input, uint32_t class_number)
{
	bool host = (class_number & 0xff) == 0x6f;
	size_t length;

	input->n = 0;
	word(input, host ? class_number : 0xc86f);
	length = input->n;
	word(input, 0);
	header(input, KT_METHOD_INCREASING, 1, 0, 1);
	word(input, class_number);
	for (unsigned pass = 0; pass < 12; pass++) {
		for (uint32_t offset = host ? 4 : 0x100; offset < (host ? 0x100 : 0x2000);
		     offset += 4) {
			header(input, KT_METHOD_INCREASING, 1, offset, 1);
			word(input, pass % 4 == 0 ? UINT32_MAX
				    : pass % 2    ? likely_value()
						  : random_word());
		}
	}
	for (unsigned i = 0; i < 24; i++) {
		inline_data(input, 1);
		copy(input, 1);
		launch(input, 1);
	}
	input->words[length] = (uint32_t)(input->n - length - 1);
}

static void agrees_on_all_methods(void)
{
	struct input *input = malloc(sizeof(*input));

	CU_ASSERT_PTR_NOT_NULL_FATAL(input);
	srand(9);
	for (size_t i = 0; i < kt_method_classes(); i++) {
		sweep(input, kt_method_class_number(kt_method_class_at(i)));
		LLVMFuzzerTestOneInput((const uint8_t *)input->words, input->n * 4);
	}
	free(input);
}

static void agrees_on_any_words(void)
{
	uint32_t words[1024];

	srand(8);
	for (unsigned i = 0; i < 200; i++) {
		for (size_t j = 0; j < 1024; j++) {
			/*
			 * Half of the headers have few dwords, so that not all dwords
			 * belong to one method.
			 */
			words[j] = random_word() & (rand() % 2 ? UINT32_MAX : 0xe007ffff);
		}
		words[0] = random_class(0x6f);
		words[1] = 1024;
		LLVMFuzzerTestOneInput((const uint8_t *)words, sizeof(words));
	}
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"streams that start something", agrees_on_likely_streams},
		{"all methods of all classes", agrees_on_all_methods},
		{"any words", agrees_on_any_words},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("commands against the oracle", tests);
}
