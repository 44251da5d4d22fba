/* SPDX-License-Identifier: MIT */
/* More usermode mappings than there are debug registers; each is rung. */
#include <stdio.h>
#include <sys/mman.h>

#include "tests/collect/scenarios/play.h"

#define BELLS 6

int main(void)
{
	volatile char *bells[BELLS];

	set_up();
	for (uint32_t i = 0; i < BELLS; i++) {
		alloc(DEVICE, BELL + i, 0xc661, NULL, 0);
		bells[i] = map(BELL + i, 16 * PAGE, PROT_WRITE);
	}
	for (uint32_t round = 0; round < 3; round++) {
		for (uint32_t i = 0; i < BELLS; i++) {
			ring(bells[i], i);
		}
	}
	for (uint32_t i = 0; i < BELLS; i++) {
		munmap((void *)(uintptr_t)bells[i], 16 * PAGE);
	}
	printf("rung %d times\n", 3 * BELLS);
	release(CLIENT);
	return 0;
}
