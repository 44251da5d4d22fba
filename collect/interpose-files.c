/* SPDX-License-Identifier: MIT */
/* open, close, dup and kin: which descriptors are devices. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collect/counters.h"
#include "collect/devices.h"
#include "collect/emit.h"
#include "collect/interpose.h"
#include "collect/lock.h"
#include "collect/preload.h"
#include "collect/real.h"

static void opened(int fd, const char *name)
{
	int error = errno;
	struct kt_event_device_open event = {
		.device = name,
		.fd = fd,
		.error = fd < 0 ? error : 0,
	};
	bool locked = kt_lock();

	kt_device_opened(fd, name);
	kt_emit_device_open(&event);
	if (locked) {
		kt_unlock();
	}
	if (fd >= 0) {
		kt_preload_device_used();
	}
	errno = error;
}

static int open_at(int directory, const char *path, int flags, mode_t mode)
{
	const char *name = kt_device_name(path);
	int fd = directory == AT_FDCWD ? kt_real()->open(path, flags, mode)
				       : kt_real()->openat(directory, path, flags, mode);

	if (name) {
		opened(fd, name);
	}
	return fd;
}

/* The mode is there only when a file may be made. */
#define MODE_ARGUMENT(flags, mode)                                                         \
	mode_t mode = 0;                                                                   \
	if ((flags) & (O_CREAT | __O_TMPFILE)) {                                           \
		va_list args;                                                              \
		va_start(args, flags);                                                     \
		mode = (mode_t)va_arg(args, unsigned);                                     \
		va_end(args);                                                              \
	}

KT_INTERPOSE int open(const char *path, int flags, ...)
{
	MODE_ARGUMENT(flags, mode)
	return open_at(AT_FDCWD, path, flags, mode);
}

KT_INTERPOSE int open64(const char *path, int flags, ...)
{
	MODE_ARGUMENT(flags, mode)
	return open_at(AT_FDCWD, path, flags, mode);
}

KT_INTERPOSE int openat(int directory, const char *path, int flags, ...)
{
	MODE_ARGUMENT(flags, mode)
	return open_at(directory, path, flags, mode);
}

KT_INTERPOSE int openat64(int directory, const char *path, int flags, ...)
{
	MODE_ARGUMENT(flags, mode)
	return open_at(directory, path, flags, mode);
}

/* What open becomes in programs built with _FORTIFY_SOURCE; no header declares them. */
KT_INTERPOSE int __open_2(const char *path, int flags);
KT_INTERPOSE int __open64_2(const char *path, int flags);
KT_INTERPOSE int __openat_2(int directory, const char *path, int flags);
KT_INTERPOSE int __openat64_2(int directory, const char *path, int flags);

KT_INTERPOSE int __open_2(const char *path, int flags)
{
	return open_at(AT_FDCWD, path, flags, 0);
}

KT_INTERPOSE int __open64_2(const char *path, int flags)
{
	return open_at(AT_FDCWD, path, flags, 0);
}

KT_INTERPOSE int __openat_2(int directory, const char *path, int flags)
{
	return open_at(directory, path, flags, 0);
}

KT_INTERPOSE int __openat64_2(int directory, const char *path, int flags)
{
	return open_at(directory, path, flags, 0);
}

KT_INTERPOSE int close(int fd)
{
	struct kt_device *device;
	bool locked;

	if (!kt_device_is_open(fd)) {
		return kt_real()->close(fd);
	}
	/* Before the call: the number may be somebody else's right after it. */
	locked = kt_lock();
	device = kt_device_get(fd);
	if (device) {
		struct kt_event_device_close event = {.device = device->name, .fd = fd};

		kt_emit_device_close(&event);
		kt_device_closed(fd);
	}
	if (locked) {
		kt_unlock();
	}
	return kt_real()->close(fd);
}

static int duplicated(int from, int to)
{
	if (to >= 0 && (kt_device_is_open(from) || kt_device_is_open(to))) {
		bool locked = kt_lock();

		kt_device_duplicated(from, to);
		if (locked) {
			kt_unlock();
		}
	}
	return to;
}

KT_INTERPOSE int dup(int fd)
{
	return duplicated(fd, kt_real()->dup(fd));
}

KT_INTERPOSE int dup2(int from, int to)
{
	return duplicated(from, kt_real()->dup2(from, to));
}

KT_INTERPOSE int dup3(int from, int to, int flags)
{
	return duplicated(from, kt_real()->dup3(from, to, flags));
}

static int control(int fd, int command, void *argument)
{
	int result = kt_real()->fcntl(fd, command, argument);

	return command == F_DUPFD || command == F_DUPFD_CLOEXEC ? duplicated(fd, result)
								: result;
}

KT_INTERPOSE int fcntl(int fd, int command, ...)
{
	va_list args;
	void *argument;

	va_start(args, command);
	argument = va_arg(args, void *);
	va_end(args);
	return control(fd, command, argument);
}

KT_INTERPOSE int fcntl64(int fd, int command, ...)
{
	va_list args;
	void *argument;

	va_start(args, command);
	argument = va_arg(args, void *);
	va_end(args);
	return control(fd, command, argument);
}
