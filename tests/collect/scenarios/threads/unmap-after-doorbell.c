/* SPDX-License-Identifier: MIT */
/*
 * A thread writes the doorbell. Another thread reads the written value and unmaps the
 * doorbell at once, perhaps before the first has executed another instruction.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>

#include "tests/collect/scenarios/play.h"

#define ROUNDS   200
#define DOORBELL 0x90

static volatile char *_Atomic doorbell;

static void *ring_each(void *argument)
{
	(void)argument;
	for (uint32_t round = 1; round <= ROUNDS; round++) {
		volatile char *mine;

		while (!(mine = atomic_load(&doorbell))) {
		}
		ring(mine, round);
		atomic_store(&doorbell, NULL);
	}
	return NULL;
}

int main(void)
{
	pthread_t ringer;

	set_up();
	alloc(DEVICE, USERMODE, 0xc661, NULL, 0);
	pthread_create(&ringer, NULL, ring_each, NULL);
	for (uint32_t round = 1; round <= ROUNDS; round++) {
		volatile char *mapped = map(USERMODE, 16 * PAGE, PROT_READ | PROT_WRITE);
		volatile uint32_t *word = (volatile uint32_t *)(mapped + DOORBELL);

		atomic_store(&doorbell, mapped);
		while (*word != round) {
		}
		munmap((void *)(uintptr_t)mapped, 16 * PAGE);
		while (atomic_load(&doorbell)) {
		}
	}
	pthread_join(ringer, NULL);
	printf("%d doorbells\n", ROUNDS);
	release(CLIENT);
	return 0;
}
