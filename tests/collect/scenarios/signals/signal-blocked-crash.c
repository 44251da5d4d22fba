/* SPDX-License-Identifier: MIT */
/* A fault is fatal while its signal is blocked, even if the signal has a handler. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdint.h>
#include <stdio.h>

#include "tests/collect/scenarios/play.h"

static void never(int number)
{
	(void)number;
	printf("never\n");
	fflush(stdout);
}

int main(void)
{
	volatile char *volatile nowhere = (volatile char *)(uintptr_t)PAGE;
	sigset_t all;

	signal(SIGSEGV, never);
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	run_submit();
	fflush(stdout);
	*nowhere = 1;
	return 0;
}
