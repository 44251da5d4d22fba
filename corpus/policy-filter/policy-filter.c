/* SPDX-License-Identifier: MIT */
/*
 * A library to preload, for experiments: enforces a list that `ktail policy` wrote as TSV
 * (KTAIL_POLICY=LIST.tsv). If the list does not name a device file, ioctl, RM control,
 * class or mapping, its use fails with EPERM, and a line on standard error names the
 * refused operation. Runs with this library show whether a list is complete and minimal. It
 * does not protect anything, because a program can make system calls without it.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#define NAME      "ktail-policy-filter"
#define NEEDS_MAX 4096
#define FILES_MAX 4096
#define EXPORT    __attribute__((visibility("default")))

/*
 * Numbers of requests, from src/common/sdk/nvidia/inc/nvos.h and
 * kernel-open/common/inc/nv-ioctl*.h.
 */
enum {
	ALLOC_MEMORY = 0x27,
	ALLOC_OBJECT = 0x28,
	CONTROL = 0x2a,
	ALLOC = 0x2b,
	XFER = 0xd3
};

/* nv_ioctl_xfer_t */
struct transfer {
	uint32_t nr;
	uint32_t size;
	uint64_t argument; /* address */
};

/*
 * Programs request class NV01_ROOT or NV01_ROOT_NON_PRIV. The kernel module replaces the
 * class in the request by NV01_ROOT_CLIENT (observed with release 580), so traces and lists
 * contain NV01_ROOT_CLIENT.
 */
enum { ROOT = 0x0, ROOT_NON_PRIV = 0x1, ROOT_CLIENT = 0x41 };

/*
 * Index of the dword that holds the command (in NVOS54_PARAMETERS) or the class (in NVOS21,
 * NVOS64, NVOS05 and NVOS02).
 */
#define COMMAND_AT 2
#define CLASS_AT   3

struct need {
	char kind[12];
	char device[32];
	uint32_t number;
};

static struct need needs[NEEDS_MAX];
static size_t n_needs;
static char files[FILES_MAX][32]; /* by descriptor: name of the device file; "": other */

static int (*next_open)(const char *, int, ...);
static int (*next_open64)(const char *, int, ...);
static int (*next_openat)(int, const char *, int, ...);
static int (*next_close)(int);
static int (*next_ioctl)(int, unsigned long, ...);
static void *(*next_mmap)(void *, size_t, int, int, int, off_t);
static void *(*next_mmap64)(void *, size_t, int, int, int, off64_t);

static void find(void *function, const char *name)
{
	void *symbol = dlsym(RTLD_NEXT, name);

	memcpy(function, &symbol, sizeof(symbol));
}

static void read_list(const char *path)
{
	FILE *file = fopen(path, "re");
	char line[1024];

	if (!file) {
		fprintf(stderr, NAME ": open %s: %s\n", path, strerror(errno));
		_exit(126);
	}
	while (fgets(line, sizeof(line), file) && n_needs < NEEDS_MAX) {
		struct need *need = &needs[n_needs];
		char *rest = line;
		const char *kind = strsep(&rest, "\t");
		const char *device = strsep(&rest, "\t");
		const char *number = strsep(&rest, "\t");

		if (number && strcmp(kind, "kind") != 0) {
			snprintf(need->kind, sizeof(need->kind), "%s", kind);
			snprintf(need->device, sizeof(need->device), "%s", device);
			need->number = (uint32_t)strtoull(number, NULL, 0);
			n_needs++;
		}
	}
	fclose(file);
}

__attribute__((constructor)) static void start(void)
{
	const char *path = getenv("KTAIL_POLICY");

	find(&next_open, "open");
	find(&next_open64, "open64");
	find(&next_openat, "openat");
	find(&next_close, "close");
	find(&next_ioctl, "ioctl");
	find(&next_mmap, "mmap");
	find(&next_mmap64, "mmap64");
	if (path) {
		read_list(path);
	}
}

/*
 * Returns whether the list is empty or names the operation. An empty device in the list
 * stands for any device. In a mapping, however, it stands for the program's own memory.
 */
static bool is_listed(const char *kind, const char *device, uint32_t number)
{
	for (size_t i = 0; i < n_needs; i++) {
		const struct need *need = &needs[i];

		if (strcmp(need->kind, kind) == 0 && need->number == number &&
		    (strcmp(need->device, device) == 0 ||
		     (!need->device[0] && strcmp(kind, "map") != 0))) {
			return true;
		}
	}
	return n_needs == 0;
}

static bool is_refused(const char *kind, const char *device, uint32_t number)
{
	if (is_listed(kind, device, number)) {
		return false;
	}
	fprintf(stderr, NAME ": refused: %s %s 0x%x\n", kind, device, number);
	errno = EPERM;
	return true;
}

/* --- device files --- */

/*
 * Writes the name of the device file without "/dev/" and with "#" instead of its number:
 * "nvidia#" for /dev/nvidia0. Writes "" for a file that is not one of NVIDIA's devices.
 */
static void name_file(char out[static 32], const char *path)
{
	size_t n;

	out[0] = '\0';
	if (strncmp(path, "/dev/nvidia", 11) != 0 || strchr(path + 5, '/')) {
		return;
	}
	n = strlen(path);
	while (isdigit((unsigned char)path[n - 1])) {
		n--;
	}
	snprintf(out, 32, "%.*s%s", (int)(n - 5 < 30 ? n - 5 : 30), path + 5,
		 path[n] ? "#" : "");
}

static int opened(int fd, const char *name)
{
	if (fd >= 0 && fd < FILES_MAX) {
		memcpy(files[fd], name, sizeof(files[fd]));
	}
	return fd;
}

#define MODE(flags, mode)                                                                  \
	do {                                                                               \
		va_list list;                                                              \
		va_start(list, flags);                                                     \
		(mode) = (flags) & (O_CREAT | O_TMPFILE) ? va_arg(list, mode_t) : 0;       \
		va_end(list);                                                              \
	} while (0)

EXPORT int open(const char *path, int flags, ...)
{
	char name[32];
	mode_t mode;

	MODE(flags, mode);
	name_file(name, path);
	return name[0] && is_refused("file", name, 0)
		       ? -1
		       : opened(next_open(path, flags, mode), name);
}

EXPORT int open64(const char *path, int flags, ...)
{
	char name[32];
	mode_t mode;

	MODE(flags, mode);
	name_file(name, path);
	return name[0] && is_refused("file", name, 0)
		       ? -1
		       : opened(next_open64(path, flags, mode), name);
}

EXPORT int openat(int folder, const char *path, int flags, ...)
{
	char name[32];
	mode_t mode;

	MODE(flags, mode);
	name_file(name, path);
	return name[0] && is_refused("file", name, 0)
		       ? -1
		       : opened(next_openat(folder, path, flags, mode), name);
}

EXPORT int close(int fd)
{
	if (fd >= 0 && fd < FILES_MAX) {
		files[fd][0] = '\0';
	}
	return next_close(fd);
}

static const char *file_of(int fd)
{
	return fd >= 0 && fd < FILES_MAX ? files[fd] : "";
}

/* --- ioctls and mappings --- */

static bool is_request_refused(const char *device, uint32_t nr, const void *argument)
{
	const uint32_t *members = argument;
	uint32_t number;

	if (is_refused("request", device, nr)) {
		return true;
	}
	switch (nr) {
	case CONTROL: return is_refused("control", "", members[COMMAND_AT]);
	case ALLOC:
	case ALLOC_OBJECT:
	case ALLOC_MEMORY:
		number = members[CLASS_AT];
		number = number == ROOT || number == ROOT_NON_PRIV ? ROOT_CLIENT : number;
		return is_refused("class", "", number);
	default: return false;
	}
}

EXPORT int ioctl(int fd, unsigned long request, ...)
{
	const char *device = file_of(fd);
	struct transfer transfer;
	bool refused = false;
	va_list list;
	void *argument;

	va_start(list, request);
	argument = va_arg(list, void *);
	va_end(list);
	if (strncmp(device, "nvidia-uvm", 10) == 0) {
		refused = is_refused("uvm", device, (uint32_t)request);
	} else if (device[0]) {
		refused = is_request_refused(device, _IOC_NR(request), argument);
		if (!refused && _IOC_NR(request) == XFER) {
			memcpy(&transfer, argument, sizeof(transfer));
			refused = is_request_refused(device, transfer.nr,
						     (void *)(uintptr_t)transfer.argument);
		}
	}
	return refused ? -1 : next_ioctl(fd, request, argument);
}

EXPORT void *mmap(void *address, size_t length, int protection, int flags, int fd,
		  off_t offset)
{
	const char *device = flags & MAP_ANONYMOUS ? "" : file_of(fd);

	if (!next_mmap) { /* mmap() is called before start() */
		find(&next_mmap, "mmap");
	}
	return device[0] && is_refused("map", device, 0)
		       ? MAP_FAILED
		       : next_mmap(address, length, protection, flags, fd, offset);
}

EXPORT void *mmap64(void *address, size_t length, int protection, int flags, int fd,
		    off64_t offset)
{
	const char *device = flags & MAP_ANONYMOUS ? "" : file_of(fd);

	if (!next_mmap64) {
		find(&next_mmap64, "mmap64");
	}
	return device[0] && is_refused("map", device, 0)
		       ? MAP_FAILED
		       : next_mmap64(address, length, protection, flags, fd, offset);
}
