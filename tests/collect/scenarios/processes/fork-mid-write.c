/* SPDX-License-Identifier: MIT */
/* The child continues to write to a mapping to which its parent was writing. */
#define _GNU_SOURCE
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/collect/scenarios/play.h"

int main(void)
{
	volatile char *shared;
	int status = 0;
	pid_t child;

	set_up();
	alloc(DEVICE, SYS, 0x3e, NULL, 0);
	shared = map(SYS, PAGE, PROT_READ | PROT_WRITE);
	shared[0] = 'p';
	fflush(stdout);
	child = fork();
	if (child == 0) {
		shared[1] = 'c';
		_exit(0);
	}
	waitpid(child, &status, 0);
	printf("%c%c %d\n", shared[0], shared[1], WEXITSTATUS(status));
	release(CLIENT);
	return 0;
}
