/* SPDX-License-Identifier: MIT */
/*
 * Crashes like a program with a crash reporter: report, default action, the instruction
 * again.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include "tests/collect/scenarios/play.h"

/* Reports the fault and restores the default action; the instruction then faults again. */
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
