/* SPDX-License-Identifier: MIT */
/*
 * Eight threads write to their own mappings and to one doorbell. Half of the threads are
 * started before the doorbell is mapped.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>

#include "tests/collect/scenarios/play.h"

#define WRITERS 8
#define ROUNDS  24

static pthread_barrier_t mapped;
static volatile char *doorbell;

struct writer {
	pthread_t thread;
	unsigned number;
	uint32_t n_rings;
	uint32_t sum;
};

/* Writes to the thread's own mappings, and to the common doorbell. */
static void *write_and_ring(void *argument)
{
	struct writer *w = argument;
	volatile uint32_t *sys;
	volatile uint32_t *fb;

	pthread_barrier_wait(&mapped);
	sys = map(SYS + w->number, 2 * PAGE, PROT_READ | PROT_WRITE);
	fb = map(FB + w->number, 2 * PAGE, PROT_READ | PROT_WRITE);
	for (uint32_t i = 0; i < ROUNDS; i++) {
		sys[0] = i;
		sys[PAGE / 4] = w->number;
		fb[0] = sys[0] + sys[PAGE / 4];
		ring(doorbell, FAKE_TOKEN);
		w->n_rings++;
		w->sum += fb[0];
	}
	munmap((void *)(uintptr_t)sys, 2 * PAGE);
	munmap((void *)(uintptr_t)fb, 2 * PAGE);
	return NULL;
}

int main(void)
{
	struct writer writers[WRITERS] = {0};

	set_up();
	pthread_barrier_init(&mapped, NULL, WRITERS + 1);
	for (unsigned i = 0; i < WRITERS; i++) {
		alloc(DEVICE, SYS + i, 0x3e, NULL, 0);
		alloc(DEVICE, FB + i, 0x40, NULL, 0);
		writers[i].number = i;
	}
	for (unsigned i = 0; i < WRITERS / 2; i++) {
		pthread_create(&writers[i].thread, NULL, write_and_ring, &writers[i]);
	}
	alloc(DEVICE, USERMODE, 0xc661, NULL, 0);
	doorbell = map(USERMODE, 16 * PAGE, PROT_WRITE);
	for (unsigned i = WRITERS / 2; i < WRITERS; i++) {
		pthread_create(&writers[i].thread, NULL, write_and_ring, &writers[i]);
	}
	pthread_barrier_wait(&mapped);
	for (unsigned i = 0; i < WRITERS; i++) {
		pthread_join(writers[i].thread, NULL);
		printf("writer %u: %u doorbells, sum %u\n", i, writers[i].n_rings,
		       writers[i].sum);
	}
	munmap((void *)(uintptr_t)doorbell, 16 * PAGE);
	release(CLIENT);
	return 0;
}
