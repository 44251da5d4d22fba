/* SPDX-License-Identifier: MIT */
/*
 * A signal with its default action, which is unblocked only while the program waits for
 * signals, ends the program there.
 */
#define _GNU_SOURCE
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/collect/scenarios/play.h"

static void wait_by_suspend(const sigset_t *open)
{
	sigsuspend(open);
}

static void wait_by_poll(const sigset_t *open)
{
	ppoll(NULL, 0, NULL, open);
}

/* Prints the signal that ends a process which waits while a child sends it. */
static void test_wait(void (*wait_for)(const sigset_t *), int number)
{
	sigset_t blocked;
	sigset_t open;
	int status = 0;
	pid_t child;

	fflush(stdout);
	child = fork();
	if (child == 0) {
		sigemptyset(&open);
		sigemptyset(&blocked);
		sigaddset(&blocked, number);
		sigprocmask(SIG_BLOCK, &blocked, NULL);
		if (fork() == 0) {
			usleep(100000);
			kill(getppid(), number);
			_exit(0);
		}
		wait_for(&open);
		_exit(0);
	}
	waitpid(child, &status, 0);
	printf("ended by signal %d\n", WIFSIGNALED(status) ? WTERMSIG(status) : 0);
}

int main(void)
{
	set_up();
	test_wait(wait_by_suspend, SIGTERM);
	test_wait(wait_by_poll, SIGUSR1);
	fflush(stdout);
	return 0;
}
