/* SPDX-License-Identifier: MIT */
/* Mappings shrink, grow, move, replace another mapping, and are duplicated. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "tests/collect/scenarios/play.h"

static char *mapped_memory(uint32_t memory, uint32_t class_, char first)
{
	char *mapped;

	alloc(DEVICE, memory, class_, NULL, 0);
	mapped = map(memory, 4 * PAGE, PROT_READ | PROT_WRITE);
	for (int page = 0; page < 4; page++) {
		mapped[page * PAGE] = (char)(first + page);
	}
	return mapped;
}

/* All mappings have the same space, because their order in memory is random. */
int main(void)
{
	char *sys;
	char *fb;
	char *other;

	set_up();
	sys = mapped_memory(SYS, 0x3e, 'a');
	fb = mapped_memory(FB, 0x3e, 'k');
	sys = mremap(sys, 4 * PAGE, 2 * PAGE, 0);
	sys[1] = 'A';
	printf("shrunk %c%c%c\n", sys[0], sys[1], sys[PAGE]);
	other = mmap(sys + 2 * PAGE, PAGE, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	other = mremap(sys, 2 * PAGE, 4 * PAGE, 0);
	printf("no room %d %d\n", other == MAP_FAILED, errno == ENOMEM);
	sys = mremap(sys, 2 * PAGE, 4 * PAGE, MREMAP_MAYMOVE);
	sys[3 * PAGE] = 'D';
	printf("grown %c%c%c%c\n", sys[0], sys[PAGE], sys[2 * PAGE], sys[3 * PAGE]);
	other = mremap(sys, 0, 4 * PAGE, MREMAP_MAYMOVE);
	other[2] = 'C';
	printf("doubled %c%c\n", sys[2], other[3 * PAGE]);
	other = mremap(other, 4 * PAGE, 4 * PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, fb);
	printf("over %d %c%c\n", other == fb, fb[2], sys[1]);
	fb[1] = 'f';
	printf("shared %c\n", sys[1]);
	munmap(fb, 4 * PAGE);
	munmap(sys, 4 * PAGE);
	release(CLIENT);
	return 0;
}
