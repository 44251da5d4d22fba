/* SPDX-License-Identifier: MIT */
/*
 * Signals and faults during an instruction that is single-stepped because it cannot be
 * emulated.
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>

#include "tests/collect/scenarios/play.h"

static volatile uint32_t *fb;
static volatile sig_atomic_t ticks;
static sigjmp_buf back;
static volatile int blocked;

static void tick(int number)
{
	(void)number;
	fb[5] = (uint32_t)++ticks;
}

static void jump(int number)
{
	sigset_t now;

	sigprocmask(SIG_BLOCK, NULL, &now);
	blocked += sigismember(&now, SIGUSR1) + (sigismember(&now, number) != 1);
	siglongjmp(back, 1);
}

/* These instructions are not emulated. They access the device and a closed page. */
__attribute__((noinline)) static void save_vectors(volatile void *to)
{
	__asm__ volatile("fxsave64 (%0)" : : "r"(to) : "memory");
}

__attribute__((noinline)) static void pop_to(volatile void *to, const volatile void *from)
{
	__asm__ volatile("movsq" : "+D"(to), "+S"(from) : : "memory");
}

int main(void)
{
	struct itimerval every = {{0, 1000}, {0, 1000}};
	struct itimerval never = {{0, 0}, {0, 0}};
	volatile char *closed =
		mmap(NULL, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	volatile int jumped = 0;

	set_up();
	alloc(DEVICE, SYS, 0x40, NULL, 0);
	fb = map(SYS, 4 * PAGE, PROT_READ | PROT_WRITE);
	fb[0] = 1;
	signal(SIGALRM, tick);
	signal(SIGSEGV, jump);
	setitimer(ITIMER_REAL, &every, NULL);
	while (ticks < 200) {
		save_vectors(fb + PAGE / 4);
		if (ticks % 10 == 0 && sigsetjmp(back, 1) == 0) {
			pop_to(fb, closed);
		} else {
			jumped = 1;
		}
	}
	setitimer(ITIMER_REAL, &never, NULL);
	printf("equal %d, jumped %d, blocked %d\n", fb[5] == (uint32_t)ticks, jumped,
	       blocked);
	release(CLIENT);
	return 0;
}
