/* SPDX-License-Identifier: MIT */
/*
 * System calls that are handed memory of the program's: the kernel finds watched pages
 * closed and says EFAULT, so they are opened around such a call. Which calls a program
 * would plausibly let read and write memory that it shares with a device is a table
 * (collect/preload/process/next.h).
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

/* The hull of those parts of a call's memory that touch mappings; none of it: hi is 0. */
struct kt_buffers {
	uintptr_t lo;
	uintptr_t hi;
	struct kt_held held;
};

/*
 * Each takes in what the kernel will touch; nothing is read that lies in nobody's memory.
 * Two compares in a process without mappings.
 */
void kt_buffers_add(struct kt_buffers *buffers, const void *start, size_t length);
void kt_buffers_add_vector(struct kt_buffers *buffers, const struct iovec *parts, size_t n);
void kt_buffers_add_message(struct kt_buffers *buffers, const struct msghdr *message);
void kt_buffers_add_messages(struct kt_buffers *buffers, const struct mmsghdr *messages,
			     size_t n);

/* Opens them for the kernel, and closes them again; keep errno. `buffers` is as above. */
void kt_buffers_hold(struct kt_buffers *buffers);
void kt_buffers_release(void *buffers);

#endif
