/* SPDX-License-Identifier: MIT */
/*
 * A request whose argument nobody provides: what looks at it after the driver waits until
 * this process is killed, as for a page of a file in FUSE.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PAGE 4096

static int fail(const char *what)
{
	fprintf(stderr, "fail: %s: %s\n", what, strerror(errno));
	return 1;
}

int main(void)
{
	int fd = open("/dev/gpusim", O_RDWR | O_CLOEXEC);
	int faults = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
	struct uffdio_api api = {.api = UFFD_API};
	struct uffdio_register page = {.mode = UFFDIO_REGISTER_MODE_MISSING};
	void *at = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			0);

	page.range.start = (uintptr_t)at;
	page.range.len = PAGE;
	if (fd < 0) {
		return fail("open /dev/gpusim");
	}
	if (at == MAP_FAILED || faults < 0 || ioctl(faults, UFFDIO_API, &api) != 0 ||
	    ioctl(faults, UFFDIO_REGISTER, &page) != 0) {
		return fail("userfaultfd");
	}
	printf("begun\n");
	fflush(stdout);
	ioctl(fd, _IOWR('k', 99, char[64]), at);
	return fail("nobody has waited for the argument");
}
