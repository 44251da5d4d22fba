/* SPDX-License-Identifier: MIT */
/* Commands that tests of the driver's lower half submit. */
#ifndef KTAIL_TESTS_SOFTGPU_DRIVER_COMMANDS_H
#define KTAIL_TESTS_SOFTGPU_DRIVER_COMMANDS_H

#include "corpus/softgpu/driver/driver.h"
#include "decode/bits.h"
#include "decode/method-names.h"

/* `n` words inside the command stream to memory of the device. */
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

/* A copy by the copy engine. */
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
