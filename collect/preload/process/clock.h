/* SPDX-License-Identifier: MIT */
/* The monotonic clock by which the durations in events are measured. */
#ifndef KTAIL_COLLECT_CLOCK_H
#define KTAIL_COLLECT_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline uint64_t kt_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

#endif
