/* SPDX-License-Identifier: MIT */
/*
 * Threads access two mappings and a doorbell in turns, as fast as they can: turns N. Each
 * access to one of the three ends the run of another.
 */
#define _GNU_SOURCE
#include <pthread.h>

#include "bare.h"

#define THREADS 3

static int fd;
static uint32_t n;
static pthread_barrier_t all_there;

static void *touch(void *argument)
{
	size_t i = (size_t)argument;
	volatile uint32_t *mine = bare_map(fd, 1, BARE_PAGES + 1 + i);
	volatile uint32_t *others = bare_map(fd, 1, BARE_PAGES + 1 + (i + 1) % THREADS);
	doorbell_reg *doorbell = bare_doorbell(bare_map(fd, 1, i));
	uint32_t seen = 0;

	pthread_barrier_wait(&all_there);
	for (uint32_t k = 1; k <= n; k++) {
		mine[8] = k;
		if (others[8] < seen) {
			fail("thread %zu: read %u after %u", i, others[8], seen);
		}
		seen = others[8];
		if (k % 4 == 0) {
			*doorbell = BARE_TOKEN(k, 0);
		}
		if (mine[8] != k) {
			fail("thread %zu: read %u, not %u", i, mine[8], k);
		}
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS];

	n = argc == 2 ? (uint32_t)atoi(argv[1]) : 1;
	fd = bare_open();
	pthread_barrier_init(&all_there, NULL, THREADS);
	for (size_t i = 0; i < THREADS; i++) {
		pthread_create(&threads[i], NULL, touch, (void *)i);
	}
	for (size_t i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
	}
	return 0;
}
