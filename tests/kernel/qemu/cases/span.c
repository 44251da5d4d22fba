/* SPDX-License-Identifier: MIT */
/*
 * Instructions and system calls that need several pages at once: span. Opening a page for
 * one access must not close the page of another access, or the instruction would fault for
 * ever.
 */
#define _GNU_SOURCE
#include "bare.h"

#define NEAR (PAGE - 4)

static int fd;

/* Maps two adjacent pages of rings, as one mapping or as two. */
static char *map_two(bool is_one)
{
	char *at = bare_map(fd, 2, BARE_PAGES);

	if (!is_one && mmap(at + PAGE, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
			    fd, (BARE_PAGES + 3l) * PAGE) != at + PAGE) {
		fail("mmap: %s", strerror(errno));
	}
	return at;
}

static void copy(volatile void *to, const volatile void *from, unsigned long words)
{
	asm volatile("rep movsl" : "+D"(to), "+S"(from), "+c"(words) : : "memory");
}

static void load_and_store(char *at)
{
	volatile uint64_t *both = (volatile uint64_t *)(at + NEAR);

	*both = *both + 1;
}

static void call(char *at)
{
	int ends[2];

	if (pipe(ends) != 0 || write(ends[1], at + NEAR, 8) != 8 ||
	    read(ends[0], at + NEAR, 8) != 8) {
		fail("write and read across two pages: %s", strerror(errno));
	}
	close(ends[0]);
	close(ends[1]);
}

int main(void)
{
	fd = bare_open();
	for (int i = 0; i < 40; i++) {
		char *at = map_two(i % 2);
		char *other;

		load_and_store(at);
		call(at);
		/* Copies between mappings, in which each access crosses a page boundary. */
		other = map_two(false);
		copy(other, at, 4);
		copy(other + NEAR + 1, at + NEAR + 2, 3);
		copy(at + PAGE, other, 4);
		munmap(other, 2l * PAGE);
		/* Copies to an address near the doorbell, and to the doorbell. */
		other = bare_map(fd, 1, 0);
		copy(other + 0x200, at, 4);
		copy(other + BARE_DOORBELL, at, 1);
		copy(other + BARE_DOORBELL, at, 1);
		munmap(other, PAGE);
		call(at);
		load_and_store(at);
		munmap(at, 2l * PAGE);
	}
	return 0;
}
