/* SPDX-License-Identifier: MIT */
/*
 * Reads the doorbell page repeatedly, as libcuda polls the timer there, and writes another
 * page of the same mapping. The recorder must not leave the doorbell page open for a
 * window.
 */
#include <stdio.h>
#include <sys/mman.h>

#include "tests/collect/scenarios/play.h"

int main(void)
{
	volatile char *doorbell;
	int sum = 0;

	set_up();
	alloc(DEVICE, USERMODE, 0xc661, NULL, 0);
	doorbell = map(USERMODE, 16 * PAGE, PROT_READ | PROT_WRITE);
	for (int i = 0; i < 40; i++) {
		sum += doorbell[0x80];
	}
	for (int i = 0; i < 40; i++) {
		doorbell[PAGE + i] = (char)i;
	}
	ring(doorbell, 1);
	printf("sum %d\n", sum);
	release(CLIENT);
	return 0;
}
