/* SPDX-License-Identifier: MIT */
#include "collect/preload/interpose/waits.h"

#include <errno.h>
#include <limits.h>

#include "collect/preload/access/access.h"
#include "collect/preload/emit/emit.h"
#include "collect/preload/emit/lock.h"
#include "collect/preload/mappings/devices.h"
#include "collect/preload/mappings/runs.h"
#include "collect/preload/process/clock.h"
#include "collect/preload/process/memory.h"
#include "collect/preload/process/process.h"

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
	locked = kt_lock();
	device = kt_device_get(wait->fd);
	if (device) {
		event.device = device->name;
		/* What is read next is what was waited for: it has an access of its own. */
		kt_access_end_run();
		kt_emit_wait(&event);
	}
	kt_unlock(locked);
	errno = error;
}

void kt_wait_end_poll(struct kt_wait *wait, const struct pollfd *fds, size_t n, long result)
{
	if (!wait->began || (result < 0 && errno != EINTR)) {
		return; /* nobody has waited, and fds may be nowhere */
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

/* Word `i` of a set, as far as it can be read. */
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
