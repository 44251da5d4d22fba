/* SPDX-License-Identifier: MIT */
/*
 * Descriptors of the device's own. They lie in the program's table: closefrom() and the
 * like close them, and the program's next file may then have the number. So each is looked
 * at before it is used, and what is not ours any more is left alone.
 */
#define _GNU_SOURCE
#include "corpus/softgpu/device/engine.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "corpus/softgpu/device/system.h"

/* They go where no program looks for its own: above this, if there is room. */
#define HIGH_FD 700

static bool look(int fd, struct stat *status)
{
	return KT_KERNEL(SYS_fstat, fd, (long)(uintptr_t)status, 0, 0, 0, 0) == 0;
}

int kt_gpu_door_open(struct kt_gpu_door *door, int fd)
{
	struct stat status;
	long high;

	door->fd = -1;
	if (fd < 0) {
		return fd;
	}
	high = KT_KERNEL(SYS_fcntl, fd, F_DUPFD_CLOEXEC, HIGH_FD, 0, 0, 0);
	if (high >= 0) {
		(void)kt_system_close(fd);
	}
	door->fd = high < 0 ? fd : (int)high;
	if (!look(door->fd, &status)) {
		return -EBADF;
	}
	door->device = status.st_dev;
	door->inode = status.st_ino;
	return 0;
}

bool kt_gpu_door_is_ours(const struct kt_gpu_door *door)
{
	struct stat status;

	return door->fd >= 0 && look(door->fd, &status) && status.st_dev == door->device &&
	       status.st_ino == door->inode;
}

void kt_gpu_door_close(struct kt_gpu_door *door)
{
	if (kt_gpu_door_is_ours(door)) {
		(void)kt_system_close(door->fd);
	}
	door->fd = -1;
}
