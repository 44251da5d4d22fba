/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "collect/preload/process/proc-numbers.h"

#include <fcntl.h>
#include <limits.h>
#include <stdint.h>

#include "collect/preload/process/kernel.h"

/* An entry as getdents64(2) returns it. */
struct entry {
	uint64_t inode;
	int64_t offset;
	unsigned short length;
	unsigned char type;
	char name[];
};

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
			const char *c = entry->name;
			int number = 0;

			for (; *c >= '0' && *c <= '9' && number < INT_MAX / 10; c++) {
				number = number * 10 + (*c - '0');
			}
			if (*c == '\0' && c != entry->name) { /* the name is a number */
				visit(number, context);
			}
			at += entry->length;
		}
	}
	KT_KERNEL(SYS_close, fd);
	return (int)n;
}
