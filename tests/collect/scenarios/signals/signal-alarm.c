/* SPDX-License-Identifier: MIT */
/* A timer's handler jumps out of any function. No lock of the recorder may stay taken. */
#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>

#include "tests/collect/scenarios/play.h"

#define JUMPS 300

static sigjmp_buf back;
static volatile sig_atomic_t jumps;
static volatile uint32_t *fb;

static void jump(int number)
{
	(void)number;
	jumps++;
	siglongjmp(back, 1);
}

static void *touch(void *argument)
{
	(void)argument;
	fb[1]++;
	return NULL;
}

/*
 * The timer also interrupts the recorder inside the program's calls. Afterwards the other
 * thread needs the recorder's lock.
 */
int main(void)
{
	struct itimerval once = {{0, 0}, {0, 300}};
	struct itimerval never = {{0, 0}, {0, 0}};
	pthread_t thread;

	set_up();
	alloc(DEVICE, FB, 0x40, NULL, 0);
	fb = map(FB, PAGE, PROT_READ | PROT_WRITE);
	signal(SIGALRM, jump);
	while (jumps < JUMPS) {
		if (sigsetjmp(back, 1) == 0) {
			setitimer(ITIMER_REAL, &once, NULL);
			for (;;) {
				mprotect((void *)(uintptr_t)fb, PAGE,
					 PROT_READ | PROT_WRITE);
				fb[0]++;
			}
		}
	}
	setitimer(ITIMER_REAL, &never, NULL);
	pthread_create(&thread, NULL, touch, NULL);
	pthread_join(thread, NULL);
	printf("jumps %d, touched %u\n", (int)jumps, fb[1]);
	release(CLIENT);
	return 0;
}
