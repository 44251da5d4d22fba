/* SPDX-License-Identifier: MIT */
/*
 * A program with as many mappings as the kernel allows. The recorder can no longer open
 * single closed pages, because that would split a mapping.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "tests/collect/scenarios/play.h"

#define MOST 300000

/* Alternates the protection of pages until the kernel allows no further mapping. */
static void *fill(void)
{
	char *reserved = mmap(NULL, (size_t)MOST * PAGE, PROT_NONE,
			      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	for (int i = 1; i < MOST; i += 2) {
		if (mprotect(reserved + (size_t)i * PAGE, PAGE, PROT_READ) != 0) {
			break;
		}
	}
	return reserved;
}

int main(void)
{
	volatile unsigned *sys;
	unsigned bit;
	void *reserved;

	set_up();
	alloc(DEVICE, SYS, 0x3e, NULL, 0);
	sys = map(SYS, 8 * PAGE, PROT_READ | PROT_WRITE);
	reserved = fill();
	sys[PAGE / 4] = 0x100;
	__asm__ volatile("bsf %1, %0" : "=r"(bit) : "m"(sys[PAGE / 4]) : "cc");
	printf("bit %u, sum %u\n", bit, sys[PAGE / 4] + sys[0]);
	for (unsigned i = 0; i < 40; i++) {
		sys[PAGE + i] = i;
	}
	printf("last %u\n", sys[PAGE + 39]);
	munmap(reserved, (size_t)MOST * PAGE);
	release(CLIENT);
	return 0;
}
