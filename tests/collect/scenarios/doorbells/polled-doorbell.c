/* SPDX-License-Identifier: MIT */
/*
 * The page of the doorbell is polled, as libcuda polls the timer there, and another page of
 * the same mapping is written: no window may open the doorbell.
 */
#include <stdio.h>
#include <sys/mman.h>

#include "tests/collect/scenarios/play.h"

int main(void)
{
	volatile char *bell;
	int sum = 0;

	set_up();
	alloc(DEVICE, BELL, 0xc661, NULL, 0);
	bell = map(BELL, 16 * PAGE, PROT_READ | PROT_WRITE);
	for (int i = 0; i < 40; i++) {
		sum += bell[0x80];
	}
	for (int i = 0; i < 40; i++) {
		bell[PAGE + i] = (char)i;
	}
	ring(bell, 1);
	printf("sum %d\n", sum);
	release(CLIENT);
	return 0;
}
