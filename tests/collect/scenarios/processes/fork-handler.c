/* SPDX-License-Identifier: MIT */
/*
 * A library's fork handler talks to the driver in the child: that request is the child's.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/collect/scenarios/play.h"

/* What a library does about a fork of its program's: it, too, talks to the driver. */
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
