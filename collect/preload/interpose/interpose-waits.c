/* SPDX-License-Identifier: MIT */
/* poll and its kin. The recorder's signals are not really blocked while they wait. */
#define _GNU_SOURCE
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/select.h>

#include "collect/preload/handlers/waits-again.h"
#include "collect/preload/interpose/interpose-masks.h"
#include "collect/preload/interpose/waits.h"
#include "collect/preload/process/interpose.h"
#include "collect/preload/process/real.h"

/* Makes the call, and again where it ended for a signal that the program does not notice.
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
	       kt_real()->poll(fds, n, LEFT_MS(timeout)));
}

KT_INTERPOSE int ppoll(struct pollfd *fds, nfds_t n, const struct timespec *timeout,
		       const sigset_t *set)
{
	sigset_t buffer;

	POLLED("ppoll", fds, n, FOR(set, timeout),
	       kt_real()->ppoll(fds, n, LEFT(timeout), kt_mask_translated(set, &buffer)));
}

/* What they become in programs that are built with checks. */
KT_INTERPOSE int __poll_chk(struct pollfd *fds, nfds_t n, int timeout, size_t size);
KT_INTERPOSE int __ppoll_chk(struct pollfd *fds, nfds_t n, const struct timespec *timeout,
			     const sigset_t *set, size_t size);

KT_INTERPOSE int __poll_chk(struct pollfd *fds, nfds_t n, int timeout, size_t size)
{
	POLLED("poll", fds, n, FOR_MS(NULL, timeout),
	       kt_real()->__poll_chk(fds, n, LEFT_MS(timeout), size));
}

KT_INTERPOSE int __ppoll_chk(struct pollfd *fds, nfds_t n, const struct timespec *timeout,
			     const sigset_t *set, size_t size)
{
	sigset_t buffer;

	POLLED("ppoll", fds, n, FOR(set, timeout),
	       kt_real()->__ppoll_chk(fds, n, LEFT(timeout),
				      kt_mask_translated(set, &buffer), size));
}

/* --- select, epoll: the descriptor is known before --- */

#define WAITED(name, fd, begin, call)                                                      \
	do {                                                                               \
		struct kt_wait wait_;                                                      \
		int result_;                                                               \
		kt_wait_begin(&wait_, name, fd);                                           \
		CALL_AGAIN(result_, begin, call);                                          \
		kt_wait_end(&wait_, result_);                                              \
		return result_;                                                            \
	} while (0)

/* Linux leaves in *timeout what is left of it. */
KT_INTERPOSE int select(int n, fd_set *reads, fd_set *writes, fd_set *others,
			struct timeval *timeout)
{
	WAITED("select", kt_wait_select(n, reads, writes, others), FOR(NULL, NULL),
	       kt_real()->select(n, reads, writes, others, timeout));
}

KT_INTERPOSE int pselect(int n, fd_set *reads, fd_set *writes, fd_set *others,
			 const struct timespec *timeout, const sigset_t *set)
{
	sigset_t buffer;

	WAITED("pselect", kt_wait_select(n, reads, writes, others), FOR(set, timeout),
	       kt_real()->pselect(n, reads, writes, others, LEFT(timeout),
				  kt_mask_translated(set, &buffer)));
}

KT_INTERPOSE int epoll_wait(int fd, struct epoll_event *events, int max, int timeout)
{
	WAITED("epoll_wait", kt_wait_epoll(fd), FOR_MS(NULL, timeout),
	       kt_real()->epoll_wait(fd, events, max, LEFT_MS(timeout)));
}

KT_INTERPOSE int epoll_pwait(int fd, struct epoll_event *events, int max, int timeout,
			     const sigset_t *set)
{
	sigset_t buffer;

	WAITED("epoll_pwait", kt_wait_epoll(fd), FOR_MS(set, timeout),
	       kt_real()->epoll_pwait(fd, events, max, LEFT_MS(timeout),
				      kt_mask_translated(set, &buffer)));
}

KT_INTERPOSE int epoll_pwait2(int fd, struct epoll_event *events, int max,
			      const struct timespec *timeout, const sigset_t *set)
{
	sigset_t buffer;

	WAITED("epoll_pwait2", kt_wait_epoll(fd), FOR(set, timeout),
	       kt_real()->epoll_pwait2(fd, events, max, LEFT(timeout),
				       kt_mask_translated(set, &buffer)));
}

/* --- what epoll waits for --- */

KT_INTERPOSE int epoll_create(int size)
{
	int fd = kt_real()->epoll_create(size);

	kt_wait_epoll_made(fd);
	return fd;
}

KT_INTERPOSE int epoll_create1(int flags)
{
	int fd = kt_real()->epoll_create1(flags);

	kt_wait_epoll_made(fd);
	return fd;
}

KT_INTERPOSE int epoll_ctl(int epoll, int operation, int fd, struct epoll_event *event)
{
	int result = kt_real()->epoll_ctl(epoll, operation, fd, event);

	if (result == 0) {
		kt_wait_epoll_changed(epoll, operation, fd);
	}
	return result;
}

KT_SECOND_NAME(__poll, poll);
KT_SECOND_NAME(__select, select);
