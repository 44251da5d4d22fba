/* SPDX-License-Identifier: MIT */
/*
 * Handlers run on the program's own alternate stack. sigaltstack() reports this stack as
 * the program set it.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "tests/collect/scenarios/play.h"

#define STACK 65536

static char *stack;
static sigjmp_buf back;
static volatile int deepest;
static volatile char *closed;
static volatile uint32_t *watched;

static int is_on_it(const void *address)
{
	return (const char *)address >= stack && (const char *)address < stack + STACK;
}

static void say(const char *what)
{
	stack_t now;

	sigaltstack(NULL, &now);
	printf("%s: own %d size %zu flags %d\n", what, now.ss_sp == stack, now.ss_size,
	       now.ss_flags);
}

static int change(const stack_t *to)
{
	return sigaltstack(to, NULL) == 0 ? 0 : errno;
}

static void on_fault(int number, siginfo_t *info, void *context)
{
	char here;
	stack_t other = {.ss_sp = stack, .ss_size = STACK};

	(void)context;
	printf("signal %d on the stack %d, record %d\n", number, is_on_it(&here),
	       is_on_it(info));
	say("inside");
	printf("change %d\n", change(&other) == EPERM);
	watched[2]++;
	mprotect((void *)(uintptr_t)closed, PAGE, PROT_READ | PROT_WRITE);
}

static void fault(int flags)
{
	struct sigaction action = {.sa_sigaction = on_fault,
				   .sa_flags = SA_SIGINFO | flags};

	sigaction(SIGSEGV, &action, NULL);
	mprotect((void *)(uintptr_t)closed, PAGE, PROT_NONE);
	errno = 0;
	*closed = 1;
}

static void overflown(int number)
{
	char here;

	(void)number;
	watched[3]++;
	printf("overflow on the stack %d\n", is_on_it(&here));
	siglongjmp(back, 1);
}

__attribute__((noinline)) static int recurse(int n)
{
	volatile char local[4096];

	local[0] = (char)n;
	deepest = n;
	return n < 1000000000 ? recurse(n + 1) + local[0] : 0;
}

static void *overflow(void *argument)
{
	struct sigaction action = {.sa_handler = overflown, .sa_flags = SA_ONSTACK};
	stack_t own = {.ss_sp = stack, .ss_size = STACK};
	stack_t none = {.ss_flags = SS_DISABLE};

	(void)argument;
	say("thread begins");
	sigaltstack(&own, NULL);
	sigaction(SIGSEGV, &action, NULL);
	for (int i = 0; i < 3; i++) {
		deepest = 0;
		if (sigsetjmp(back, 1) == 0) {
			recurse(1);
		}
		printf("deep %d\n", deepest > 10);
	}
	watched[4]++; /* the recorder's fault must not damage that stack */
	sigaltstack(&none, NULL);
	return NULL;
}

int main(void)
{
	stack_t own;
	stack_t tiny = {.ss_size = 2048};
	stack_t none = {.ss_flags = SS_DISABLE};
	pthread_t thread;

	stack = malloc(STACK);
	own = (stack_t){.ss_sp = stack, .ss_size = STACK};
	set_up();
	alloc(CLIENT, SYS, 0x3e, NULL, 0);
	watched = map(SYS, PAGE, PROT_READ | PROT_WRITE);
	closed = mmap(NULL, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	say("at first");
	fault(SA_ONSTACK);
	sigaltstack(&own, NULL);
	say("set");
	fault(0);
	fault(SA_ONSTACK);
	own.ss_size = 100;
	printf("too small %d\n", change(&own) == ENOMEM);
	own.ss_flags = 77;
	printf("odd %d\n", change(&own) == EINVAL);
	sigaltstack(&none, NULL);
	say("disabled");
	tiny.ss_sp = stack;
	printf("tiny %d\n", sigaltstack(&tiny, NULL));
	say("tiny");
	watched[1] = 1;
	sigaltstack(&none, NULL);
	fault(SA_ONSTACK);
	pthread_create(&thread, NULL, overflow, NULL);
	pthread_join(thread, NULL);
	overflow(NULL);
	printf("watched %u %u %u %u\n", watched[1], watched[2], watched[3], watched[4]);
	release(CLIENT);
	return 0;
}
