/* SPDX-License-Identifier: MIT */
/*
 * One thread rings as fast as it can: burst SAID N [CHANNEL]. With a channel, others may
 * ring at the same time, and what the device sees last may be theirs. N 0: until it is
 * killed, and it says so once it has begun (a line on standard output).
 */
#define _GNU_SOURCE
#include "bare.h"

/* It has taken the entry, maybe at the kick before; the last one must come, too. */
static bool sees_last(const struct bare_ring *ring, uint32_t token)
{
	double end = seconds() + PATIENCE;

	while (__atomic_load_n(&ring->last, __ATOMIC_ACQUIRE) != token) {
		if (seconds() > end) {
			return false;
		}
		usleep(50);
	}
	return true;
}

int main(int argc, char **argv)
{
	size_t n = argc > 2 ? strtoul(argv[2], NULL, 0) : 1;
	unsigned channel = argc > 3 ? (unsigned)atoi(argv[3]) : 0;
	int fd = bare_open();
	doorbell_reg *doorbell = bare_doorbell(bare_map(fd, 1, 0));
	struct bare_ring *ring = bare_ring(fd, channel);
	struct said said;

	said_begin(&said, n);
	if (!n) {
		*doorbell = BARE_TOKEN(1, channel);
		say_begun();
	}
	for (uint32_t i = 1; !n; i++) {
		*doorbell = BARE_TOKEN(i, channel);
	}
	for (uint32_t i = 1; i <= n; i++) {
		ring_doorbell(&said, doorbell, BARE_TOKEN(i, channel));
	}
	bare_put(ring, 77);
	ring_doorbell(&said, doorbell, BARE_TOKEN(n + 1, channel));
	if (!bare_wait(ring, PATIENCE) || (argc <= 3 && !sees_last(ring, said.values[n]))) {
		fail("the last kick is lost: the device has got 0x%x, not 0x%x", ring->last,
		     said.values[n]);
	}
	said_write(&said, argv[1], "");
	return 0;
}
