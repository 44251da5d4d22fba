/* SPDX-License-Identifier: MIT */
/*
 * System calls with buffers in the program's memory. The kernel returns EFAULT for watched
 * pages that are closed, so the recorder opens such pages around the call. A table
 * (collect/preload/process/next.h) lists the calls that may plausibly access memory shared
 * with a device.
 */
#ifndef KTAIL_COLLECT_BUFFERS_H
#define KTAIL_COLLECT_BUFFERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/uio.h>

#include "collect/preload/mappings/pages.h"

struct mmsghdr;

/* Range that spans those buffers of a call that touch mappings; hi is 0 if none does. */
struct kt_buffers {
	uintptr_t lo;
	uintptr_t hi;
	struct kt_held held;
};

/*
 * Add the memory that the kernel will access. The pointers may be invalid. In a process
 * without mappings, a call costs two compares.
 */
void kt_buffers_add(struct kt_buffers *buffers, const void *start, size_t length);
void kt_buffers_add_vector(struct kt_buffers *buffers, const struct iovec *parts, size_t n);
void kt_buffers_add_message(struct kt_buffers *buffers, const struct msghdr *message);
void kt_buffers_add_messages(struct kt_buffers *buffers, const struct mmsghdr *messages,
			     size_t n);

/* Open the pages for the kernel, and close them again after the call. Both keep errno. */
void kt_buffers_hold(struct kt_buffers *buffers);
void kt_buffers_release(void *buffers);

#endif
