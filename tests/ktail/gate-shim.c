/* SPDX-License-Identifier: MIT */
/*
 * A library to preload before the recorder's: changes one of the ioctls that a driver
 * makes, as another version of the driver might. In the environment:
 *   GATE_SHIM=drop:N    the N-th NV_ESC_RM_CONTROL is not made, but succeeds
 *   GATE_SHIM=double:N  the N-th NV_ESC_RM_CONTROL is made twice
 *   GATE_SHIM=late:N    the N-th NV_ESC_RM_CONTROL is made after the next ioctl
 *   GATE_SHIM=kill:N    the process is killed at the N-th NV_ESC_RM_CONTROL
 *   GATE_SHIM=exit:N    the process exits with status 0 at the N-th NV_ESC_RM_CONTROL
 *   GATE_SHIM=class:N   another class is tried before the N-th NV_ESC_RM_ALLOC
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define RM_CONTROL 0x2a
#define RM_ALLOC   0x2b
#define CLASS_AT   3 /* index of hClass in NVOS21_PARAMETERS and NVOS64_PARAMETERS */

static int (*next_ioctl)(int, unsigned long, ...);
static char what[16];
static long at;
static long seen;
static long allocated;

static struct {
	int fd;
	unsigned long request;
	char argument[256];
} held;

__attribute__((constructor)) static void start(void)
{
	const char *text = getenv("GATE_SHIM");
	void *symbol = dlsym(RTLD_NEXT, "ioctl");

	memcpy(&next_ioctl, &symbol, sizeof(next_ioctl));
	if (text) {
		sscanf(text, "%15[a-z]:%ld", what, &at);
	}
}

/* Tries an allocation with another class, as a driver does that prefers a newer class. */
static void try_class(int fd, unsigned long request, const void *argument)
{
	uint32_t members[64];

	if (_IOC_SIZE(request) <= sizeof(members)) {
		memcpy(members, argument, _IOC_SIZE(request));
		members[CLASS_AT] += 0x100;
		next_ioctl(fd, request, members);
	}
}

__attribute__((visibility("default"))) int ioctl(int fd, unsigned long request, ...)
{
	const size_t size = _IOC_SIZE(request);
	const int is_control = _IOC_TYPE(request) == 'F' && _IOC_NR(request) == RM_CONTROL;
	va_list list;
	void *argument;
	int result;

	va_start(list, request);
	argument = va_arg(list, void *);
	va_end(list);
	if (_IOC_TYPE(request) == 'F' && _IOC_NR(request) == RM_ALLOC &&
	    ++allocated == at && strcmp(what, "class") == 0) {
		try_class(fd, request, argument);
	}
	if (is_control && ++seen == at && size <= sizeof(held.argument)) {
		if (strcmp(what, "drop") == 0) {
			return 0;
		}
		if (strcmp(what, "kill") == 0) {
			kill(getpid(), SIGKILL);
		}
		if (strcmp(what, "exit") == 0) {
			exit(0);
		}
		if (strcmp(what, "double") == 0) {
			next_ioctl(fd, request, argument);
		}
		if (strcmp(what, "late") == 0) {
			held.fd = fd;
			held.request = request;
			memcpy(held.argument, argument, size);
			return 0;
		}
	}
	result = next_ioctl(fd, request, argument);
	if (held.request) {
		request = held.request;
		held.request = 0;
		next_ioctl(held.fd, request, held.argument);
	}
	return result;
}
