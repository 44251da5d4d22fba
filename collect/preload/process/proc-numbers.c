/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "collect/preload/process/proc-numbers.h"

#include <fcntl.h>
#include <limits.h>
#include <stdint.h>

#include "collect/preload/process/kernel.h"

/* One of the entries that getdents64(2) gives. */
struct entry {
	uint64_t inode;
	int64_t offset;
	unsigned short length;
	unsigned char type;
	char name[];
};

/* -1: the name is no number. */
static int number_of(const char *name)
{
	int number = 0;

	if (!*name) {
		return -1;
	}
	for (; *name >= '0' && *name <= '9' && number < INT_MAX / 10; name++) {
		number = number * 10 + (*name - '0');
	}
	return *name ? -1 : number;
}

int kt_proc_numbers(const char *folder, void (*visit)(int number, void *context),
		    void *context)
{
	_Alignas(struct entry) char buffer[4096];
	int fd = (int)KT_KERNEL_TRY(SYS_open, folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	long n;

	if (fd < 0) {
		return fd;
	}
	while ((n = KT_KERNEL_TRY(SYS_getdents64, fd, buffer, sizeof(buffer))) > 0) {
		for (long at = 0; at < n;) {
			const struct entry *entry = (const void *)(buffer + at);
			int number = number_of(entry->name);

			if (number >= 0) {
				visit(number, context);
			}
			at += entry->length;
		}
	}
	KT_KERNEL(SYS_close, fd);
	return (int)n;
}
