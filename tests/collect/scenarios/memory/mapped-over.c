/* SPDX-License-Identifier: MIT */
/* Maps ordinary memory over a mapping in use. The new memory must not be watched. */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>

#include "tests/collect/scenarios/play.h"

int main(void)
{
	volatile char *mapped;
	volatile char *over;

	set_up();
	alloc(DEVICE, SYS, 0x3e, NULL, 0);
	mapped = map(SYS, 4 * PAGE, PROT_READ | PROT_WRITE);
	mapped[PAGE] = 'm';
	over = mmap((void *)(uintptr_t)(mapped + PAGE), PAGE, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	over[0] = 'x';
	mapped[2 * PAGE] = 'y';
	printf("%c%c\n", over[0], mapped[2 * PAGE]);
	munmap((void *)(uintptr_t)mapped, 4 * PAGE);
	release(CLIENT);
	return 0;
}
