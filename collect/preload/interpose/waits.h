/* SPDX-License-Identifier: MIT */
/*
 * System calls in which a thread waits for a device file: poll and similar calls, read.
 * Each is an event when it has returned. In a process that has no device open they cost one
 * load.
 */
#ifndef KTAIL_COLLECT_WAITS_H
#define KTAIL_COLLECT_WAITS_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kt_wait {
	const char *call; /* static */
	int fd;           /* the device's descriptor; -1: none is known yet */
	uint64_t began;   /* ns; 0: nothing is to be told */
};

/* Before the call; fd: the device's descriptor, or another, or -1 if it is not known yet.
 */
void kt_wait_begin(struct kt_wait *wait, const char *call, int fd);

/* When it has returned: emits the event if fd is a device's. Keeps errno. */
void kt_wait_end(const struct kt_wait *wait, long result);

/*
 * The same for poll(2): which descriptors it was given is looked at when the kernel has
 * read them too. O(n).
 */
void kt_wait_end_poll(struct kt_wait *wait, const struct pollfd *fds, size_t n,
		      long result);

/*
 * The first device among the first n bits of sets for select(2); -1: there is none, or the
 * sets are nowhere. To be asked before the call, which changes them. NULL sets are allowed.
 */
int kt_wait_select(int n, const void *reads, const void *writes, const void *others);

/* What epoll descriptors hold of devices: the first that was added. */
void kt_wait_epoll_created(int epoll);
void kt_wait_epoll_changed(int epoll, int operation, int fd);
int kt_wait_epoll(int epoll); /* -1: no device */

/* A device's descriptor is about to be closed: none holds it any more. The lock is held. */
void kt_wait_device_closed(int fd);

#endif
