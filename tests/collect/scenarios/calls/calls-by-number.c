/* SPDX-License-Identifier: MIT */
/* A program that makes system calls by number, with syscall(). */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/collect/scenarios/play.h"

static volatile char *raw_map(long fd)
{
	struct fake_map m = {.client = CLIENT,
			     .device = DEVICE,
			     .memory = SYS,
			     .fd = (int)fd,
			     .length = 4 * PAGE};

	syscall(SYS_ioctl, control_fd, _IOC(_IOC_READ | _IOC_WRITE, 'F', 0x4e, sizeof(m)),
		&m);
	return (volatile char *)syscall(SYS_mmap, NULL, 4 * PAGE, PROT_READ | PROT_WRITE,
					MAP_SHARED, fd, 0);
}

static void show(const char *name, long result, int error)
{
	printf("%s %ld %d\n", name, result, errno == error);
}

int main(void)
{
	struct open_how how = {.flags = O_RDWR};
	volatile char *mapped;
	char buffer[4] = "";
	uint64_t all = ~UINT64_C(0);
	uint64_t old = 0;
	int pipes[2];
	int status = 0;
	long pid;
	long fd;

	control_fd = (int)syscall(SYS_openat, AT_FDCWD, "/dev/nvidiactl", O_RDWR);
	alloc(0, CLIENT, 0x41, NULL, 0);
	fd = syscall(SYS_openat2, AT_FDCWD, "/dev/nvidia0", &how, sizeof(how));
	alloc(DEVICE, SYS, 0x3e, NULL, 0);
	mapped = raw_map(fd);
	printf("closed %ld\n", syscall(SYS_close, fd));
	mapped[0] = 'r';
	mapped[1] = 'w';
	printf("pipe %ld\n", syscall(SYS_pipe2, pipes, 0));
	printf("write %ld\n", syscall(SYS_write, pipes[1], mapped, 2));
	printf("read %ld", syscall(SYS_read, pipes[0], buffer, 2));
	printf(" %s\n", buffer);
	show("open", syscall(SYS_openat, AT_FDCWD, (char *)8, O_RDWR), EFAULT);
	show("mprotect", syscall(SYS_mprotect, mapped + 1, PAGE, 0), EINVAL);
	show("none", syscall(100000, 1, 2, 3, 4, 5, 6), ENOSYS);
	printf("block %ld",
	       syscall(SYS_rt_sigprocmask, SIG_BLOCK, &all, NULL, sizeof(all)));
	printf(" %ld", syscall(SYS_rt_sigprocmask, SIG_SETMASK, NULL, &old, sizeof(old)));
	printf(" 0x%llx\n", (unsigned long long)old);
	mapped[3] = 'b';
	fflush(stdout);
	pid = syscall(SYS_fork);
	if (pid == 0) {
		mapped[2] = 'f';
		syscall(SYS_exit_group, 5);
	}
	waitpid((pid_t)pid, &status, 0);
	printf("child gave %d, %c\n", WEXITSTATUS(status), mapped[2]);
	printf("moved %d\n",
	       syscall(SYS_mremap, mapped, 4 * PAGE, 2 * PAGE, 0, NULL) == (long)mapped);
	printf("gone %ld\n", syscall(SYS_munmap, mapped, 2 * PAGE));
	release(CLIENT);
	fflush(stdout);
	syscall(SYS_exit_group, 9);
	return 0;
}
