/* SPDX-License-Identifier: MIT */
/* Crashes as a program with a crash reporter does. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include "tests/collect/scenarios/play.h"

/*
 * Reports the fault and restores the default action, so that the instruction faults again
 * and ends the process.
 */
static void report(int number, siginfo_t *info, void *context)
{
	(void)context;
	printf("crash %d at %p\n", number, info->si_addr);
	fflush(stdout);
	signal(number, SIG_DFL);
}

int main(void)
{
	struct sigaction action = {.sa_sigaction = report, .sa_flags = SA_SIGINFO};
	volatile char *volatile nowhere = (volatile char *)(uintptr_t)PAGE;

	sigaction(SIGSEGV, &action, NULL);
	run_submit();
	*nowhere = 1;
	return 0;
}
