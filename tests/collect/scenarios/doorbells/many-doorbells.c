/* SPDX-License-Identifier: MIT */
/* Maps more usermode regions than there are debug registers, and writes each doorbell. */
#include <stdio.h>
#include <sys/mman.h>

#include "tests/collect/scenarios/play.h"

#define N_DOORBELLS 6

int main(void)
{
	volatile char *doorbells[N_DOORBELLS];

	set_up();
	for (uint32_t i = 0; i < N_DOORBELLS; i++) {
		alloc(DEVICE, USERMODE + i, 0xc661, NULL, 0);
		doorbells[i] = map(USERMODE + i, 16 * PAGE, PROT_WRITE);
	}
	for (uint32_t round = 0; round < 3; round++) {
		for (uint32_t i = 0; i < N_DOORBELLS; i++) {
			ring(doorbells[i], i);
		}
	}
	for (uint32_t i = 0; i < N_DOORBELLS; i++) {
		munmap((void *)(uintptr_t)doorbells[i], 16 * PAGE);
	}
	printf("%d doorbells\n", 3 * N_DOORBELLS);
	release(CLIENT);
	return 0;
}
