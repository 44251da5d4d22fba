/* SPDX-License-Identifier: MIT */
/*
 * Each store to a doorbell must be observed exactly once: witness STORES SEED. One thread
 * randomly maps, moves, protects, replaces and unmaps the last doorbell page, stores to the
 * doorbell and next to it, and forks children that do the same. A second kernel module
 * counts the reported stores; no other program may store to this page.
 */
#define _GNU_SOURCE
#include "stores.h"

struct shared *shared;
__thread uint64_t chance;
__thread sigjmp_buf *recovery;

static int fd;
/*
 * Page of the only doorbell; NULL if it is unmapped. With several doorbells QEMU 7.2 also
 * reports the debug register of an earlier hit, and thus a store that was not made.
 */
static char *page;
static uint64_t stored;
static uint64_t before;   /* doorbells that were reported before the start */
static char recent[4000]; /* actions since the last successful check */

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
	uint64_t reported = bare_state(fd).last_doorbells - before;

	if (reported != stored) {
		fail("%llu stores to a doorbell, but %llu reported; since the last "
		     "check:%s",
		     (unsigned long long)stored, (unsigned long long)reported, recent);
	}
	recent[0] = '\0';
}

/* Maps, unmaps, moves or replaces the page, at one of two addresses. */
static void change(void)
{
	unsigned how = page ? below(5) : 3;
	char *at;

	note(" change %u of %p", how, (void *)page);
	switch (how) {
	case 0:
		munmap(page, PAGE);
		page = NULL;
		break;
	case 1:
		at = page_at(page == page_at(0));
		if (mremap(page, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, at) != at) {
			fail("mremap: %s", strerror(errno));
		}
		page = at;
		break;
	case 2:
		/* Ordinary memory replaces the page; a store there must not be reported. */
		if (mmap(page, PAGE, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != page) {
			fail("mmap: %s", strerror(errno));
		}
		*bare_doorbell(page) = 8;
		munmap(page, PAGE);
		page = NULL;
		break;
	case 3:
		at = page_at(once_in(2));
		if (page && page != at) { /* one doorbell only: see `page` */
			munmap(page, PAGE);
		}
		page = mmap(at, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd,
			    (BARE_PAGES - 1l) * PAGE);
		if (page != at) {
			fail("map the last doorbell: %s", strerror(errno));
		}
		break;
	default:
		mprotect(page, PAGE, PROT_READ);
		mprotect(page, PAGE, PROT_READ | PROT_WRITE);
		break;
	}
}

static void step(void)
{
	unsigned kind;

	if (once_in(5) || !page) {
		change();
	} else if (once_in(8)) {
		volatile uint32_t *words = (volatile uint32_t *)page;

		words[0x100] = 1;
		(void)words[BARE_TIMER_LOW / 4];
	} else {
		kind = below(STORES_KINDS);
		if (!is_locked_store(kind)) {
			note(" store by %u to %p", kind, (void *)page);
			store_by(kind, page + BARE_DOORBELL, BARE_TOKEN(1, 7));
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
		check();
		stored -= by_us;
		_exit(write(ends[1], &stored, sizeof(stored)) != sizeof(stored));
	}
	if (read(ends[0], &by_child, sizeof(by_child)) != sizeof(by_child)) {
		fail("a child did not report its stores");
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
	before = bare_state(fd).last_doorbells;
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
