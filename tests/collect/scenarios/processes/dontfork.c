/* SPDX-License-Identifier: MIT */
/*
 * Children inherit some mappings only in part or not at all. Later mappings at the missing
 * addresses must not be watched.
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/collect/scenarios/play.h"

#define GAP ((size_t)1 << 28)

static void *map_nothing(size_t length)
{
	return mmap(NULL, length, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

/*
 * Reserves the address range above all later mappings, and fills any hole above it. The
 * range is released before the fork: mappings that others (LTTng's threads, a sanitizer)
 * create during the fork are then placed in the range, not at addresses that the child does
 * not inherit.
 */
static char *fill_gap(void)
{
	char *gap = map_nothing(GAP);
	char *filled = gap;

	for (int i = 0; i < 100000 && filled >= gap; i++) {
		filled = map_nothing(PAGE);
	}
	return gap;
}

/* Maps other memory at the addresses that were not inherited. */
static int child(char *none, char *some)
{
	char *over = mmap(none, 2 * PAGE, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

	int pipes[2];

	printf("free %d\n", over == none);
	over[0] = 'o';
	some[0] = 's';
	over = mmap(some + PAGE, PAGE, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	printf("free %d\n", over == some + PAGE);
	over[0] = 'p';
	/* The system call writes to the new mapping, which is not a device's. */
	printf("read %d\n", pipe(pipes) == 0 && write(pipes[1], "q", 1) == 1 &&
				    read(pipes[0], none, PAGE) == 1);
	none[1] = 'r';
	printf("%c%c%c%c\n", none[0], none[1], some[0], some[PAGE]);
	munmap(none, 2 * PAGE);
	fflush(stdout);
	return 4;
}

int main(void)
{
	char *gap = fill_gap();
	int status = 0;
	char *none;
	char *some;
	pid_t pid;

	set_up();
	alloc(DEVICE, SYS, 0x3e, NULL, 0);
	none = map(SYS, 2 * PAGE, PROT_READ | PROT_WRITE);
	alloc(DEVICE, FB, 0x40, NULL, 0);
	some = map(FB, 3 * PAGE, PROT_READ | PROT_WRITE);
	madvise(none, 2 * PAGE, MADV_DONTFORK);
	madvise(some + PAGE, PAGE, MADV_DONTFORK);
	none[0] = 'n';
	some[PAGE] = 'm';
	fflush(stdout);
	munmap(gap, GAP);
	pid = fork();
	if (pid == 0) {
		_exit(child(none, some));
	}
	waitpid(pid, &status, 0);
	printf("%c%c%c, child gave %d\n", none[0], some[0], some[PAGE],
	       WEXITSTATUS(status));
	release(CLIENT);
	return 0;
}
