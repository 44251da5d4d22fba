/* SPDX-License-Identifier: MIT */
/*
 * A minimal stand-in for NVIDIA's kernel driver. Preloaded after the recorder, it answers
 * open, ioctl and mmap of /dev/nvidia* with memory. It does not check objects, and all
 * mappings of one memory object have the same contents.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/collect/scenarios/fake-driver.h"

#define EXPORT __attribute__((visibility("default")))

/*
 * Returns the file with the driver's release, which selects the recorder's struct layouts.
 */
static int release_file(void)
{
	static const char text[] =
		"NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  "
		"580.159.04  Release Build\n";
	int fd = memfd_create("version", 0);

	if (write(fd, text, sizeof(text) - 1) < 0) {
		return -1;
	}
	lseek(fd, 0, SEEK_SET);
	return fd;
}

EXPORT int open(const char *path, int flags, ...)
{
	static int (*next)(const char *, int, ...);
	va_list args;
	mode_t mode;

	va_start(args, flags);
	mode = (mode_t)va_arg(args, unsigned);
	va_end(args);
	if (!next) {
		next = (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, "open");
	}
	if (strcmp(path, "/proc/driver/nvidia/version") == 0) {
		return release_file();
	}
	if (strncmp(path, "/dev/nvidia", 11) != 0) {
		return next(path, flags, mode);
	}
	if (strcmp(path, "/dev/nvidia9") == 0) {
		errno = ENODEV;
		return -1;
	}
	if (strcmp(path, FAKE_EVENT_DEVICE) == 0) {
		return eventfd(0, flags & O_NONBLOCK ? EFD_NONBLOCK : 0);
	}
	return memfd_create(path + 5, 0);
}

/* The second name of open in libc. */
__asm__(".globl __open\n.type __open, @function\n.set __open, open");

/*
 * The stand-in's descriptors are memory files; their links show names of device files
 * instead.
 */
EXPORT ssize_t readlink(const char *path, char *buffer, size_t size)
{
	static const char ours[] = "/memfd:nvidia";
	static const char theirs[] = "/dev/nvidia";
	static ssize_t (*next)(const char *, char *, size_t);
	char target[256];
	size_t name;
	ssize_t n;

	if (!next) {
		next = (ssize_t(*)(const char *, char *, size_t))dlsym(RTLD_NEXT,
								       "readlink");
	}
	n = next(path, target, sizeof(target) - 1);
	if (n < 0 || (size_t)n == sizeof(target) - 1 ||
	    strncmp(target, ours, sizeof(ours) - 1) != 0) {
		return next(path, buffer, size);
	}
	target[n] = '\0';
	name = strcspn(target + sizeof(ours) - 1, " ");
	if (sizeof(theirs) - 1 + name > size) {
		return next(path, buffer, size);
	}
	memcpy(buffer, theirs, sizeof(theirs) - 1);
	memcpy(buffer + sizeof(theirs) - 1, target + sizeof(ours) - 1, name);
	return (ssize_t)(sizeof(theirs) - 1 + name);
}

static int answer(struct fake_call *call, unsigned nr)
{
	if (nr == 0x2a && call->u.control.cmd == 0xc36f0108) {
		*(uint32_t *)(uintptr_t)call->u.control.params = FAKE_TOKEN;
	}
	if (nr == 0x2a && call->u.control.cmd == FAKE_BAD_COMMAND) {
		errno = EINVAL;
		return -1;
	}
	if (nr == 0x4e && ftruncate(call->u.map.fd, (off_t)call->u.map.length)) {
		return -1;
	}
	return 0;
}

static int real_ioctl(int fd, unsigned long request, void *argument)
{
	static int (*next)(int, unsigned long, ...);

	if (!next) {
		next = (int (*)(int, unsigned long, ...))dlsym(RTLD_NEXT, "ioctl");
	}
	return next(fd, request, argument);
}

EXPORT int ioctl(int fd, unsigned long request, ...)
{
	va_list args;
	void *argument;

	va_start(args, request);
	argument = va_arg(args, void *);
	va_end(args);
	if (_IOC_TYPE(request) == 'F' && _IOC_NR(request) == 0xd3) {
		struct fake_xfer *xfer = argument;

		return answer((void *)(uintptr_t)xfer->pointer, xfer->command);
	}
	if (_IOC_TYPE(request) == 'F') {
		return answer(argument, _IOC_NR(request));
	}
	if (request < 0x100 || request == 0x30000001) {
		return 0; /* a request of the unified-memory driver */
	}
	return real_ioctl(fd, request, argument);
}

/*
 * Answers calls by number that stand for the functions above; forwards all others to libc.
 */
EXPORT long syscall(long number, ...)
{
	static long (*next)(long, ...);
	long a[6];
	va_list args;

	va_start(args, number);
	for (int i = 0; i < 6; i++) {
		a[i] = va_arg(args, long);
	}
	va_end(args);
	if (!next) {
		next = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
	}
	if ((number == SYS_openat || number == SYS_openat2) && (uintptr_t)a[1] > 4096 &&
	    strncmp((const char *)a[1], "/dev/nvidia", 11) == 0) {
		return open((const char *)a[1], O_RDWR);
	}
	if (number == SYS_ioctl) {
		return ioctl((int)a[0], (unsigned long)a[1], a[2]);
	}
	return next(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
