/* SPDX-License-Identifier: MIT */
/*
 * For tests of the driver's lower half: creates a context, and fills pushes with commands.
 */
#ifndef KTAIL_TESTS_SOFTGPU_DRIVER_COMMANDS_H
#define KTAIL_TESTS_SOFTGPU_DRIVER_COMMANDS_H

#include "corpus/softgpu/driver/driver.h"
#include "decode/bits.h"
#include "decode/method-names.h"
#include "tests/suite.h"

static inline struct kt_context *new_context(void)
{
	struct kt_context *context = NULL;

	CU_ASSERT_EQUAL_FATAL(kt_driver_open(), KT_CU_OK);
	CU_ASSERT_EQUAL_FATAL(kt_context_create(&context, false, false), KT_CU_OK);
	return context;
}

/* Submits and frees the push, then waits for its completion. Returns a CUDA result. */
static inline int run(struct kt_channel *channel, struct kt_push *push)
{
	int result = kt_submit(channel, push, NULL);

	kt_push_free(push);
	return result == KT_CU_OK ? kt_wait_channel(channel) : result;
}

/* Adds a transfer of `n` dwords of inline data to the GPU address `to`. */
static inline void push_inline(struct kt_push *push, uint64_t to, const uint32_t *words,
			       unsigned n)
{
	uint32_t launch = kt_bits(KT_CBC0_LAUNCH_DMA__DST_MEMORY_LAYOUT,
				  KT_CBC0_LAUNCH_DMA__DST_MEMORY_LAYOUT__PITCH);

	kt_push_methods(push, KT_SUBCHANNEL_COMPUTE, KT_CBC0_LINE_LENGTH_IN, 4);
	kt_push_word(push, n * 4);
	kt_push_word(push, 1);
	kt_push_word(push, (uint32_t)(to >> 32));
	kt_push_word(push, (uint32_t)to);
	kt_push_methods(push, KT_SUBCHANNEL_COMPUTE, KT_CBC0_LAUNCH_DMA, 1);
	kt_push_word(push, launch);
	kt_push_data(push, KT_SUBCHANNEL_COMPUTE, KT_CBC0_LOAD_INLINE_DATA, n);
	kt_push_words(push, words, n);
}

/* Adds a copy by the copy engine. */
static inline void push_copy(struct kt_push *push, uint64_t to, uint64_t from,
			     uint32_t bytes)
{
	uint32_t launch = kt_bits(KT_C8B5_LAUNCH_DMA__DATA_TRANSFER_TYPE,
				  KT_C8B5_LAUNCH_DMA__DATA_TRANSFER_TYPE__NON_PIPELINED) |
			  kt_bits(KT_C8B5_LAUNCH_DMA__SRC_MEMORY_LAYOUT,
				  KT_C8B5_LAUNCH_DMA__SRC_MEMORY_LAYOUT__PITCH) |
			  kt_bits(KT_C8B5_LAUNCH_DMA__DST_MEMORY_LAYOUT,
				  KT_C8B5_LAUNCH_DMA__DST_MEMORY_LAYOUT__PITCH);

	kt_push_methods(push, KT_SUBCHANNEL_COPY, KT_C8B5_OFFSET_IN_UPPER, 4);
	kt_push_word(push, (uint32_t)(from >> 32));
	kt_push_word(push, (uint32_t)from);
	kt_push_word(push, (uint32_t)(to >> 32));
	kt_push_word(push, (uint32_t)to);
	kt_push_methods(push, KT_SUBCHANNEL_COPY, KT_C8B5_LINE_LENGTH_IN, 1);
	kt_push_word(push, bytes);
	kt_push_method(push, KT_SUBCHANNEL_COPY, KT_C8B5_LAUNCH_DMA, launch);
}

#endif
