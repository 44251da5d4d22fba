/* SPDX-License-Identifier: MIT */
/*
 * The timer in the doorbell's page, which the device sets to the time of the kernel's
 * monotonic clock: timer SAID. It must go on, never back, and not be seconds old; so before
 * the doorbell is used, and between its uses.
 */
#define _GNU_SOURCE
#include "bare.h"

#define LIMIT 2.0 /* seconds that it may be old, on a machine that has much to do */

static uint64_t read_timer(const volatile uint32_t *page)
{
	for (;;) {
		uint32_t high = page[BARE_TIMER_HIGH / 4];
		uint32_t low = page[BARE_TIMER_LOW / 4];

		if (page[BARE_TIMER_HIGH / 4] == high) {
			return (uint64_t)high << 32 | low;
		}
	}
}

int main(int argc, char **argv)
{
	int fd = bare_open();
	struct bare_ring *ring = bare_ring(fd, 0);
	volatile uint32_t *page = bare_map(fd, 1, 0);
	uint64_t last = 0;
	unsigned changes = 0;
	double oldest = 0;
	struct said said;

	if (argc != 2) {
		fail("usage: timer SAID");
	}
	said_begin(&said, 100);
	usleep(100000); /* the device wakes up with the first file */
	for (uint32_t i = 0; i < 100; i++) {
		uint64_t now = read_timer(page);
		double age = seconds() - (double)now / 1e9;

		if (now < last) {
			fail("the timer goes back, from %llu to %llu",
			     (unsigned long long)last, (unsigned long long)now);
		}
		changes += now != last;
		oldest = age > oldest ? age : oldest;
		last = now;
		usleep(10000);
		if (i >= 50) {
			bare_put(ring, i);
			ring_bell(&said, bare_door((void *)page), BARE_TOKEN(i, 0));
		}
	}
	printf("%u values, the oldest of %.3f s\n", changes, oldest);
	if (changes < 10 || oldest > LIMIT) {
		fail("%u values, the oldest of %.3f s", changes, oldest);
	}
	if (!bare_wait(ring, 10)) {
		fail("a kick is lost");
	}
	said_write(&said, argv[1], "");
	return 0;
}
