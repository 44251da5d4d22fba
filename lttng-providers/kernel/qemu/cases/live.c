/* SPDX-License-Identifier: MIT */
/*
 * A process that has a doorbell and uses it all the time: live CHANNEL. It submits an entry
 * and waits until the device has taken it, till it gets SIGTERM; says how often it could.
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
	door *bell = bare_door(bare_map(fd, 1, 0));
	uint32_t i = 0;

	signal(SIGTERM, end);
	while (!ended) {
		bare_put(ring, ++i);
		*bell = BARE_TOKEN(i, channel);
		if (!bare_wait(ring, PATIENCE)) {
			fail("store %u: the kick is lost", i);
		}
		if (i == 1) {
			printf("begun\n");
			fflush(stdout);
		}
	}
	printf("%u submissions\n", i);
	return 0;
}
