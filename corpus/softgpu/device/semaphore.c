/* SPDX-License-Identifier: MIT */
/*
 * Releases of semaphores: one word, two words, or four {payload, payload or 0, time}. Who
 * sees the payload sees the time and all that the device wrote before it.
 */
#include "corpus/softgpu/device/engine.h"

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
		__atomic_store_n((uint64_t *)(void *)(span.at + 8), kt_gpu_time(),
				 __ATOMIC_RELAXED);
	}
	if (bytes == 4) {
		__atomic_store_n((uint32_t *)(void *)span.at, (uint32_t)payload,
				 __ATOMIC_RELEASE);
	} else {
		__atomic_store_n((uint64_t *)(void *)span.at, payload, __ATOMIC_RELEASE);
	}
	return KT_GPU_DONE;
}
