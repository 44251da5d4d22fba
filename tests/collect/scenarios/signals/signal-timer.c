/* SPDX-License-Identifier: MIT */
/*
 * A timer's handler writes to the same memory as the program. All the accesses are one run.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/time.h>

#include "tests/collect/scenarios/play.h"

static volatile uint32_t *fb;
static volatile sig_atomic_t ticks;

static void tick(int number)
{
	(void)number;
	fb[0] = (uint32_t)++ticks;
	fb[PAGE / 4] = fb[0];
}

int main(void)
{
	struct itimerval every = {{0, 1000}, {0, 1000}};
	struct itimerval never = {{0, 0}, {0, 0}};
	struct sigaction action = {.sa_handler = tick, .sa_flags = SA_RESTART};
	uint32_t n = 0;

	set_up();
	alloc(DEVICE, SYS, 0x40, NULL, 0);
	fb = map(SYS, 8 * PAGE, PROT_READ | PROT_WRITE);
	fb[8] = 1;
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &every, NULL);
	while (ticks < 200) {
		fb[2 * PAGE / 4 + n % (5 * PAGE / 4)] = n;
		n++;
	}
	setitimer(ITIMER_REAL, &never, NULL);
	printf("equal %d, enough %d\n", fb[0] == fb[PAGE / 4], fb[0] >= 200);
	submit(2);
	release(CLIENT);
	return 0;
}
