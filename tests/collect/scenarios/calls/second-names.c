/* SPDX-License-Identifier: MIT */
/*
 * Calls to functions of libc by their second names are recorded like calls by their first.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/collect/scenarios/play.h"

/* Exported by libc, but declared in no header. */
int __open(const char *path, int flags, ...);
int __close(int fd);
int __dup2(int from, int to);
pid_t __fork(void);
ssize_t __read(int fd, void *to, size_t n);

int main(void)
{
	struct fake_control control = {
		.client = CLIENT, .object = DEVICE, .cmd = 0x20800a01};
	int closed = 0;
	int status = 0;
	int zero;
	int fd;
	void *memory;
	pid_t child;

	set_up();
	alloc(DEVICE, SYS, 0x3e, NULL, 0);
	memory = map(SYS, PAGE, PROT_READ | PROT_WRITE);
	zero = __open("/dev/zero", O_RDONLY);
	printf("read %zd\n", __read(zero, memory, 8));
	munmap(memory, PAGE);
	fd = __open("/dev/nvidiactl", O_RDWR);
	control_fd = __dup2(fd, 50);
	printf("control %d %d\n", control_fd, call(0x2a, &control, sizeof(control)));
	fflush(stdout);
	child = __fork();
	if (child == 0) {
		for (fd = 3; fd < 4096; fd++) {
			closed += __close(fd) == 0;
		}
		control_fd = __open("/dev/nvidiactl", O_RDWR);
		printf("closed %d, %d\n", closed, call(0x2a, &control, sizeof(control)));
		exit(0);
	}
	waitpid(child, &status, 0);
	printf("child gave %d\n", status);
	return 0;
}
