/* SPDX-License-Identifier: MIT */
/*
 * A process that has a doorbell and uses it all the time: live CHANNEL [fork]. It submits
 * an entry and waits until the device has taken it, till it gets SIGTERM; says how often it
 * could. fork: a child of its own does each. Another page of the device it has closed with
 * mprotect meanwhile, which must stay closed.
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

static void submit(struct bare_ring *ring, door *bell, uint32_t i, unsigned channel)
{
	bare_put(ring, i);
	*bell = BARE_TOKEN(i, channel);
	if (!bare_wait(ring, PATIENCE)) {
		fail("store %u: the kick is lost", i);
	}
}

static void submit_by_child(struct bare_ring *ring, door *bell, uint32_t i,
			    unsigned channel)
{
	pid_t child = fork();

	if (child == 0) {
		submit(ring, bell, i, channel);
		_exit(0);
	}
	wait_for(child);
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
	bool forks = argc > 2 && strcmp(argv[2], "fork") == 0;
	uint32_t *closed = (uint32_t *)bare_ring(fd, channel + 4);
	uint32_t i = 0;

	closed[8] = channel;
	mprotect(closed, PAGE, PROT_NONE);
	signal(SIGTERM, end);
	while (!ended) {
		if (forks) {
			submit_by_child(ring, bell, i, channel);
		}
		submit(ring, bell, ++i, channel);
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
