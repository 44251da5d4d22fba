/* SPDX-License-Identifier: MIT */
/*
 * System calls of the device's own. The device lives in the process that a recorder looks
 * at, and what it asks of the kernel is not part of what that process does: so it goes by
 * none of libc's symbols that a preloaded library may have taken over. Results are the
 * kernel's: negative errno on failure. Nothing here touches errno.
 */
#ifndef KTAIL_SOFTGPU_SYSTEM_H
#define KTAIL_SOFTGPU_SYSTEM_H

#include <stdint.h>

#include "base/kernel-call.h"

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define KT_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define KT_SANITIZED 1
#endif
#endif

static inline int kt_system_close(int fd)
{
	return (int)KT_KERNEL(SYS_close, fd, 0, 0, 0, 0, 0);
}

/* NULL: no mapping. */
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

/* At most a second. */
static inline void kt_system_sleep(uint64_t nanoseconds)
{
	struct {
		int64_t seconds;
		int64_t nanoseconds;
	} time = {0, (int64_t)(nanoseconds < 999999999 ? nanoseconds : 999999999)};

	(void)KT_KERNEL(SYS_nanosleep, (long)(uintptr_t)&time, 0, 0, 0, 0, 0);
}

#endif
