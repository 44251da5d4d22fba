/* SPDX-License-Identifier: MIT */
/*
 * Mappings lose pages in their middle, or are split by mprotect() before they are unmapped.
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "tests/collect/scenarios/play.h"

int main(void)
{
	volatile char *mapped;
	volatile char *split;

	set_up();
	alloc(DEVICE, SYS, 0x3e, NULL, 0);
	mapped = map(SYS, 8 * PAGE, PROT_READ | PROT_WRITE);
	alloc(DEVICE, FB, 0x40, NULL, 0);
	split = map(FB, 4 * PAGE, PROT_READ | PROT_WRITE);
	for (int page = 0; page < 8; page++) {
		mapped[page * PAGE] = (char)('a' + page);
	}
	printf("hole %d\n", munmap((char *)(uintptr_t)mapped + 2 * PAGE, 3 * PAGE));
	printf("%c%c%c%c%c\n", mapped[0], mapped[PAGE], mapped[5 * PAGE], mapped[6 * PAGE],
	       mapped[7 * PAGE]);
	split[PAGE] = 's';
	mprotect((char *)(uintptr_t)split + PAGE, PAGE, PROT_READ);
	printf("split %c\n", split[PAGE]);
	printf("one goes %d\n", munmap((void *)(uintptr_t)split, 4 * PAGE));
	printf("not a page %d\n", munmap((char *)(uintptr_t)mapped + 1, PAGE));
	mapped[7 * PAGE] = 'z';
	printf("two go %d\n", munmap((void *)(uintptr_t)mapped, 8 * PAGE));
	release(CLIENT);
	return 0;
}
