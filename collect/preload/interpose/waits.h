/* SPDX-License-Identifier: MIT */
/*
 * System calls in which a thread waits for a device file: poll and similar calls, read.
 * Each emits an event when it has returned. In a process without open devices they cost one
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
	int fd;           /* the device's descriptor; -1: not known yet */
	uint64_t began;   /* ns; 0: no event is pending */
};

/* Call before the system call; fd is any descriptor, or -1 if not known yet. */
void kt_wait_begin(struct kt_wait *wait, const char *call, int fd);

/* Call when it has returned: emits the event if fd is a device's. Keeps errno. */
void kt_wait_end(const struct kt_wait *wait, long result);

/*
 * Likewise for poll(2). Reads the array of descriptors only after the kernel has read it
 * too. O(n).
 */
void kt_wait_end_poll(struct kt_wait *wait, const struct pollfd *fds, size_t n,
		      long result);

/*
 * Returns the first device among the first n bits of sets for select(2); -1 if there is
 * none or the sets are invalid. Call it before the system call, which changes them. NULL
 * sets are allowed.
 */
int kt_wait_select(int n, const void *reads, const void *writes, const void *others);

/* Track the device for which an epoll descriptor waits: the first that was added to it. */
void kt_wait_epoll_created(int epoll);
void kt_wait_epoll_changed(int epoll, int operation, int fd);
int kt_wait_epoll(int epoll); /* -1: no device */

/*
 * A device's descriptor is about to be closed: removes it from all epoll descriptors. The
 * caller holds the lock.
 */
void kt_wait_device_closed(int fd);

#endif
