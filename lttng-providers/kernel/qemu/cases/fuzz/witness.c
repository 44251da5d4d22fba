/* SPDX-License-Identifier: MIT */
/*
 * Each store to a doorbell is seen, once: witness STORES SEED. One thread maps the last
 * doorbell page, moves, protects, covers and unmaps it by chance, stores
 * there and beside, and forks children that do; a second module has counted what was told.
 * Nobody else may store there.
 */
#define _GNU_SOURCE
#include "stores.h"

/*
 * One at a time: QEMU 7.2 tells of the register that was hit last with that of another one,
 * and so of a store that was not made.
 */
#define DOORS 1

struct shared *shared;
__thread uint64_t chance;
__thread sigjmp_buf *recovery;

static int fd;
static char *pages[DOORS]; /* NULL: not mapped */
static uint64_t stored;
static uint64_t before;  /* bells, when it began */
static char recent[400]; /* what was done since all was well */

__attribute__((format(printf, 1, 2))) static void note(const char *format, ...)
{
	size_t n = strlen(recent);
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(recent + n, sizeof(recent) - n, format, arguments);
	va_end(arguments);
}

static void check(void)
{
	uint64_t told = bare_state(fd).last_bells - before;

	if (told != stored) {
		fail("%llu stores to a doorbell, of which %llu were told; since the last "
		     "look:%s",
		     (unsigned long long)stored, (unsigned long long)told, recent);
	}
	recent[0] = '\0';
}

/* Each has two places. */
static char *place_of(unsigned door, bool is_second)
{
	return page_at(2 * door + is_second);
}

static void change(unsigned door)
{
	unsigned how = pages[door] ? below(5) : 3;
	char *at;

	if (pages[door]) {
		note(" change %u", door);
	}
	switch (how) {
	case 0:
		munmap(pages[door], PAGE);
		pages[door] = NULL;
		break;
	case 1:
		at = place_of(door, pages[door] == place_of(door, false));
		if (mremap(pages[door], PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, at) !=
		    at) {
			fail("mremap: %s", strerror(errno));
		}
		pages[door] = at;
		break;
	case 2:
		/* Ordinary memory comes in its place, where a store is none. */
		if (mmap(pages[door], PAGE, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != pages[door]) {
			fail("mmap: %s", strerror(errno));
		}
		*bare_door(pages[door]) = 8;
		munmap(pages[door], PAGE);
		pages[door] = NULL;
		break;
	case 3:
		at = place_of(door, once_in(2));
		pages[door] = mmap(at, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
				   fd, (BARE_PAGES - 1l) * PAGE);
		if (pages[door] != at) {
			fail("map the last doorbell: %s", strerror(errno));
		}
		break;
	default:
		mprotect(pages[door], PAGE, PROT_READ);
		mprotect(pages[door], PAGE, PROT_READ | PROT_WRITE);
		break;
	}
}

static void step(void)
{
	unsigned door = below(DOORS);
	unsigned kind;

	if (once_in(5) || !pages[door]) {
		change(door);
	} else if (once_in(8)) {
		volatile uint32_t *words = (volatile uint32_t *)pages[door];

		words[0x100] = 1;
		(void)words[BARE_TIMER_LOW / 4];
	} else {
		kind = below(STORES_KINDS);
		if (!is_locked_store(kind)) {
			note(" store %u by %u", door, kind);
			store_by(kind, pages[door] + BARE_DOORBELL, BARE_TOKEN(1, 7));
			stored++;
		}
	}
	if (once_in(4)) {
		check();
	}
}

static void run_child(void)
{
	int ends[2];
	uint64_t by_child = 0;
	uint64_t by_us = stored;
	pid_t child;

	if (pipe(ends) != 0 || (child = fork()) < 0) {
		fail("fork: %s", strerror(errno));
	}
	if (child == 0) {
		note(" child");
		for (int i = 0; i < 20; i++) {
			step();
		}
		stored -= by_us;
		_exit(write(ends[1], &stored, sizeof(stored)) != sizeof(stored));
	}
	if (read(ends[0], &by_child, sizeof(by_child)) != sizeof(by_child)) {
		fail("a child has not said what it has stored");
	}
	wait_for(child);
	close(ends[0]);
	close(ends[1]);
	stored += by_child;
}

int main(int argc, char **argv)
{
	if (argc != 3) {
		fail("usage: witness STORES SEED");
	}
	begin_chance(strtoull(argv[2], NULL, 10));
	fd = bare_open();
	before = bare_state(fd).last_bells;
	while (stored < strtoull(argv[1], NULL, 10)) {
		step();
		if (once_in(100)) {
			run_child();
		}
	}
	check();
	printf("seed %s: %llu stores\n", argv[2], (unsigned long long)stored);
	return 0;
}
