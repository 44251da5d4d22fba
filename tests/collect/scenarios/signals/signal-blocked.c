/* SPDX-License-Identifier: MIT */
/*
 * Threads that block all signals are recorded, whether they block them by a call, by
 * inheritance or by a thread attribute.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>

#include "tests/collect/scenarios/play.h"

static int blocked_of(const sigset_t *set)
{
	int n = 0;

	for (int i = 1; i < NSIG; i++) {
		n += sigismember(set, i) == 1;
	}
	return n;
}

static void *submit_blocked(void *argument)
{
	sigset_t all;
	sigset_t seen;

	(void)argument;
	pthread_sigmask(SIG_BLOCK, NULL, &seen);
	printf("inherited %d\n", blocked_of(&seen));
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, NULL);
	submit(2);
	pthread_sigmask(SIG_BLOCK, NULL, &seen);
	printf("blocked %d, of them SIGSEGV %d SIGTRAP %d SIGBUS %d\n", blocked_of(&seen),
	       sigismember(&seen, SIGSEGV), sigismember(&seen, SIGTRAP),
	       sigismember(&seen, SIGBUS));
	return NULL;
}

int main(void)
{
	pthread_attr_t attributes;
	pthread_t thread;
	sigset_t set;

	set_up();
	pthread_create(&thread, NULL, submit_blocked, NULL);
	pthread_join(thread, NULL);
	pthread_attr_init(&attributes);
	sigemptyset(&set);
	sigaddset(&set, SIGSEGV);
	sigaddset(&set, SIGUSR1);
	pthread_attr_setsigmask_np(&attributes, &set);
	pthread_create(&thread, &attributes, submit_blocked, NULL);
	pthread_join(thread, NULL);
	sigfillset(&set);
	sigprocmask(SIG_SETMASK, &set, NULL);
	pthread_create(&thread, NULL, submit_blocked, NULL);
	pthread_join(thread, NULL);
	release(CLIENT);
	return 0;
}
