/* SPDX-License-Identifier: MIT */
/*
 * The program has breakpoints of its own in addition to the recorder's. When the last one
 * is reached, SIGTRAP has no handler.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>

#include "tests/collect/scenarios/play.h"

static volatile sig_atomic_t traps;
static siginfo_t last;

static void on_trap(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)context;
	last = *info;
	traps++;
}

int main(void)
{
	struct sigaction action = {.sa_sigaction = on_trap, .sa_flags = SA_SIGINFO};

	sigaction(SIGTRAP, &action, NULL);
	for (int i = 0; i < 3; i++) {
		__asm__ volatile("int3");
	}
	run_submit();
	__asm__ volatile("int3");
	printf("traps %d, signo %d code %d\n", (int)traps, last.si_signo, last.si_code);
	fflush(stdout);
	signal(SIGTRAP, SIG_DFL);
	__asm__ volatile("int3");
	printf("never\n");
	return 0;
}
