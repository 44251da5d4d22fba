/* SPDX-License-Identifier: MIT */
/*
 * Threads that write a doorbell: ring SAID BEFORE AFTER N [NEW]. BEFORE threads exist when
 * the doorbell is mapped, and AFTER threads start then; all store N values each, at the
 * same time. Then NEW threads run one after the other and store once each. Each thread has
 * its own channel and submits an entry before each store.
 */
#define _GNU_SOURCE
#include <pthread.h>

#include "bare.h"

#define THREADS 8

static const char *path;
static size_t n;
static int fd;
static doorbell_reg *doorbell;
static pthread_barrier_t mapped;

struct ringer {
	pthread_t thread;
	unsigned channel;
	struct bare_ring *ring;
	struct said said;
};

static void ring_all(struct ringer *ringer)
{
	said_begin(&ringer->said, n);
	for (uint32_t i = 1; i <= n; i++) {
		bare_put(ringer->ring, i);
		ring_doorbell(&ringer->said, doorbell, BARE_TOKEN(i, ringer->channel));
	}
}

static void *run_before(void *ringer)
{
	pthread_barrier_wait(&mapped);
	ring_all(ringer);
	return NULL;
}

static void *run_after(void *ringer)
{
	ring_all(ringer);
	return NULL;
}

static void *run_new(void *ringer)
{
	struct ringer *self = ringer;

	said_begin(&self->said, 1);
	ring_doorbell(&self->said, doorbell, BARE_TOKEN(thread_id(), 7));
	return NULL;
}

/* Waits for all threads. The device must have taken every entry that they submitted. */
static void finish(struct ringer *ringers, int count)
{
	for (int i = 0; i < count; i++) {
		const struct bare_ring *ring = ringers[i].ring;

		pthread_join(ringers[i].thread, NULL);
		if (!bare_wait(ring, PATIENCE)) {
			fail("channel %u: put %u, get %u: a kick was lost",
			     ringers[i].channel, ring->put, ring->get);
		}
		if (ring->taken != n || ring->sum != (uint64_t)n * (n + 1) / 2) {
			fail("channel %u: the device took %llu entries of %zu",
			     ringers[i].channel, (unsigned long long)ring->taken, n);
		}
		said_write(&ringers[i].said, path, "");
	}
}

int main(int argc, char **argv)
{
	struct ringer ringers[THREADS];
	int before = argc > 4 ? atoi(argv[2]) : -1;
	int all = argc > 4 ? before + atoi(argv[3]) : -1;
	int fresh = argc > 5 ? atoi(argv[5]) : 0;

	if (before < 0 || all > THREADS) {
		fail("usage: ring SAID BEFORE AFTER N [NEW]");
	}
	path = argv[1];
	n = strtoul(argv[4], NULL, 0);
	fd = bare_open();
	pthread_barrier_init(&mapped, NULL, (unsigned)before + 1);
	for (int i = 0; i < all; i++) {
		ringers[i].channel = (unsigned)i;
		ringers[i].ring = bare_ring(fd, (unsigned)i);
	}
	for (int i = 0; i < before; i++) {
		pthread_create(&ringers[i].thread, NULL, run_before, &ringers[i]);
	}
	doorbell = bare_doorbell(bare_map(fd, 1, 0));
	say_begun();
	for (int i = before; i < all; i++) {
		pthread_create(&ringers[i].thread, NULL, run_after, &ringers[i]);
	}
	pthread_barrier_wait(&mapped);
	finish(ringers, all);
	for (int i = 0; i < fresh; i++) {
		struct ringer ringer;

		if (pthread_create(&ringer.thread, NULL, run_new, &ringer) != 0) {
			fail("create thread %d", i);
		}
		pthread_join(ringer.thread, NULL);
		said_write(&ringer.said, path, "");
		free(ringer.said.values);
	}
	return 0;
}
