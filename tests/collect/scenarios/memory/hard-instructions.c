/* SPDX-License-Identifier: MIT */
/* Two kinds of instructions that are not emulated: accesses to many pages, and a jump. */
#define _GNU_SOURCE
#include <immintrin.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>

#include "tests/collect/scenarios/play.h"

#define PAGES 16

static sigjmp_buf back;

/* Loads one element from each page. */
__attribute__((target("avx2"))) static int gather(const int *from, unsigned first)
{
	int at = PAGE / 4;
	__m256i indices =
		_mm256_setr_epi32(0, at, 2 * at, 3 * at, 4 * at, 5 * at, 6 * at, 7 * at);
	int lanes[8];
	int sum = 0;

	_mm256_storeu_si256((void *)lanes,
			    _mm256_i32gather_epi32(from + first, indices, 4));
	for (int i = 0; i < 8; i++) {
		sum += lanes[i];
	}
	return sum;
}

static int pick(const volatile int *from, unsigned first)
{
	int sum = 0;

	for (unsigned i = 0; i < 8; i++) {
		sum += from[first + i * PAGE / 4];
	}
	return sum;
}

static void on_segv(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	(void)info;
	(void)context;
	siglongjmp(back, 1);
}

int main(void)
{
	struct sigaction action = {.sa_sigaction = on_segv, .sa_flags = SA_SIGINFO};
	sigset_t blocked;
	volatile char *fb;
	int *sys;
	int sum;

	set_up();
	alloc(DEVICE, SYS, 0x3e, NULL, 0);
	sys = map(SYS, PAGES * PAGE, PROT_READ | PROT_WRITE);
	for (unsigned i = 0; i < PAGES; i++) {
		((volatile int *)sys)[i * PAGE / 4 + 1] = (int)i + 1;
	}
	alloc(DEVICE, FB, 0x40, NULL, 0);
	fb = map(FB, PAGE, PROT_READ | PROT_WRITE);
	fb[0] = 'f'; /* ends the run of stores and closes its windows */
	sum = __builtin_cpu_supports("avx2") ? gather(sys, 1) : pick(sys, 1);
	sigprocmask(SIG_BLOCK, NULL, &blocked);
	printf("sum %d, blocked %d\n", sum, sigismember(&blocked, SIGUSR1));

	sigaction(SIGSEGV, &action, NULL);
	if (!sigsetjmp(back, 1)) {
		((void (*)(void))(uintptr_t)sys)();
	}
	printf("came back\n");
	release(CLIENT);
	return 0;
}
