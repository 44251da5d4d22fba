/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "corpus/softgpu/driver/driver.h"
#include "decode/bits.h"
#include "decode/method-names.h"
#include "decode/method-stream.h"

void kt_push_free(struct kt_push *push)
{
	free(push->words);
	memset(push, 0, sizeof(*push));
}

void kt_push_words(struct kt_push *push, const void *data, size_t n)
{
	size_t capacity = push->capacity ? push->capacity : 64;

	if (n == 0) {
		return;
	}
	if (push->failed || n > SIZE_MAX / 8 - push->n) {
		push->failed = true;
		return;
	}
	if (push->n + n > push->capacity) {
		uint32_t *words;

		while (capacity < push->n + n) {
			capacity *= 2;
		}
		words = realloc(push->words, capacity * sizeof(*words));
		if (!words) {
			push->failed = true;
			return;
		}
		push->words = words;
		push->capacity = capacity;
	}
	memcpy(push->words + push->n, data, n * sizeof(*push->words));
	push->n += n;
}

void kt_push_word(struct kt_push *push, uint32_t word)
{
	kt_push_words(push, &word, 1);
}

static void push_header(struct kt_push *push, enum kt_method_op op, unsigned subchannel,
			unsigned offset, unsigned count)
{
	struct kt_method_header header = {
		.op = op,
		.count = (uint16_t)count,
		.subchannel = (uint8_t)subchannel,
		.offset = (uint16_t)offset,
	};

	if (count > KT_METHOD_MAX_COUNT) {
		push->failed = true;
	}
	kt_push_word(push, kt_method_header_encode(&header));
}

void kt_push_methods(struct kt_push *push, unsigned subchannel, unsigned offset, unsigned n)
{
	push_header(push, KT_METHOD_INCREASING, subchannel, offset, n);
}

void kt_push_data(struct kt_push *push, unsigned subchannel, unsigned offset, unsigned n)
{
	push_header(push, KT_METHOD_NON_INCREASING, subchannel, offset, n);
}

void kt_push_method(struct kt_push *push, unsigned subchannel, unsigned offset,
		    uint32_t value)
{
	if (value <= KT_METHOD_MAX_COUNT) {
		push_header(push, KT_METHOD_IMMEDIATE, subchannel, offset, value);
	} else {
		kt_push_methods(push, subchannel, offset, 1);
		kt_push_word(push, value);
	}
}

/* --- host semaphores --- */

static void encode_semaphore(uint32_t words[static KT_RELEASE_WORDS], uint64_t address,
			     uint64_t value, uint32_t execute)
{
	struct kt_method_header header = {
		.op = KT_METHOD_INCREASING,
		.count = KT_RELEASE_WORDS - 1,
		.subchannel = KT_SUBCHANNEL_HOST,
		.offset = KT_C86F_SEM_ADDR_LO,
	};

	words[0] = kt_method_header_encode(&header);
	words[1] = (uint32_t)address;
	words[2] = (uint32_t)(address >> 32);
	words[3] = (uint32_t)value;
	words[4] = 0;
	words[5] = execute;
}

void kt_push_acquire(struct kt_push *push, uint64_t address, uint64_t value)
{
	uint32_t words[KT_RELEASE_WORDS];

	encode_semaphore(words, address, value,
			 kt_bits(KT_C86F_SEM_EXECUTE__OPERATION,
				 KT_C86F_SEM_EXECUTE__OPERATION__ACQ_CIRC_GEQ) |
				 kt_bits(KT_C86F_SEM_EXECUTE__ACQUIRE_SWITCH_TSG,
					 KT_C86F_SEM_EXECUTE__ACQUIRE_SWITCH_TSG__EN));
	kt_push_words(push, words, KT_RELEASE_WORDS);
}

void kt_release_encode(uint32_t words[static KT_RELEASE_WORDS], uint64_t address,
		       uint64_t value)
{
	encode_semaphore(words, address, value,
			 kt_bits(KT_C86F_SEM_EXECUTE__OPERATION,
				 KT_C86F_SEM_EXECUTE__OPERATION__RELEASE) |
				 kt_bits(KT_C86F_SEM_EXECUTE__RELEASE_WFI, 1) |
				 kt_bits(KT_C86F_SEM_EXECUTE__RELEASE_TIMESTAMP,
					 KT_C86F_SEM_EXECUTE__RELEASE_TIMESTAMP__EN));
}

void kt_push_release(struct kt_push *push, uint64_t address, uint64_t value)
{
	uint32_t words[KT_RELEASE_WORDS];

	kt_release_encode(words, address, value);
	kt_push_words(push, words, KT_RELEASE_WORDS);
}
