/* SPDX-License-Identifier: MIT */
/*
 * A program that has a fault handler, and that also blocks all signals that can be blocked.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/collect/scenarios/play.h"

static volatile sig_atomic_t handled;

static void on_segv(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	(void)context;
	handled++;
	mprotect((void *)((uintptr_t)info->si_addr & ~(uintptr_t)(PAGE - 1)), PAGE,
		 PROT_READ | PROT_WRITE);
}

int main(void)
{
	struct sigaction action = {.sa_sigaction = on_segv, .sa_flags = SA_SIGINFO};
	volatile char *closed =
		mmap(NULL, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct sigaction old;
	sigset_t all;

	sigaction(SIGSEGV, &action, NULL);
	sigaction(SIGSEGV, NULL, &old);
	printf("handler kept %d\n", old.sa_sigaction == on_segv);
	closed[5] = 'x';
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	run_submit();
	printf("handled %d, %c\n", (int)handled, closed[5]);
	return 0;
}
