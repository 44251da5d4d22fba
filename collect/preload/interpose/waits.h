/* SPDX-License-Identifier: MIT */
/*
 * System calls in which a thread waits for a device file: poll and similar calls, read. An
 * event is emitted when such a call has returned. In a process without open devices, these
 * functions cost one load.
 */
#ifndef KTAIL_COLLECT_WAITS_H
#define KTAIL_COLLECT_WAITS_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kt_wait {
	const char *call; /* name of the system call; static */
	int fd;           /* the device's descriptor; -1: not known yet */
	uint64_t began;   /* time in ns; 0: no event will be emitted */
};

/* Call before the system call. fd need not be a device's; it is -1 if not known yet. */
void kt_wait_begin(struct kt_wait *wait, const char *call, int fd);

/*
 * Call when the system call has returned: emits the event if wait->fd is a device's. Keeps
 * errno.
 */
void kt_wait_end(const struct kt_wait *wait, long result);

/*
 * Like kt_wait_end(), for poll(2): emits the event for the first device in fds[0..n). Reads
 * fds only if the kernel could read it. O(n).
 */
void kt_wait_end_poll(struct kt_wait *wait, const struct pollfd *fds, size_t n,
		      long result);

/*
 * Returns the lowest descriptor of a device among the first n bits of sets for select(2);
 * -1 if there is none. Parts of a set that cannot be read count as empty. Call before the
 * system call, which changes the sets. A set may be NULL.
 */
int kt_wait_select(int n, const void *reads, const void *writes, const void *others);

/*
 * Track which device an epoll descriptor waits for: the first device that was added to this
 * descriptor.
 */
void kt_wait_epoll_created(int epoll);
void kt_wait_epoll_changed(int epoll, int operation, int fd);
int kt_wait_epoll(int epoll); /* -1: no device */

/*
 * Call when a device's descriptor is about to be closed: forgets that it was added to epoll
 * descriptors. The caller holds the lock.
 */
void kt_wait_device_closed(int fd);

#endif
