/* SPDX-License-Identifier: MIT */
#include "corpus/softgpu/device/engine.h"

#include <time.h>

uint64_t kt_gpu_time(void)
{
	struct timespec now = {0, 0};

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}
