/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "collect/preload/interpose/descriptors.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "collect/preload/emit/emit.h"
#include "collect/preload/emit/lock.h"
#include "collect/preload/interpose/process-instance.h"
#include "collect/preload/interpose/versions.h"
#include "collect/preload/interpose/waits.h"
#include "collect/preload/mappings/devices.h"
#include "collect/preload/process/counters.h"
#include "collect/preload/process/passed-descriptors.h"
#include "collect/preload/process/proc-numbers.h"
#include "collect/preload/process/process.h"
#include "collect/preload/signals/signal-wrap.h"

/* --- the first device of the process --- */

#define LAST_LIBRARY "libktail-record-last.so"

static bool has_last;

bool kt_device_use_ends_last(void)
{
	return has_last;
}

/*
 * libcuda's own destructor may still call the driver, but it runs after the destructors of
 * all libraries loaded before libcuda, including LTTng's. The first call therefore loads a
 * library that depends on LTTng's libraries: LTTng's destructors then run after libcuda's.
 */
void kt_device_used(void)
{
	static bool tried;
	char path[PATH_MAX];
	Dl_info self;
	const char *slash;
	bool first;

	kt_dlsym_scan();
	kt_versions_emit();
	first = !__atomic_exchange_n(&tried, true, __ATOMIC_SEQ_CST);
	if (!first) {
		return;
	}
	kt_count(&kt_counters->device_users);
	if (!dladdr((void *)&has_last, &self)) {
		kt_count(&kt_counters->setup_failures);
		return;
	}
	slash = strrchr(self.dli_fname, '/');
	snprintf(path, sizeof(path), "%.*s/" LAST_LIBRARY,
		 slash ? (int)(slash - self.dli_fname) : 1, slash ? self.dli_fname : ".");
	has_last = dlopen(path, RTLD_NOW) != NULL;
	if (!has_last) {
		kt_count(&kt_counters->setup_failures);
	}
}

/* --- opening and closing --- */

static bool note_opened(int fd, const char *name, int error)
{
	struct kt_event_device_open event = {
		.device = name,
		.fd = fd,
		.error = fd < 0 ? error : 0,
	};
	bool locked;

	if (!kt_process_ask_own()) {
		return false;
	}
	kt_wrap_search();
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

	if (!kt_device_is_open(fd) || !kt_process_ask_own()) {
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

/* --- descriptors from elsewhere --- */

#define PATH_SIZE 64 /* longer than any device's path */

/*
 * Does not call kt_device_used(): until its first ioctl, the process does not count as
 * using the device, because it may merely pass the descriptor on.
 */
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
	/* Calls libc, so that a preloaded library that simulates a driver can answer. */
	n = readlink(link, path, PATH_SIZE - 1);
	/* A path that fills the buffer, perhaps truncated, is not a device's. */
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
