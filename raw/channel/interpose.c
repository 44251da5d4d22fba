/* SPDX-License-Identifier: MIT */
/*
 * Interposes the functions by which libcuda reaches the kernel driver. The definitions of a
 * program come before those of all libraries, also preloaded ones, so libcuda calls these;
 * they call the next definition.
 */
#define _GNU_SOURCE
#include "raw/channel/interpose.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <sys/types.h>

#include "base/kernel-call.h"
#include "raw/channel/observe.h"

#define OWN __attribute__((visibility("default")))

OWN int ioctl(int fd, unsigned long request, ...);
OWN void *mmap(void *start, size_t length, int protection, int flags, int fd, off_t offset);
OWN void *mmap64(void *start, size_t length, int protection, int flags, int fd,
		 off_t offset);
OWN int munmap(void *start, size_t length);

typedef int ioctl_fn(int, unsigned long, ...);
typedef void *mmap_fn(void *, size_t, int, int, int, off_t);
typedef int munmap_fn(void *, size_t);

/* Other libraries' constructors and dlsym() itself may map memory before these are known.
 */
static struct {
	ioctl_fn *ioctl;
	mmap_fn *mmap;
	munmap_fn *munmap;
} next;

static bool on; /* whether calls are observed */

void kt_raw_interpose(void)
{
	void *symbols[3] = {dlsym(RTLD_NEXT, "ioctl"), dlsym(RTLD_NEXT, "mmap"),
			    dlsym(RTLD_NEXT, "munmap")};

	memcpy(&next.ioctl, &symbols[0], sizeof(symbols[0]));
	memcpy(&next.mmap, &symbols[1], sizeof(symbols[1]));
	memcpy(&next.munmap, &symbols[2], sizeof(symbols[2]));
	kt_observe_begin();
	__atomic_store_n(&on, true, __ATOMIC_RELEASE);
}

static bool is_on(void)
{
	return __atomic_load_n(&on, __ATOMIC_ACQUIRE);
}

static long result_of(long result)
{
	if (kt_kernel_failed(result)) {
		errno = (int)-result;
		return -1;
	}
	return result;
}

int ioctl(int fd, unsigned long request, ...)
{
	va_list args;
	void *argument;
	int result;

	va_start(args, request);
	argument = va_arg(args, void *);
	va_end(args);
	if (!is_on()) {
		return (int)result_of(KT_KERNEL(SYS_ioctl, fd, request, argument));
	}
	result = next.ioctl(fd, request, argument);
	kt_observe_ioctl(request, argument, result);
	return result;
}

void *mmap(void *start, size_t length, int protection, int flags, int fd, off_t offset)
{
	void *result;

	if (!is_on()) {
		return (void *)result_of(
			KT_KERNEL(SYS_mmap, start, length, protection, flags, fd, offset));
	}
	result = next.mmap(start, length, protection, flags, fd, offset);
	kt_observe_mmap(result, length, protection, fd);
	return result;
}

void *mmap64(void *start, size_t length, int protection, int flags, int fd, off_t offset)
{
	return mmap(start, length, protection, flags, fd, offset);
}

int munmap(void *start, size_t length)
{
	if (!is_on()) {
		return (int)result_of(KT_KERNEL(SYS_munmap, start, length));
	}
	kt_observe_munmap(start, length);
	return next.munmap(start, length);
}
