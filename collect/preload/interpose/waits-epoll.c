/* SPDX-License-Identifier: MIT */
/* Which epoll descriptors hold a device: few processes have any, so a short list will do.
 */
#include <errno.h>
#include <stdatomic.h>
#include <sys/epoll.h>

#include "collect/preload/emit/lock.h"
#include "collect/preload/interpose/waits.h"
#include "collect/preload/mappings/devices.h"
#include "collect/preload/process/counters.h"
#include "collect/preload/process/process.h"

#define MOST 256

static struct {
	int epoll;
	int fd;
} held[MOST];

/* Changed under the lock, looked at without. */
static _Atomic size_t n_held;

/* Takes out what is of that epoll descriptor and that device; -1 is any. */
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

void kt_wait_epoll_made(int epoll)
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
