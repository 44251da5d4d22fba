/* SPDX-License-Identifier: MIT */
/*
 * Accesses a mapping after the end of its file. The handler first jumps, then extends the
 * file; the last access has no handler and ends the program.
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/collect/scenarios/play.h"

static sigjmp_buf back;
static int file;
static const volatile void *beyond;

static void jump(int number, siginfo_t *info, void *context)
{
	(void)context;
	printf("signal %d code %d address ok %d\n", number, info->si_code,
	       info->si_addr == beyond);
	siglongjmp(back, 1);
}

static void grow(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)info;
	(void)context;
	ftruncate(file, 2 * PAGE) == 0 ? (void)0 : _exit(9);
}

int main(void)
{
	struct sigaction action = {.sa_sigaction = jump, .sa_flags = SA_SIGINFO};
	volatile char *mapped;

	file = memfd_create("short", 0);
	mapped = mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	beyond = mapped + PAGE;
	sigaction(SIGBUS, &action, NULL);
	for (volatile int i = 0; i < 2; i++) {
		if (sigsetjmp(back, 1) == 0) {
			mapped[PAGE] = 'a';
		}
	}
	run_submit();
	action.sa_sigaction = grow;
	sigaction(SIGBUS, &action, NULL);
	mapped[PAGE] = 'b';
	printf("stored %c\n", mapped[PAGE]);
	fflush(stdout);
	signal(SIGBUS, SIG_DFL);
	mapped[3 * PAGE] = 'c';
	return 0;
}
