/* SPDX-License-Identifier: MIT */
/*
 * A fault handler jumps instead of returning. If its signal stays blocked, the next fault
 * is fatal.
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "tests/collect/scenarios/play.h"

#define TIMES 10000

static sigjmp_buf back;
static volatile char *closed;
static volatile uint32_t *watched;

static void jump(int number)
{
	(void)number;
	siglongjmp(back, 1);
}

/* Causes faults whose handler jumps instead of returning. */
static int jump_often(int flags, int save_mask)
{
	struct sigaction action = {.sa_handler = jump, .sa_flags = flags};
	volatile int n = 0;

	sigaction(SIGSEGV, &action, NULL);
	for (volatile int i = 0; i < TIMES; i++) {
		if (sigsetjmp(back, save_mask) == 0) {
			*closed = 1;
		} else {
			n++;
		}
		if (i % 1000 == 0) {
			watched[0]++;
		}
	}
	return n;
}

int main(void)
{
	stack_t own = {.ss_size = 65536};
	sigset_t mask;

	own.ss_sp = malloc(own.ss_size);
	set_up();
	alloc(CLIENT, SYS, 0x3e, NULL, 0);
	watched = map(SYS, PAGE, PROT_READ | PROT_WRITE);
	closed = mmap(NULL, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	printf("with the mask %d\n", jump_often(0, 1));
	printf("without %d\n", jump_often(SA_NODEFER, 0));
	sigaltstack(&own, NULL);
	printf("off a stack %d\n", jump_often(SA_ONSTACK, 1));
	sigprocmask(SIG_BLOCK, NULL, &mask);
	printf("watched %u, blocked %d\n", watched[0], sigismember(&mask, SIGSEGV));
	fflush(stdout);
	/* This jump leaves the signal blocked, so the next fault is fatal. */
	jump_often(0, 0);
	printf("never\n");
	return 0;
}
