/* SPDX-License-Identifier: MIT */
/* A process that continues in the background is still recorded there. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/collect/scenarios/play.h"

/* The parent waits until the background process has ended. */
int main(void)
{
	int pipes[2];
	int status = 0;
	char end;
	pid_t child;

	if (pipe(pipes) != 0) {
		return 1;
	}
	set_up();
	fflush(stdout);
	child = fork();
	if (child == 0) {
		close(pipes[0]);
		release(DEVICE);
		printf("daemon %d\n", daemon(1, 1));
		submit(1);
		exit(0);
	}
	close(pipes[1]);
	waitpid(child, &status, 0);
	while (read(pipes[0], &end, 1) > 0) {
	}
	printf("child gave %d\n", WEXITSTATUS(status));
	release(CLIENT);
	return 0;
}
