/* SPDX-License-Identifier: MIT */
/*
 * The program's handlers repair or skip its own faults, and access watched pages meanwhile.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "tests/collect/scenarios/play.h"

static volatile char *closed;
static volatile uint32_t *watched;
static volatile sig_atomic_t handled;
static siginfo_t last;
static sigset_t mask_inside;

/* Accesses watched pages, then opens the page that faulted. */
static void open_it(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	(void)context;
	last = *info;
	pthread_sigmask(SIG_BLOCK, NULL, &mask_inside);
	watched[1] = watched[0] + 1;
	handled++;
	mprotect((void *)((uintptr_t)info->si_addr & ~(uintptr_t)(PAGE - 1)), PAGE,
		 PROT_READ | PROT_WRITE);
	errno = EDOM;
}

extern const char load_at[];
extern const char load_past[];

__attribute__((noinline)) static int load(const volatile char *from)
{
	int value = 77;

	__asm__ volatile(".globl load_at, load_past\n"
			 "load_at: movzbl (%1), %0\n"
			 "load_past:"
			 : "+a"(value)
			 : "r"(from)
			 : "memory");
	return value;
}

/* Continues after the load, and sets the loaded value. */
static void step_over(int signal, siginfo_t *info, void *context)
{
	ucontext_t *user = context;

	(void)signal;
	last = *info;
	handled++;
	if (user->uc_mcontext.gregs[REG_RIP] == (greg_t)(uintptr_t)load_at) {
		user->uc_mcontext.gregs[REG_RIP] = (greg_t)(uintptr_t)load_past;
		user->uc_mcontext.gregs[REG_RAX] = 42;
	}
}

static void plain(int signal)
{
	printf("plain handler of %d\n", signal);
	mprotect((void *)(uintptr_t)closed, PAGE, PROT_READ | PROT_WRITE);
}

static void handle(void (*handler)(int, siginfo_t *, void *), unsigned flags)
{
	struct sigaction action = {.sa_sigaction = handler,
				   .sa_flags = (int)(SA_SIGINFO | flags)};

	sigaddset(&action.sa_mask, SIGUSR1);
	sigaction(SIGSEGV, &action, NULL);
}

static void say(const char *what)
{
	printf("%s: handled %d, signo %d code %d address ok %d, errno ok %d\n", what,
	       (int)handled, last.si_signo, last.si_code,
	       last.si_addr == (const volatile void *)closed, errno == EDOM);
}

int main(void)
{
	struct sigaction now;
	double vector = 1.5;

	set_up();
	alloc(CLIENT, SYS, 0x3e, NULL, 0);
	watched = map(SYS, PAGE, PROT_READ | PROT_WRITE);
	closed = mmap(NULL, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	errno = 0;
	handle(open_it, 0);
	*closed = 'x';
	say("opened");
	printf("inside: SIGSEGV %d SIGUSR1 %d SIGBUS %d\n",
	       sigismember(&mask_inside, SIGSEGV), sigismember(&mask_inside, SIGUSR1),
	       sigismember(&mask_inside, SIGBUS));
	handle(step_over, SA_NODEFER);
	mprotect((void *)(uintptr_t)closed, PAGE, PROT_NONE);
	printf("loaded %d, vector %.1f\n", load(closed), vector * 2);
	say("stepped over");
	signal(SIGSEGV, plain);
	*closed = 'y';
	handle(open_it, SA_RESETHAND);
	mprotect((void *)(uintptr_t)closed, PAGE, PROT_NONE);
	*closed = 'z';
	sigaction(SIGSEGV, NULL, &now);
	say("reset");
	printf("default %d, watched %u\n", now.sa_handler == SIG_DFL, watched[1]);
	release(CLIENT);
	return 0;
}
