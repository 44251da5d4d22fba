/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "collect/record/kernel-lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include <ktail/status.h>

int kt_kernel_lock_take(int *out, const char *path, pid_t who, const char *output)
{
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	int code;

	*out = -1;
	if (fd < 0) {
		return kt_error_errno(KT_E_IO, "record in the kernel: open %s", path);
	}
	if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
		char holder[512];
		ssize_t n;

		if (errno != EWOULDBLOCK) {
			code = kt_error_errno(KT_E_IO, "record in the kernel: lock %s",
					      path);
			close(fd);
			return code;
		}
		n = pread(fd, holder, sizeof(holder) - 1, 0);
		holder[n > 0 ? n : 0] = '\0';
		holder[strcspn(holder, "\n")] = '\0';
		close(fd);
		return kt_error(KT_E_IO,
				"record in the kernel: another recording uses its modules: "
				"%s",
				holder[0] ? holder : "it has just begun");
	}
	/* For who comes meanwhile. That it cannot be written is no reason not to record. */
	if (ftruncate(fd, 0) == 0) {
		dprintf(fd, "process %ld, into %s (process %ld looks after it)\n",
			(long)who, output, (long)getpid());
	}
	*out = fd;
	return KT_OK;
}

void kt_kernel_lock_give(int lock)
{
	if (lock >= 0) {
		(void)!ftruncate(lock, 0);
		close(lock);
	}
}
