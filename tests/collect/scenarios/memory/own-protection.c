/* SPDX-License-Identifier: MIT */
/* The program closes pages of a mapping itself, and handles the resulting faults. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>

#include "tests/collect/scenarios/play.h"

static volatile sig_atomic_t handled;

static char *page_of(void *address)
{
	return (char *)((uintptr_t)address & ~(uintptr_t)(PAGE - 1));
}

static void on_segv(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	(void)context;
	handled++;
	mprotect(page_of(info->si_addr), PAGE, PROT_READ | PROT_WRITE);
}

int main(void)
{
	struct sigaction action = {.sa_sigaction = on_segv, .sa_flags = SA_SIGINFO};
	volatile char *mapped;
	volatile char *closed;

	sigaction(SIGSEGV, &action, NULL);
	set_up();
	alloc(DEVICE, SYS, 0x3e, NULL, 0);
	mapped = map(SYS, 4 * PAGE, PROT_READ | PROT_WRITE);
	mapped[PAGE] = 'p';
	mprotect((char *)(uintptr_t)mapped + PAGE, PAGE, PROT_NONE);
	mapped[PAGE + 1] = 'q';
	printf("handled %d: %c%c\n", (int)handled, mapped[PAGE], mapped[PAGE + 1]);
	mprotect((void *)(uintptr_t)mapped, 4 * PAGE, PROT_READ);
	printf("read %c, handled %d\n", mapped[PAGE], (int)handled);
	mapped[2 * PAGE] = 'r';
	printf("handled %d: %c\n", (int)handled, mapped[2 * PAGE]);
	alloc(DEVICE, FB, 0x40, NULL, 0);
	closed = map(FB, PAGE, PROT_NONE);
	closed[3] = 'c';
	printf("handled %d: %c\n", (int)handled, closed[3]);
	printf("fails %d\n", mprotect((char *)(uintptr_t)mapped + 1, PAGE, PROT_NONE));
	release(CLIENT);
	return 0;
}
