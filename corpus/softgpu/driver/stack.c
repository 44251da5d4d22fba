/* SPDX-License-Identifier: MIT */
#include "base/try.h"
#include "corpus/softgpu/driver/driver.h"
#include "decode/method-names.h"

/*
 * The largest number of TPCs, pairs of multiprocessors, of a GH100, and of the threads that
 * one runs at a time. The device takes an equal part of the memory for each TPC.
 */
#define TPCS            72u
#define THREADS_PER_TPC (2u * 2048u)
#define PART_UNIT       UINT64_C(0x8000)

static void push_local(struct kt_push *push, uint64_t address, uint64_t part)
{
	kt_push_methods(push, KT_SUBCHANNEL_COMPUTE, KT_CBC0_SET_SHADER_LOCAL_MEMORY_A, 2);
	kt_push_word(push, (uint32_t)(address >> 32));
	kt_push_word(push, (uint32_t)address);
	kt_push_methods(push, KT_SUBCHANNEL_COMPUTE,
			KT_CBC0_SET_SHADER_LOCAL_MEMORY_NON_THROTTLED_A, 3);
	kt_push_word(push, (uint32_t)(part >> 32));
	kt_push_word(push, (uint32_t)part);
	kt_push_word(push, TPCS);
}

/* Submits the memory to all channels, and waits until all have taken it. */
static int announce(struct kt_context *context, uint64_t address, uint64_t part)
{
	KT_SUBMITTING(SETUP);
	struct kt_push push = {0};
	int code = KT_CU_OK;

	push_local(&push, address, part);
	for (uint32_t i = 0; i < KT_CHANNELS && !code; i++) {
		code = kt_submit(&context->channels[i], &push, NULL);
	}
	kt_push_free(&push);
	return code ? code : kt_wait_all(context);
}

/* Implements provide_stack of driver.points. */
int kt_stack_provide(struct kt_context *context, uint32_t stack)
{
	const uint32_t bytes = kt_stack_bytes(stack);
	const uint64_t part =
		((uint64_t)bytes * THREADS_PER_TPC + PART_UNIT - 1) & ~(PART_UNIT - 1);
	struct kt_memory memory;
	int code = KT_CU_OK;

	pthread_mutex_lock(&context->local_lock);
	if (stack == 0 || bytes <= context->local_bytes) {
		goto end;
	}
	KT_TRY_END(kt_memory_create(&memory, KT_MEMORY_DEVICE, part * TPCS));
	code = kt_wait_all(context);
	if (!code) {
		code = announce(context, memory.address, part);
	}
	if (code) {
		kt_memory_destroy(&memory);
		goto end;
	}
	kt_memory_destroy(&context->local);
	context->local = memory;
	context->local_bytes = bytes;
end:
	pthread_mutex_unlock(&context->local_lock);
	return code;
}
