/* SPDX-License-Identifier: MIT */
/* open, close, dup and similar: tracks which descriptors are devices. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collect/preload/emit/join.h"
#include "collect/preload/emit/lock.h"
#include "collect/preload/interpose/descriptors.h"
#include "collect/preload/interpose/waits.h"
#include "collect/preload/mappings/devices.h"
#include "collect/preload/process/interpose.h"
#include "collect/preload/process/kernel.h"
#include "collect/preload/process/process.h"
#include "collect/preload/process/next.h"
#include "collect/preload/process/tracer.h"

/*
 * Call after an open; a failed open of a device is an event too. Does not read the path if
 * the kernel could not read it (EFAULT).
 */
static void opened(int fd, const char *path)
{
	const char *name = fd < 0 && errno == EFAULT ? NULL : kt_device_name(path);

	if (name) {
		kt_descriptor_opened(fd, name);
	}
}

static int open_at(int directory, const char *path, int flags, mode_t mode)
{
	int fd = directory == AT_FDCWD ? kt_next()->open(path, flags, mode)
				       : kt_next()->openat(directory, path, flags, mode);

	opened(fd, path);
	return fd;
}

/* The mode argument exists only if the call may create a file. */
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

KT_INTERPOSE int openat(int directory, const char *path, int flags, ...)
{
	MODE_ARGUMENT(flags, mode)
	return open_at(directory, path, flags, mode);
}

/* Variants of open() and openat() for _FORTIFY_SOURCE; no header declares them. */
KT_INTERPOSE int __open_2(const char *path, int flags);
KT_INTERPOSE int __openat_2(int directory, const char *path, int flags);

KT_INTERPOSE int __open_2(const char *path, int flags)
{
	return open_at(AT_FDCWD, path, flags, 0);
}

KT_INTERPOSE int __openat_2(int directory, const char *path, int flags)
{
	return open_at(directory, path, flags, 0);
}

/* --- stdio files, which are opened and closed inside libc --- */

KT_INTERPOSE FILE *fopen(const char *path, const char *mode)
{
	FILE *file = kt_next()->fopen(path, mode);

	opened(file ? fileno(file) : -1, path);
	return file;
}

KT_INTERPOSE FILE *freopen(const char *path, const char *mode, FILE *file)
{
	FILE *result;

	kt_descriptor_closing(file ? fileno_unlocked(file) : -1);
	result = kt_next()->freopen(path, mode, file);
	if (path) {
		opened(result ? fileno(result) : -1, path);
	} else if (result) {
		kt_descriptor_arrived(fileno(result));
	}
	return result;
}

KT_INTERPOSE int fclose(FILE *file)
{
	kt_descriptor_closing(file ? fileno_unlocked(file) : -1);
	return kt_next()->fclose(file);
}

/* --- LTTng's connection to its daemon --- */

KT_INTERPOSE int socket(int domain, int type, int protocol)
{
	int fd = kt_next()->socket(domain, type, protocol);

	return kt_tracer_has_code(__builtin_return_address(0)) ? kt_tracer_move_up(fd) : fd;
}

/* --- closing: noted before the call, since the number may be reused right after it --- */

KT_INTERPOSE int close(int fd)
{
	if (kt_tracer_is_stopped(__builtin_return_address(0))) {
		return 0;
	}
	if (kt_tracer_has(fd)) {
		if (!kt_tracer_has_code(__builtin_return_address(0))) {
			/* The program must not see that LTTng has this descriptor. */
			errno = EBADF;
			return -1;
		}
		kt_tracer_forget(fd);
	}
	kt_descriptor_closing(fd);
	return kt_next()->close(fd);
}

KT_INTERPOSE int close_range(unsigned first, unsigned last, int flags)
{
	unsigned end = last < KT_DEVICE_MAX ? last : KT_DEVICE_MAX - 1;
	int result = 0;

	for (unsigned fd = first; fd <= end && !(flags & CLOSE_RANGE_CLOEXEC); fd++) {
		kt_descriptor_closing((int)fd);
	}
	if (flags & CLOSE_RANGE_CLOEXEC) {
		return kt_next()->close_range(first, last, flags);
	}
	/* Closes the range in parts, without the descriptors of LTTng and the recorder. */
	for (unsigned fd = first; fd < last && fd < KT_DEVICE_MAX; fd++) {
		if (!kt_tracer_has((int)fd)) {
			continue;
		}
		if (fd > first && kt_next()->close_range(first, fd - 1, flags) != 0) {
			result = -1;
		}
		first = fd + 1;
	}
	if (first == last && kt_tracer_has((int)first)) {
		return result;
	}
	return kt_next()->close_range(first, last, flags) == 0 ? result : -1;
}

KT_INTERPOSE void closefrom(int first)
{
	close_range(first < 0 ? 0 : (unsigned)first, ~0u, 0);
}

static int duplicated(int from, int to)
{
	if (kt_tracer_has(to) && kt_process_ask_own()) {
		kt_tracer_forget(to); /* `to` is the program's now */
	}
	if (to >= 0 && (kt_device_is_open(from) || kt_device_is_open(to)) &&
	    kt_process_ask_own()) {
		bool locked = kt_lock();

		if (to != from) {
			kt_wait_device_closed(to);
		}
		kt_device_duplicated(from, to);
		kt_unlock(locked);
	}
	return to;
}

KT_INTERPOSE int dup(int fd)
{
	return duplicated(fd, kt_next()->dup(fd));
}

KT_INTERPOSE int dup2(int from, int to)
{
	return duplicated(from, kt_next()->dup2(from, to));
}

KT_INTERPOSE int dup3(int from, int to, int flags)
{
	return duplicated(from, kt_next()->dup3(from, to, flags));
}

KT_INTERPOSE int fcntl(int fd, int command, ...)
{
	va_list args;
	void *argument;
	int result;

	va_start(args, command);
	argument = va_arg(args, void *);
	va_end(args);
	result = kt_next()->fcntl(fd, command, argument);
	return command == F_DUPFD || command == F_DUPFD_CLOEXEC ? duplicated(fd, result)
								: result;
}

/* --- LTTng's page --- */

/*
 * Interposes shm_open for LTTng, whose threads wait for a session daemon on a page of
 * /dev/shm/lttng-ust-wait-8. Every user may write to that file, and a user who wakes the
 * threads and truncates it would end the program with SIGBUS. A recorded process has its
 * daemon from the start, so LTTng gets a private page, at the cost that LTTng does not
 * notice a system-wide daemon that starts later.
 */

#define WAIT_FILE "/lttng-ust-wait-"
#define WAIT_PAGE 4096

/*
 * Opens a file of the process's own user, because LTTng refuses files of other users. For
 * root, this is /dev/zero, which gives private memory even if mapped shared; for other
 * users, it is a memfd. Returns -1 if the limit of the file size is too low for the memfd,
 * because the kernel would send SIGXFSZ.
 */
static int open_page(void)
{
	struct rlimit64 size = {0};
	long fd;

	if (geteuid() == 0) {
		fd = KT_KERNEL_TRY(SYS_openat, AT_FDCWD, "/dev/zero", O_RDWR | O_CLOEXEC);
		return kt_kernel_failed(fd) ? -1 : (int)fd;
	}
	KT_KERNEL(SYS_getrlimit, RLIMIT_FSIZE, &size);
	fd = size.rlim_cur < WAIT_PAGE
		     ? -1
		     : KT_KERNEL_TRY(SYS_memfd_create, "lttng-ust-wait", MFD_CLOEXEC);
	if (kt_kernel_failed(fd)) {
		return -1;
	}
	if (KT_KERNEL(SYS_ftruncate, fd, WAIT_PAGE) != 0) {
		KT_KERNEL(SYS_close, fd);
		return -1;
	}
	return (int)fd;
}

KT_INTERPOSE int shm_open(const char *name, int flags, mode_t mode)
{
	if (strncmp(name, WAIT_FILE, sizeof(WAIT_FILE) - 1) == 0 && kt_join_is_recorded()) {
		int fd = open_page();

		if (fd >= 0) {
			return fd;
		}
	}
	return kt_next()->shm_open(name, flags, mode);
}

/* On x86-64 the ordinary functions support large files. */
KT_SECOND_NAME(open64, open);
KT_SECOND_NAME(openat64, openat);
KT_SECOND_NAME(__open64_2, __open_2);
KT_SECOND_NAME(__openat64_2, __openat_2);
KT_SECOND_NAME(fopen64, fopen);
KT_SECOND_NAME(freopen64, freopen);
KT_SECOND_NAME(fcntl64, fcntl);
KT_SECOND_NAME(__open, open);
KT_SECOND_NAME(__open64, open);
KT_SECOND_NAME(__close, close);
KT_SECOND_NAME(__dup2, dup2);
KT_SECOND_NAME(__fcntl, fcntl);
