/* SPDX-License-Identifier: MIT */
/*
 * One thread writes the doorbell as fast as it can: burst SAID N [CHANNEL]. If CHANNEL is
 * given, other processes may write it at the same time, and the device's last token may be
 * one of theirs. If N is 0, prints "begun" after the first store and runs until it is
 * killed.
 */
#define _GNU_SOURCE
#include "bare.h"

/*
 * Waits for the last token, because the device may already have taken the entry at an
 * earlier store.
 */
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
		fail("the last kick was lost: the device read 0x%x, not 0x%x", ring->last,
		     said.values[n]);
	}
	said_write(&said, argv[1], "");
	return 0;
}
