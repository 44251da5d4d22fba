/* SPDX-License-Identifier: MIT */
/*
 * Host methods, class 0xc86f: semaphores. The device executes one method at a time, so
 * waiting for idle returns at once. The device has no caches, so memory operations have no
 * effect.
 */
#include "corpus/softgpu/device/engine.h"

#include "corpus/softgpu/device/sanitized.h"
#include "decode/bits.h"
#include "decode/method-names.h"

/*
 * Writes a report of four dwords by one store, as a device writes it by one transaction, so
 * that a reader of all four dwords gets a payload together with the time of that payload.
 * Under a sanitizer, which does not follow such a store, and in the kernel, which must not
 * use vector registers, the function writes the time first and then the payload.
 */
static void store_report(uint64_t *at, uint64_t payload, uint64_t time)
{
#if defined(KT_SANITIZED) || defined(__KERNEL__)
	__atomic_store_n(at + 1, time, __ATOMIC_RELAXED);
#else
	const uint64_t report[2] __attribute__((aligned(16))) = {payload, time};

	__asm__ volatile("movaps %1,%%xmm0; movaps %%xmm0,%0"
			 : "=m"(*(uint64_t(*)[2])at)
			 : "m"(report)
			 : "xmm0", "memory");
#endif
	__atomic_store_n(at, payload, __ATOMIC_RELEASE);
}

/*
 * Releases a semaphore of one, two or four dwords; four dwords hold the payload (or its
 * low half and 0) and the time. A reader that sees the payload in the arena also sees the
 * time and all earlier writes of the device.
 */
enum kt_gpu_result kt_gpu_release(const struct kt_gpu_space *space, uint64_t address,
				  uint64_t payload, enum kt_gpu_release form,
				  enum kt_gpu_result misaligned)
{
	bool timed = form == KT_GPU_FOUR_WORDS || form == KT_GPU_FOUR_WORDS_64;
	unsigned bytes = timed ? 16 : form == KT_GPU_TWO_WORDS ? 8 : 4;
	struct kt_gpu *gpu = space->gpu;
	struct kt_gpu_span span;

	if (address % bytes != 0) {
		return misaligned;
	}
	if (form == KT_GPU_ONE_WORD || form == KT_GPU_FOUR_WORDS) {
		payload = (uint32_t)payload;
	}
	if (!kt_gpu_translate(space, address, &span)) {
		return KT_GPU_FAULT;
	}
	if (!span.at) {
		uint64_t time = kt_gpu_time();

		if (timed && !kt_gpu_user_write(gpu, span.user + 8, &time, sizeof(time))) {
			return KT_GPU_FAULT;
		}
		return kt_gpu_user_write(gpu, span.user, &payload, bytes == 4 ? 4 : 8)
			       ? KT_GPU_DONE
			       : KT_GPU_FAULT;
	}
	if (timed) {
		store_report((uint64_t *)(void *)span.at, payload, kt_gpu_time());
	} else if (bytes == 4) {
		__atomic_store_n((uint32_t *)(void *)span.at, (uint32_t)payload,
				 __ATOMIC_RELEASE);
	} else {
		__atomic_store_n((uint64_t *)(void *)span.at, payload, __ATOMIC_RELEASE);
	}
	return KT_GPU_DONE;
}

static uint64_t semaphore_address(const struct kt_gpu_channel *channel)
{
	uint64_t high = kt_bits_in(KT_C86F_SEM_ADDR_HI__OFFSET, channel->semaphore[1]);

	return high << 32 | (channel->semaphore[0] & ~UINT32_C(3));
}

static uint64_t semaphore_payload(const struct kt_gpu_channel *channel)
{
	return (uint64_t)channel->semaphore[3] << 32 | channel->semaphore[2];
}

static enum kt_gpu_result acquire(const struct kt_gpu_channel *channel, bool wide,
				  bool circular)
{
	const struct kt_gpu_space *space = channel->space;
	uint64_t address = semaphore_address(channel);
	uint64_t payload = semaphore_payload(channel);
	uint64_t value = 0;
	struct kt_gpu_span span;
	bool reached;

	if (address % (wide ? 8 : 4) != 0) {
		return KT_GPU_PBDMA;
	}
	if (!kt_gpu_translate(space, address, &span)) {
		return KT_GPU_FAULT;
	}
	if (!span.at) {
		if (!kt_gpu_user_read(space->gpu, span.user, &value, wide ? 8 : 4)) {
			return KT_GPU_FAULT;
		}
	} else if (wide) {
		value = __atomic_load_n((uint64_t *)(void *)span.at, __ATOMIC_ACQUIRE);
	} else {
		value = __atomic_load_n((uint32_t *)(void *)span.at, __ATOMIC_ACQUIRE);
	}
	if (!wide) {
		payload = (uint32_t)payload;
	}
	reached = value == payload;
	/*
	 * In circular order, the value has reached the payload if it is ahead of the
	 * payload by less than half the range.
	 */
	if (circular) {
		reached = wide ? (int64_t)(value - payload) >= 0
			       : (int32_t)((uint32_t)value - (uint32_t)payload) >= 0;
	}
	if (!reached) {
		return KT_GPU_PARKED;
	}
	/* The driver's stores to the window before the release must be visible now. */
	kt_gpu_window_flush(channel->gpu);
	return KT_GPU_DONE;
}

enum kt_gpu_result kt_gpu_host_method(struct kt_gpu_channel *channel, uint16_t offset,
				      uint32_t value)
{
	bool wide = kt_bits_in(KT_C86F_SEM_EXECUTE__PAYLOAD_SIZE, value);
	bool timed = kt_bits_in(KT_C86F_SEM_EXECUTE__RELEASE_TIMESTAMP, value);

	switch (offset) {
	case KT_C86F_SEM_ADDR_LO:
	case KT_C86F_SEM_ADDR_HI:
	case KT_C86F_SEM_PAYLOAD_LO:
	case KT_C86F_SEM_PAYLOAD_HI:
		channel->semaphore[(offset - KT_C86F_SEM_ADDR_LO) / 4] = value;
		return KT_GPU_DONE;
	case KT_C86F_SEM_EXECUTE: break;
	case KT_C86F_WFI: return channel->upload.active ? KT_GPU_ILLEGAL : KT_GPU_DONE;
	case KT_C86F_MEM_OP_A:
	case KT_C86F_MEM_OP_B:
	case KT_C86F_MEM_OP_C:
	case KT_C86F_MEM_OP_D: return KT_GPU_DONE;
	default: return KT_GPU_PBDMA;
	}
	switch (kt_bits_in(KT_C86F_SEM_EXECUTE__OPERATION, value)) {
	case KT_C86F_SEM_EXECUTE__OPERATION__ACQUIRE: return acquire(channel, wide, false);
	case KT_C86F_SEM_EXECUTE__OPERATION__ACQ_CIRC_GEQ:
		return acquire(channel, wide, true);
	case KT_C86F_SEM_EXECUTE__OPERATION__RELEASE:
		if (channel->upload.active) {
			return KT_GPU_ILLEGAL; /* the channel would wait forever for inline
						* data */
		}
		if (timed) {
			return kt_gpu_release(channel->space, semaphore_address(channel),
					      semaphore_payload(channel),
					      wide ? KT_GPU_FOUR_WORDS_64
						   : KT_GPU_FOUR_WORDS,
					      KT_GPU_PBDMA);
		}
		return kt_gpu_release(channel->space, semaphore_address(channel),
				      semaphore_payload(channel),
				      wide ? KT_GPU_TWO_WORDS : KT_GPU_ONE_WORD,
				      KT_GPU_PBDMA);
	default: return KT_GPU_PBDMA;
	}
}
