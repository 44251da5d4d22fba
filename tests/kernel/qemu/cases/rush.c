/* SPDX-License-Identifier: MIT */
/*
 * Threads make their first stores to a doorbell at the same time, right after it is mapped:
 * rush SAID ROUNDS. Two threads make stores whose value can only be read from memory, one
 * makes plain stores, and one creates threads that store once each. Each thread submits an
 * entry before each store, which the device must take.
 */
#define _GNU_SOURCE
#include <emmintrin.h>
#include <pthread.h>

#include "bare.h"

#define THREADS 4
#define STORES  5

static int fd;
static FILE *out;
static doorbell_reg *doorbell;
static pthread_barrier_t begun;

struct thread {
	pthread_t thread;
	unsigned number;
	struct bare_ring *ring;
};

static void say(uint32_t value, bool reported)
{
	flockfile(out);
	if (reported) {
		fprintf(out, "%d %u\n", thread_id(), value);
	} else {
		fprintf(out, "%d ? movd\n", thread_id());
	}
	funlockfile(out);
}

static void submit(struct thread *self, uint32_t number, bool reported)
{
	uint32_t value = BARE_TOKEN(number, self->number);

	bare_put(self->ring, number);
	if (reported) {
		*doorbell = value;
	} else {
		asm volatile("movd %1, %0"
			     : "=m"(*doorbell)
			     : "x"(_mm_cvtsi32_si128((int)value)));
	}
	say(value, reported);
	bare_await(self->ring, self->number, number);
}

static void *store_once(void *thread)
{
	submit(thread, 7, true);
	return NULL;
}

static void *run(void *thread)
{
	struct thread *self = thread;
	pthread_t child;

	pthread_barrier_wait(&begun);
	for (uint32_t i = 1; i <= STORES; i++) {
		if (self->number < 3) {
			submit(self, i, self->number == 2);
		} else if (pthread_create(&child, NULL, store_once, self) != 0 ||
			   pthread_join(child, NULL) != 0) {
			fail("create a thread");
		}
	}
	return NULL;
}

int main(int argc, char **argv)
{
	struct thread threads[THREADS];
	int rounds = argc == 3 ? atoi(argv[2]) : 0;

	out = rounds > 0 ? fopen(argv[1], "a") : NULL;
	if (!out) {
		fail("usage: rush SAID ROUNDS");
	}
	fd = bare_open();
	for (unsigned i = 0; i < THREADS; i++) {
		threads[i].number = i;
		threads[i].ring = bare_ring(fd, i);
	}
	while (rounds-- > 0) {
		void *page = bare_map(fd, 1, 0);

		doorbell = bare_doorbell(page);
		pthread_barrier_init(&begun, NULL, THREADS);
		for (unsigned i = 0; i < THREADS; i++) {
			if (pthread_create(&threads[i].thread, NULL, run, &threads[i]) !=
			    0) {
				fail("create a thread");
			}
		}
		for (unsigned i = 0; i < THREADS; i++) {
			pthread_join(threads[i].thread, NULL);
		}
		pthread_barrier_destroy(&begun);
		munmap(page, PAGE);
	}
	fclose(out);
	return 0;
}
