/* SPDX-License-Identifier: MIT */
/*
 * There are more threads than the process may have descriptors, and a watchpoint takes a
 * descriptor for each existing thread. Every thread writes the doorbell. The mapping is
 * private and has no alias, so that a watchpoint is preferred.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "tests/collect/scenarios/play.h"

#define THREADS 40
#define FILES   32

static volatile char *doorbell;
static atomic_int turn = -1;

/*
 * Threads write one after the other, because the page is open to all threads during a
 * write.
 */
static void *ring_once(void *number)
{
	while (turn != (int)(intptr_t)number) {
		sched_yield();
	}
	ring(doorbell, 1);
	turn++;
	return NULL;
}

int main(void)
{
	struct rlimit few = {.rlim_cur = FILES, .rlim_max = FILES};
	pthread_t threads[THREADS];
	int fd;

	for (intptr_t i = 0; i < THREADS; i++) {
		pthread_create(&threads[i], NULL, ring_once, (void *)i);
	}
	set_up();
	alloc(DEVICE, USERMODE, 0xc661, NULL, 0);
	setrlimit(RLIMIT_NOFILE, &few);
	doorbell = map_as(USERMODE, 16 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE);
	fd = dup(control_fd);
	printf("descriptors %s\n", fd >= 0 ? "left" : "used up");
	turn = 0;
	for (int i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
	}
	release(CLIENT);
	return 0;
}
