/* SPDX-License-Identifier: MIT */
/*
 * Copies of the process that clone() and _Fork() create, rather than fork(3), are recorded
 * as process instances.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/collect/scenarios/play.h"

static int child(void *argument)
{
	submit(*(unsigned *)argument);
	fflush(stdout);
	return 6;
}

int main(void)
{
	char *stack = malloc(64 * PAGE);
	unsigned n = 2;
	int status = 0;
	pid_t pid;

	set_up();
	fflush(stdout);
	pid = clone(child, stack + 64 * PAGE, SIGCHLD, &n);
	waitpid(pid, &status, 0);
	printf("clone gave %d\n", WEXITSTATUS(status));
	fflush(stdout);
	pid = _Fork();
	if (pid == 0) {
		release(DEVICE);
		_exit(8);
	}
	waitpid(pid, &status, 0);
	printf("_Fork gave %d\n", WEXITSTATUS(status));
	release(CLIENT);
	free(stack);
	return 0;
}
