/* SPDX-License-Identifier: MIT */
#include "corpus/softgpu/driver/work/copies.h"

#include <string.h>

#include "base/try.h"
#include "corpus/softgpu/driver/host.h"
#include "corpus/softgpu/driver/work/transfer.h"
#include "decode/bits.h"
#include "decode/method-names.h"

void kt_push_inline(struct kt_push *push, uint64_t to, const void *data, size_t bytes)
{
	size_t whole = bytes / 4;
	size_t rest = bytes % 4;
	/* NVIDIA's driver 580 gives the same values to both LAUNCH_DMA. */
	uint32_t launch = kt_bits(KT_CBC0_LAUNCH_DMA__DST_MEMORY_LAYOUT,
				  KT_CBC0_LAUNCH_DMA__DST_MEMORY_LAYOUT__PITCH) |
			  kt_bits(KT_CBC0_LAUNCH_DMA__SYSMEMBAR_DISABLE,
				  KT_CBC0_LAUNCH_DMA__SYSMEMBAR_DISABLE__TRUE);

	kt_push_methods(push, KT_SUBCHANNEL_COMPUTE, KT_CBC0_OFFSET_OUT_UPPER, 2);
	kt_push_word(push, (uint32_t)(to >> 32));
	kt_push_word(push, (uint32_t)to);
	kt_push_methods(push, KT_SUBCHANNEL_COMPUTE, KT_CBC0_LINE_LENGTH_IN, 2);
	kt_push_word(push, (uint32_t)bytes);
	kt_push_word(push, 1); /* line */
	kt_push_method(push, KT_SUBCHANNEL_COMPUTE, KT_CBC0_LAUNCH_DMA, launch);
	kt_push_data(push, KT_SUBCHANNEL_COMPUTE, KT_CBC0_LOAD_INLINE_DATA,
		     (unsigned)(whole + (rest != 0)));
	kt_push_words(push, data, whole);
	if (rest) {
		uint32_t word = 0;

		memcpy(&word, (const char *)data + whole * 4, rest);
		kt_push_word(push, word);
	}
}

void kt_push_copy(struct kt_push *push, uint64_t to, uint64_t from, uint64_t bytes)
{
	const uint32_t most = 1u << 31; /* LINE_LENGTH_IN has 32 bits */
	const uint32_t launch =
		kt_bits(KT_C8B5_LAUNCH_DMA__DATA_TRANSFER_TYPE,
			KT_C8B5_LAUNCH_DMA__DATA_TRANSFER_TYPE__NON_PIPELINED) |
		kt_bits(KT_C8B5_LAUNCH_DMA__SRC_MEMORY_LAYOUT,
			KT_C8B5_LAUNCH_DMA__SRC_MEMORY_LAYOUT__PITCH) |
		kt_bits(KT_C8B5_LAUNCH_DMA__DST_MEMORY_LAYOUT,
			KT_C8B5_LAUNCH_DMA__DST_MEMORY_LAYOUT__PITCH);

	while (bytes > 0) {
		uint32_t now = bytes < most ? (uint32_t)bytes : most;

		kt_push_methods(push, KT_SUBCHANNEL_COPY, KT_C8B5_OFFSET_IN_UPPER, 4);
		kt_push_word(push, (uint32_t)(from >> 32));
		kt_push_word(push, (uint32_t)from);
		kt_push_word(push, (uint32_t)(to >> 32));
		kt_push_word(push, (uint32_t)to);
		kt_push_methods(push, KT_SUBCHANNEL_COPY, KT_C8B5_LINE_LENGTH_IN, 1);
		kt_push_word(push, now);
		kt_push_method(push, KT_SUBCHANNEL_COPY, KT_C8B5_LAUNCH_DMA, launch);
		to += now;
		from += now;
		bytes -= now;
	}
}

int kt_copy_check(struct kt_context *context, uint64_t address, uint64_t bytes)
{
	struct kt_memory object;
	uint64_t piece = 0;
	uint64_t piece_bytes = 0;

	if (!kt_heap_find(context->heap, address, &object, &piece, &piece_bytes) ||
	    bytes > piece_bytes - (address - piece)) {
		return KT_CU_INVALID_VALUE;
	}
	return KT_CU_OK;
}

static int submit_and_wait(const struct kt_target *target, struct kt_push *push, bool wait)
{
	int code = kt_target_submit(target, push, NULL);

	kt_push_free(push);
	if (!code && wait) {
		code = kt_target_wait(target);
	}
	return code;
}

int kt_copy_to_device(const struct kt_target *target, uint64_t to, const void *from,
		      size_t bytes, bool wait)
{
	KT_SUBMITTING(INLINE);
	struct kt_push push = {0};

	KT_TRY(kt_copy_check(target->context, to, bytes));
	/*
	 * What goes inside the commands is read now. Pageable memory may be; locked memory
	 * is to be read when the stream comes to it, for what is under way may write there.
	 */
	if (kt_driver_get()->transfer != KT_TRANSFER_DMA || bytes > KT_INLINE_BYTES ||
	    (kt_host_holds(from, bytes) && !kt_wait_is_idle(target->channel))) {
		return kt_transfer_to_device(target, to, from, bytes, wait);
	}
	kt_push_inline(&push, to, from, bytes);
	return submit_and_wait(target, &push, wait);
}

int kt_copy_from_device(const struct kt_target *target, void *to, uint64_t from,
			size_t bytes, bool wait)
{
	KT_TRY(kt_copy_check(target->context, from, bytes));
	return kt_transfer_from_device(target, to, from, bytes, wait);
}

int kt_copy_on_device(const struct kt_target *target, uint64_t to, uint64_t from,
		      size_t bytes, bool wait)
{
	KT_SUBMITTING(COPY);
	struct kt_push push = {0};

	KT_TRY(kt_copy_check(target->context, to, bytes));
	KT_TRY(kt_copy_check(target->context, from, bytes));
	kt_push_copy(&push, to, from, bytes);
	return submit_and_wait(target, &push, wait);
}

/* A first piece inline, then copies of what is there, each as large as all before it. */
int kt_copy_fill(const struct kt_target *target, uint64_t to, uint32_t value,
		 unsigned element, size_t n)
{
	KT_SUBMITTING(FILL);
	uint32_t pattern[1024];
	uint64_t bytes = (uint64_t)n * element;
	uint64_t done = bytes < sizeof(pattern) ? bytes : sizeof(pattern);
	struct kt_push push = {0};

	if (n > UINT64_MAX / element) {
		return KT_CU_INVALID_VALUE;
	}
	KT_TRY(kt_copy_check(target->context, to, bytes));
	if (element == 1) {
		value = (value & 0xff) * 0x01010101u;
	}
	for (size_t i = 0; i < sizeof(pattern) / sizeof(pattern[0]); i++) {
		pattern[i] = value;
	}
	kt_push_inline(&push, to, pattern, done);
	while (done < bytes) {
		uint64_t now = bytes - done < done ? bytes - done : done;

		kt_push_copy(&push, to + done, to, now);
		done += now;
	}
	return submit_and_wait(target, &push, true);
}

int kt_copy_upload(struct kt_context *context, uint64_t to, const void *from, size_t bytes)
{
	KT_SUBMITTING(INLINE);
	struct kt_target target = kt_target_default(context);
	int code = KT_CU_OK;
	int waited;

	for (size_t done = 0; done < bytes && !code; done += KT_INLINE_BYTES) {
		size_t now = bytes - done;
		struct kt_push push = {0};

		kt_push_inline(&push, to + done, (const char *)from + done,
			       now < KT_INLINE_BYTES ? now : KT_INLINE_BYTES);
		code = submit_and_wait(&target, &push, false);
	}
	waited = kt_target_wait(&target); /* also for what comes before a failure */
	return code ? code : waited;
}
