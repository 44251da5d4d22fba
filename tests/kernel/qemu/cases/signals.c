/* SPDX-License-Identifier: MIT */
/*
 * The doorbell is mapped while signals arrive all the time, like those of a profiler:
 * signals SAID.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <sys/time.h>

#include "bare.h"

static void nothing(int signal)
{
	(void)signal;
}

int main(int argc, char **argv)
{
	const struct itimerval often = {{0, 300}, {0, 300}};
	const struct itimerval never = {{0, 0}, {0, 0}};
	int fd = bare_open();
	struct bare_ring *ring = bare_ring(fd, 0);
	struct said said;
	doorbell_reg *doorbell;

	if (argc != 2) {
		fail("usage: signals SAID");
	}
	said_begin(&said, 20);
	signal(SIGALRM, nothing);
	setitimer(ITIMER_REAL, &often, NULL);
	doorbell = bare_doorbell(bare_map(fd, 1, 0));
	for (uint32_t i = 1; i <= 20; i++) {
		bare_submit(ring, &said, doorbell, 0, i);
	}
	setitimer(ITIMER_REAL, &never, NULL);
	said_write(&said, argv[1], "");
	return 0;
}
