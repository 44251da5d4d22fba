/* SPDX-License-Identifier: MIT */
/*
 * More threads than the process may have descriptors for: a watchpoint takes one for each
 * thread that is there already. Every thread rings.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "tests/collect/scenarios/play.h"

#define THREADS 40
#define FILES   32

static volatile char *bell;
static pthread_barrier_t mapped;

static void *ring_once(void *unused)
{
	pthread_barrier_wait(&mapped);
	ring(bell, 1);
	return unused;
}

int main(void)
{
	struct rlimit few = {.rlim_cur = FILES, .rlim_max = FILES};
	pthread_t threads[THREADS];
	int fd;

	pthread_barrier_init(&mapped, NULL, THREADS + 1);
	for (int i = 0; i < THREADS; i++) {
		pthread_create(&threads[i], NULL, ring_once, NULL);
	}
	set_up();
	alloc(DEVICE, BELL, 0xc661, NULL, 0);
	setrlimit(RLIMIT_NOFILE, &few);
	bell = map(BELL, 16 * PAGE, PROT_READ | PROT_WRITE);
	fd = dup(control_fd);
	printf("descriptors %s\n", fd >= 0 ? "left" : "used up");
	pthread_barrier_wait(&mapped);
	for (int i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
	}
	release(CLIENT);
	return 0;
}
