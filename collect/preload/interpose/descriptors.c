/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "collect/preload/interpose/descriptors.h"

#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "collect/preload/emit/emit.h"
#include "collect/preload/emit/lock.h"
#include "collect/preload/interpose/first-use.h"
#include "collect/preload/interpose/waits.h"
#include "collect/preload/mappings/devices.h"
#include "collect/preload/process/counters.h"
#include "collect/preload/process/passed-descriptors.h"
#include "collect/preload/process/proc-numbers.h"
#include "collect/preload/process/process.h"

static bool note_opened(int fd, const char *name, int error)
{
	struct kt_event_device_open event = {
		.device = name,
		.fd = fd,
		.error = fd < 0 ? error : 0,
	};
	bool locked;

	if (!kt_process_is_own()) {
		return false;
	}
	locked = kt_lock();
	kt_device_opened(fd, name);
	kt_emit_device_open(&event);
	kt_unlock(locked);
	return fd >= 0;
}

void kt_descriptor_opened(int fd, const char *name)
{
	int error = errno;

	if (note_opened(fd, name, error)) {
		kt_device_used();
	}
	errno = error;
}

void kt_descriptor_closing(int fd)
{
	const struct kt_device *device;
	int error = errno;
	bool locked;

	if (!kt_device_is_open(fd) || !kt_process_is_own()) {
		return;
	}
	locked = kt_lock();
	device = kt_device_get(fd);
	if (device) {
		struct kt_event_device_close event = {.device = device->name, .fd = fd};

		kt_emit_device_close(&event);
		kt_device_closed(fd);
		kt_wait_device_closed(fd);
	}
	kt_unlock(locked);
	errno = error;
}

/* --- from elsewhere --- */

#define PATH_SIZE 64 /* a device's is short; a longer one is cut and has another name */

/* That it was used is noted at its first ioctl: the process may only hand it on. */
void kt_descriptor_arrived(int fd)
{
	char link[32] = "/proc/self/fd/";
	char path[PATH_SIZE];
	char digits[12];
	size_t at = sizeof(digits);
	const char *name = NULL;
	int error = errno;
	int rest = fd;
	ssize_t n;

	if (fd < 0 || fd >= KT_DEVICE_MAX || kt_device_is_open(fd)) {
		return;
	}
	digits[--at] = '\0';
	do {
		digits[--at] = (char)('0' + rest % 10);
		rest /= 10;
	} while (rest);
	memcpy(link + strlen(link), digits + at, sizeof(digits) - at);
	/* libc's, so that a library which stands in for the driver can answer. */
	n = readlink(link, path, PATH_SIZE - 1);
	if (n > 0 && n < PATH_SIZE - 1) {
		path[n] = '\0';
		name = kt_device_name(path);
	}
	if (name) {
		note_opened(fd, name, 0);
	}
	errno = error;
}

static void arrived(int *fd)
{
	kt_descriptor_arrived(*fd);
}

void kt_descriptors_received(const struct msghdr *message)
{
	kt_descriptors_each(message, arrived);
}

static void found(int fd, void *unused)
{
	(void)unused;
	kt_descriptor_arrived(fd);
}

void kt_devices_scan(void)
{
	if (kt_proc_numbers("/proc/self/fd", found, NULL) != 0) {
		kt_count(&kt_counters->setup_failures);
	}
}
