/* SPDX-License-Identifier: MIT */
/*
 * Uses a doorbell all the time: live CHANNEL [fork]. Until SIGTERM it repeatedly submits an
 * entry and waits until the device has taken it; then it prints the number of submissions.
 * With fork, a new child submits an entry before each of the parent's. Meanwhile another
 * page of the device is closed by mprotect, and must stay closed.
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

int main(int argc, char **argv)
{
	unsigned channel = argc > 1 ? (unsigned)atoi(argv[1]) : 0;
	int fd = bare_open();
	struct bare_ring *ring = bare_ring(fd, channel);
	doorbell_reg *doorbell = bare_doorbell(bare_map(fd, 1, 0));
	bool forks = argc > 2 && strcmp(argv[2], "fork") == 0;
	uint32_t *closed = (uint32_t *)bare_ring(fd, channel + 4);
	uint32_t i = 0;
	int ends[2];

	closed[8] = channel;
	mprotect(closed, PAGE, PROT_NONE);
	signal(SIGTERM, end);
	while (!ended) {
		pid_t child = forks ? fork() : -1;

		if (child == 0) {
			bare_submit(ring, NULL, doorbell, channel, i);
			_exit(0);
		}
		if (forks) {
			wait_for(child);
		}
		bare_submit(ring, NULL, doorbell, channel, ++i);
		if (i == 1) {
			say_begun();
		}
	}
	/* Where a load would raise SIGSEGV, write() fails with EFAULT. */
	if (pipe(ends) != 0) {
		fail("pipe: %s", strerror(errno));
	}
	if (write(ends[1], closed, 4) == 4) {
		fail("a protected page could be read");
	}
	close(ends[0]);
	close(ends[1]);
	mprotect(closed, PAGE, PROT_READ);
	if (closed[8] != channel) {
		fail("a protected page has become another page");
	}
	printf("%u submissions\n", i);
	return 0;
}
