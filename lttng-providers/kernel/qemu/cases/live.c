/* SPDX-License-Identifier: MIT */
/*
 * A process that has a doorbell and uses it all the time: live CHANNEL. It submits an entry
 * and waits until the device has taken it, till it gets SIGTERM; says how often it could.
 * Another page of the device it has closed with mprotect meanwhile, which must stay closed.
 */
#define _GNU_SOURCE
#include <signal.h>

#include "bare.h"

static volatile sig_atomic_t ended;

static void end(int signal)
{
	(void)signal;
	ended = 1;
}

/* Whether it can be read: here by the kernel, which says so instead of dying. */
static bool is_open(const void *page)
{
	int ends[2];
	bool is_read;

	if (pipe(ends) != 0) {
		fail("pipe: %s", strerror(errno));
	}
	is_read = write(ends[1], page, 4) == 4;
	close(ends[0]);
	close(ends[1]);
	return is_read;
}

int main(int argc, char **argv)
{
	unsigned channel = argc > 1 ? (unsigned)atoi(argv[1]) : 0;
	int fd = bare_open();
	struct bare_ring *ring = bare_ring(fd, channel);
	door *bell = bare_door(bare_map(fd, 1, 0));
	uint32_t *closed = (uint32_t *)bare_ring(fd, channel + 4);
	uint32_t i = 0;

	closed[8] = channel;
	mprotect(closed, PAGE, PROT_NONE);
	signal(SIGTERM, end);
	while (!ended) {
		bare_put(ring, ++i);
		*bell = BARE_TOKEN(i, channel);
		if (!bare_wait(ring, 10)) {
			fail("store %u: the kick is lost", i);
		}
		if (i == 1) {
			printf("begun\n");
			fflush(stdout);
		}
	}
	if (is_open(closed)) {
		fail("a page that is closed can be read");
	}
	mprotect(closed, PAGE, PROT_READ);
	if (closed[8] != channel) {
		fail("a page that was closed is another one");
	}
	printf("%u submissions\n", i);
	return 0;
}
