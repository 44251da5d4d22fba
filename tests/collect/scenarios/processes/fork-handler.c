/* SPDX-License-Identifier: MIT */
/*
 * A library's fork handler makes a request to the driver in the child. The request must be
 * recorded as the child's event.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/collect/scenarios/play.h"

static void in_child(void)
{
	release(DEVICE);
}

int main(void)
{
	int status = 0;
	pid_t child;

	pthread_atfork(NULL, NULL, in_child);
	set_up();
	fflush(stdout);
	child = fork();
	if (child == 0) {
		_exit(2);
	}
	waitpid(child, &status, 0);
	printf("child gave %d\n", WEXITSTATUS(status));
	release(CLIENT);
	return 0;
}
