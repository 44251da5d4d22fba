/* SPDX-License-Identifier: MIT */
/*
 * Makes a request whose argument is a page that never arrives, as from a hanging FUSE
 * server. Code that reads the argument after the driver has returned waits until this
 * process is killed.
 */
#define _GNU_SOURCE
#include <linux/userfaultfd.h>

#include "bare.h"

int main(void)
{
	int fd = bare_open();
	int faults = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
	struct uffdio_api api = {.api = UFFD_API};
	struct uffdio_register page = {.mode = UFFDIO_REGISTER_MODE_MISSING};
	void *at = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			0);

	page.range.start = (uintptr_t)at;
	page.range.len = PAGE;
	if (at == MAP_FAILED || faults < 0 || ioctl(faults, UFFDIO_API, &api) != 0 ||
	    ioctl(faults, UFFDIO_REGISTER, &page) != 0) {
		fail("userfaultfd: %s", strerror(errno));
	}
	say_begun();
	ioctl(fd, _IOWR('k', 99, char[64]), at);
	fail("the argument was not waited for: %s", strerror(errno));
}
