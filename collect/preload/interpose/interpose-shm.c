/* SPDX-License-Identifier: MIT */
/*
 * shm_open, for LTTng's sake. Its threads wait for a session daemon on a page of
 * /dev/shm/lttng-ust-wait-8, which every user may write to: one who wakes them and
 * truncates the file ends the program by SIGBUS. A recorded process's daemon is there
 * before it, so LTTng gets a page that nobody else has. The price: a daemon of the whole
 * machine that is started later is not noticed.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "collect/preload/emit/join.h"
#include "collect/preload/process/interpose.h"
#include "collect/preload/process/kernel.h"
#include "collect/preload/process/real.h"

#define WAIT_FILE "/lttng-ust-wait-"
#define PAGE      4096

/*
 * A file of the process's own user, else LTTng refuses it. For root that is /dev/zero,
 * which gives memory of one's own when it is mapped shared. For others it is a memfd, where
 * the limit of file sizes allows: the kernel sends SIGXFSZ for these, too.
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
	fd = size.rlim_cur < PAGE
		     ? -1
		     : KT_KERNEL_TRY(SYS_memfd_create, "lttng-ust-wait", MFD_CLOEXEC);
	if (kt_kernel_failed(fd)) {
		return -1;
	}
	if (KT_KERNEL(SYS_ftruncate, fd, PAGE) != 0) {
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
	return kt_real()->shm_open(name, flags, mode);
}
