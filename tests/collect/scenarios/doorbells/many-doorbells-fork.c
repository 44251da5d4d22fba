/* SPDX-License-Identifier: MIT */
/*
 * There are more usermode mappings than debug registers. In a forked child the registers
 * are free again, so that a doorbell may be observed in another way than in the parent. The
 * mappings are private and have no alias, so that watchpoints are preferred.
 */
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/collect/scenarios/play.h"

#define N_DOORBELLS 6

int main(void)
{
	volatile char *doorbells[N_DOORBELLS];
	int status = 0;
	pid_t child;

	set_up();
	for (uint32_t i = 0; i < N_DOORBELLS; i++) {
		alloc(DEVICE, USERMODE + i, 0xc661, NULL, 0);
		doorbells[i] = map_as(USERMODE + i, 16 * PAGE, PROT_READ | PROT_WRITE,
				      MAP_PRIVATE);
	}
	child = fork();
	for (uint32_t i = 0; i < N_DOORBELLS; i++) {
		ring(doorbells[i], i);
	}
	if (child == 0) {
		_exit(7);
	}
	waitpid(child, &status, 0);
	printf("status 0x%x\n", (unsigned)status);
	release(CLIENT);
	return 0;
}
