/* SPDX-License-Identifier: MIT */
/* A forked child and its parent are recorded, each in its own word. */
#define _GNU_SOURCE
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/collect/scenarios/play.h"

int main(void)
{
	int status = 0;
	pid_t child;

	set_up();
	fflush(stdout);
	child = fork();
	if (child == 0) {
		run_submit();
		fflush(stdout);
		_exit(7);
	}
	waitpid(child, &status, 0);
	printf("child gave %d\n", WEXITSTATUS(status));
	release(CLIENT);
	return 0;
}
