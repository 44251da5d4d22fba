/* SPDX-License-Identifier: MIT */
/*
 * Waits for devices: interposes poll and similar calls, determines the device for which a
 * call waits, and emits the event after the call. The recorder's signals are not blocked in
 * the kernel during such a call.
 */
#define _GNU_SOURCE
#include "collect/preload/interpose/waits.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/epoll.h>
#include <sys/select.h>

#include "collect/preload/access/access.h"
#include "collect/preload/emit/emit.h"
#include "collect/preload/emit/lock.h"
#include "collect/preload/handlers/waits-again.h"
#include "collect/preload/signals/signal-mask.h"
#include "collect/preload/mappings/devices.h"
#include "collect/preload/mappings/runs.h"
#include "collect/preload/overhead/visits.h"
#include "collect/preload/process/clock.h"
#include "collect/preload/process/counters.h"
#include "collect/preload/process/interpose.h"
#include "collect/preload/process/memory.h"
#include "collect/preload/process/process.h"
#include "collect/preload/process/next.h"

void kt_wait_begin(struct kt_wait *wait, const char *call, int fd)
{
	bool possible = fd < 0 ? kt_device_any() : kt_device_is_open(fd);

	*wait = (struct kt_wait){.call = call, .fd = fd};
	if (possible) {
		wait->began = kt_now_ns();
	}
}

void kt_wait_end(const struct kt_wait *wait, long result)
{
	int error = errno;
	struct kt_event_wait event = {
		.fd = wait->fd,
		.call = wait->call,
		.result = result > INT32_MAX ? INT32_MAX : (int32_t)result,
		.error = result < 0 ? error : 0,
	};
	const struct kt_device *device;
	bool locked;

	if (!wait->began || !kt_device_is_open(wait->fd) || !kt_process_is_own()) {
		errno = error;
		return;
	}
	event.duration = kt_now_ns() - wait->began;
	kt_visit_begin(KT_VISIT_CALL);
	locked = kt_lock();
	device = kt_device_get(wait->fd);
	if (device) {
		event.device = device->name;
		/*
		 * The next read of mapped memory concerns the awaited work, so it must not
		 * continue an earlier run.
		 */
		kt_access_end_run();
		kt_emit_wait(&event);
	}
	kt_unlock(locked);
	kt_visit_end();
	errno = error;
}

void kt_wait_end_poll(struct kt_wait *wait, const struct pollfd *fds, size_t n, long result)
{
	if (!wait->began || (result < 0 && errno != EINTR)) {
		return; /* no event is due; if the call failed, fds may be invalid */
	}
	for (size_t i = 0; i < n; i++) {
		if (kt_device_is_open(fds[i].fd)) {
			wait->fd = fds[i].fd;
			kt_wait_end(wait, result);
			return;
		}
	}
}

/* --- select --- */

#define WORD_BITS (8 * (int)sizeof(uint64_t))

/* Returns bits 64 * i to 64 * i + 63 of a set; bits that cannot be read are 0. */
static uint64_t word_of(const void *set, int i)
{
	uint64_t word = 0;

	if (set) {
		kt_memory_read(&word, (uintptr_t)set + (uintptr_t)i * sizeof(word),
			       sizeof(word));
	}
	return word;
}

int kt_wait_select(int n, const void *reads, const void *writes, const void *others)
{
	if (!kt_device_any()) {
		return -1;
	}
	for (int i = 0; i < n && i < KT_DEVICE_MAX; i += WORD_BITS) {
		uint64_t word = word_of(reads, i / WORD_BITS) |
				word_of(writes, i / WORD_BITS) |
				word_of(others, i / WORD_BITS);

		for (int bit = 0; bit < WORD_BITS && i + bit < n; bit++) {
			if (((word >> bit) & 1) && kt_device_is_open(i + bit)) {
				return i + bit;
			}
		}
	}
	return -1;
}

/* --- epoll: a short list is enough, as epoll descriptors seldom hold devices --- */

#define MOST 256

static struct {
	int epoll;
	int fd;
} held[MOST];

/* Changed under the lock, read without it. */
static _Atomic size_t n_held;

/* Removes the entries of `fd` in `epoll`; -1 stands for any descriptor. */
static void forget(int epoll, int fd)
{
	for (size_t i = n_held; i-- > 0;) {
		if ((epoll < 0 || held[i].epoll == epoll) && (fd < 0 || held[i].fd == fd)) {
			for (size_t j = i; j + 1 < n_held; j++) {
				held[j] = held[j + 1];
			}
			n_held--;
		}
	}
}

void kt_wait_device_closed(int fd)
{
	forget(-1, fd);
}

void kt_wait_epoll_created(int epoll)
{
	int error = errno;
	bool locked;

	if (epoll >= 0 && n_held && kt_process_is_own()) {
		locked = kt_lock();
		forget(epoll, -1);
		kt_unlock(locked);
	}
	errno = error;
}

void kt_wait_epoll_changed(int epoll, int operation, int fd)
{
	int error = errno;
	bool locked;

	if (operation == EPOLL_CTL_MOD || !kt_device_is_open(fd) || !kt_process_is_own()) {
		return;
	}
	locked = kt_lock();
	if (operation == EPOLL_CTL_ADD && n_held == MOST) {
		kt_count(&kt_counters->setup_failures);
	} else if (operation == EPOLL_CTL_ADD) {
		held[n_held].epoll = epoll;
		held[n_held].fd = fd;
		n_held++;
	} else {
		forget(epoll, fd);
	}
	kt_unlock(locked);
	errno = error;
}

int kt_wait_epoll(int epoll)
{
	int fd = -1;
	bool locked;

	if (!n_held) {
		return -1;
	}
	locked = kt_lock();
	for (size_t i = 0; i < n_held && fd < 0; i++) {
		fd = held[i].epoll == epoll ? held[i].fd : -1;
	}
	kt_unlock(locked);
	return fd;
}

/* --- the calls --- */

/*
 * Makes the call, and repeats it after an interruption by a signal that only the recorder
 * handles.
 */
#define CALL_AGAIN(result, begin, call)                                                    \
	do {                                                                               \
		struct kt_again again;                                                     \
		begin;                                                                     \
		do {                                                                       \
			(result) = (call);                                                 \
		} while (kt_again(&again, result));                                        \
	} while (0)

#define FOR(set, timeout) kt_again_begin(&again, set, timeout)
#define FOR_MS(set, ms)   kt_again_begin_ms(&again, set, ms)
#define LEFT(timeout)     kt_again_left(&again, timeout)
#define LEFT_MS(ms)       kt_again_left_ms(&again, ms)

/* --- poll --- */

#define POLLED(name, fds, n, begin, call)                                                  \
	do {                                                                               \
		struct kt_wait wait_;                                                      \
		int result_;                                                               \
		kt_wait_begin(&wait_, name, -1);                                           \
		CALL_AGAIN(result_, begin, call);                                          \
		kt_wait_end_poll(&wait_, fds, n, result_);                                 \
		return result_;                                                            \
	} while (0)

KT_INTERPOSE int poll(struct pollfd *fds, nfds_t n, int timeout)
{
	POLLED("poll", fds, n, FOR_MS(NULL, timeout),
	       kt_next()->poll(fds, n, LEFT_MS(timeout)));
}

KT_INTERPOSE int ppoll(struct pollfd *fds, nfds_t n, const struct timespec *timeout,
		       const sigset_t *set)
{
	sigset_t buffer;

	POLLED("ppoll", fds, n, FOR(set, timeout),
	       kt_next()->ppoll(fds, n, LEFT(timeout), kt_mask_translated(set, &buffer)));
}

/* poll in programs built with _FORTIFY_SOURCE. */
KT_INTERPOSE int __poll_chk(struct pollfd *fds, nfds_t n, int timeout, size_t size);
KT_INTERPOSE int __ppoll_chk(struct pollfd *fds, nfds_t n, const struct timespec *timeout,
			     const sigset_t *set, size_t size);

KT_INTERPOSE int __poll_chk(struct pollfd *fds, nfds_t n, int timeout, size_t size)
{
	POLLED("poll", fds, n, FOR_MS(NULL, timeout),
	       kt_next()->__poll_chk(fds, n, LEFT_MS(timeout), size));
}

KT_INTERPOSE int __ppoll_chk(struct pollfd *fds, nfds_t n, const struct timespec *timeout,
			     const sigset_t *set, size_t size)
{
	sigset_t buffer;

	POLLED("ppoll", fds, n, FOR(set, timeout),
	       kt_next()->__ppoll_chk(fds, n, LEFT(timeout),
				      kt_mask_translated(set, &buffer), size));
}

/* --- select, epoll --- */

#define WAITED(name, fd, begin, call)                                                      \
	do {                                                                               \
		struct kt_wait wait_;                                                      \
		int result_;                                                               \
		kt_wait_begin(&wait_, name, fd);                                           \
		CALL_AGAIN(result_, begin, call);                                          \
		kt_wait_end(&wait_, result_);                                              \
		return result_;                                                            \
	} while (0)

/* Repeats with the remaining time, which Linux stores in *timeout. */
KT_INTERPOSE int select(int n, fd_set *reads, fd_set *writes, fd_set *others,
			struct timeval *timeout)
{
	WAITED("select", kt_wait_select(n, reads, writes, others), FOR(NULL, NULL),
	       kt_next()->select(n, reads, writes, others, timeout));
}

KT_INTERPOSE int pselect(int n, fd_set *reads, fd_set *writes, fd_set *others,
			 const struct timespec *timeout, const sigset_t *set)
{
	sigset_t buffer;

	WAITED("pselect", kt_wait_select(n, reads, writes, others), FOR(set, timeout),
	       kt_next()->pselect(n, reads, writes, others, LEFT(timeout),
				  kt_mask_translated(set, &buffer)));
}

KT_INTERPOSE int epoll_wait(int fd, struct epoll_event *events, int max, int timeout)
{
	WAITED("epoll_wait", kt_wait_epoll(fd), FOR_MS(NULL, timeout),
	       kt_next()->epoll_wait(fd, events, max, LEFT_MS(timeout)));
}

KT_INTERPOSE int epoll_pwait(int fd, struct epoll_event *events, int max, int timeout,
			     const sigset_t *set)
{
	sigset_t buffer;

	WAITED("epoll_pwait", kt_wait_epoll(fd), FOR_MS(set, timeout),
	       kt_next()->epoll_pwait(fd, events, max, LEFT_MS(timeout),
				      kt_mask_translated(set, &buffer)));
}

KT_INTERPOSE int epoll_pwait2(int fd, struct epoll_event *events, int max,
			      const struct timespec *timeout, const sigset_t *set)
{
	sigset_t buffer;

	WAITED("epoll_pwait2", kt_wait_epoll(fd), FOR(set, timeout),
	       kt_next()->epoll_pwait2(fd, events, max, LEFT(timeout),
				       kt_mask_translated(set, &buffer)));
}

/* --- contents of epoll descriptors --- */

KT_INTERPOSE int epoll_create(int size)
{
	int fd = kt_next()->epoll_create(size);

	kt_wait_epoll_created(fd);
	return fd;
}

KT_INTERPOSE int epoll_create1(int flags)
{
	int fd = kt_next()->epoll_create1(flags);

	kt_wait_epoll_created(fd);
	return fd;
}

KT_INTERPOSE int epoll_ctl(int epoll, int operation, int fd, struct epoll_event *event)
{
	int result = kt_next()->epoll_ctl(epoll, operation, fd, event);

	if (result == 0) {
		kt_wait_epoll_changed(epoll, operation, fd);
	}
	return result;
}

KT_SECOND_NAME(__poll, poll);
KT_SECOND_NAME(__select, select);
