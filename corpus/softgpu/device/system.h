/* SPDX-License-Identifier: MIT */
/*
 * System calls of the device itself. The device runs in the recorded process, but its own
 * requests to the kernel are not part of the program's behaviour: they bypass libc's
 * symbols, which a preloaded library may interpose. Functions return the kernel's results
 * (a negative errno on failure) and do not change errno.
 */
#ifndef KTAIL_SOFTGPU_SYSTEM_H
#define KTAIL_SOFTGPU_SYSTEM_H

#include <stdint.h>

#include "base/kernel-call.h"
#include "corpus/softgpu/device/sanitized.h"

static inline int kt_system_close(int fd)
{
	return (int)KT_KERNEL(SYS_close, fd, 0, 0, 0, 0, 0);
}

/* Returns NULL if the mapping fails. */
static inline void *kt_system_map_shared(int fd, uint64_t bytes, int protection, int flags)
{
	long result = KT_KERNEL(SYS_mmap, 0, (long)bytes, protection, flags, fd, 0);

	return result < 0 && result > -4096 ? NULL : (void *)(uintptr_t)result;
}

static inline void kt_system_unmap(void *at, uint64_t bytes)
{
	(void)KT_KERNEL(SYS_munmap, (long)(uintptr_t)at, (long)bytes, 0, 0, 0, 0);
}

static inline void kt_system_yield(void)
{
	(void)KT_KERNEL(SYS_sched_yield, 0, 0, 0, 0, 0, 0);
}

/* Sleeps for at most a second. */
static inline void kt_system_sleep(uint64_t nanoseconds)
{
	struct {
		int64_t seconds;
		int64_t nanoseconds;
	} time = {0, (int64_t)(nanoseconds < 999999999 ? nanoseconds : 999999999)};

	(void)KT_KERNEL(SYS_nanosleep, (long)(uintptr_t)&time, 0, 0, 0, 0, 0);
}

#endif
