/* SPDX-License-Identifier: MIT */
#include "corpus/softgpu/device/engine.h"

#include <time.h>

uint64_t kt_gpu_time(void)
{
	struct timespec now = {0, 0};

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Both words by one store, so that no reader sees halves of two times. */
void kt_gpu_show_time(struct kt_gpu *gpu)
{
	_Static_assert(KT_ABI_USERMODE_TIME_HI == KT_ABI_USERMODE_TIME_LO + 4, "one store");
	uint64_t *at = (void *)(gpu->memory + KT_GPU_USERMODE_AT + KT_ABI_USERMODE_TIME_LO);

	__atomic_store_n(at, kt_gpu_time(), __ATOMIC_RELEASE);
}
