/* SPDX-License-Identifier: MIT */
/* The stacks of coroutines are set up by a signal handler on an alternate stack. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "tests/collect/scenarios/play.h"

#define COROUTINES 3
#define STACK      65536

static struct coroutine {
	char *stack;
	sigjmp_buf here;
	uint32_t sum;
} coroutines[COROUTINES];

static struct coroutine *volatile current;
static sigjmp_buf scheduler;
static volatile uint32_t *watched;

static void run(void)
{
	for (volatile uint32_t i = 1; i <= 4; i++) {
		current->sum += i * ++watched[0];
		if (sigsetjmp(current->here, 0) == 0) {
			siglongjmp(scheduler, 1);
		}
	}
	current->stack = NULL;
	siglongjmp(scheduler, 1);
}

/*
 * Runs on the coroutine's stack: first as the handler, which returns, later as the
 * coroutine.
 */
static void begin(int number)
{
	(void)number;
	if (sigsetjmp(current->here, 0) == 0) {
		return;
	}
	run();
}

/* Sets up a coroutine's stack: a signal handler saves its context there. */
static void create(struct coroutine *it)
{
	struct sigaction action = {.sa_handler = begin, .sa_flags = SA_ONSTACK};
	stack_t stack = {.ss_size = STACK};
	struct sigaction old_action;
	stack_t old;

	it->stack = stack.ss_sp = malloc(STACK);
	current = it;
	sigaction(SIGUSR2, &action, &old_action);
	sigaltstack(&stack, &old);
	raise(SIGUSR2);
	sigaltstack(&old, NULL);
	sigaction(SIGUSR2, &old_action, NULL);
	printf("before: flags %d\n", old.ss_flags);
}

int main(void)
{
	volatile int alive = COROUTINES;

	set_up();
	alloc(CLIENT, SYS, 0x3e, NULL, 0);
	watched = map(SYS, PAGE, PROT_READ | PROT_WRITE);
	for (int i = 0; i < COROUTINES; i++) {
		create(&coroutines[i]);
	}
	while (alive) {
		for (volatile int i = 0; i < COROUTINES; i++) {
			current = &coroutines[i];
			if (!current->stack) {
				continue;
			}
			if (sigsetjmp(scheduler, 0) == 0) {
				siglongjmp(coroutines[i].here, 1);
			}
			alive -= !coroutines[i].stack;
		}
	}
	for (int i = 0; i < COROUTINES; i++) {
		printf("sum %u\n", coroutines[i].sum);
	}
	release(CLIENT);
	return 0;
}
