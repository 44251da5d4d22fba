/* SPDX-License-Identifier: MIT */
/*
 * The timer in the doorbell page, which the device sets to the kernel's monotonic clock:
 * timer SAID. The timer must never go back and must reach the current time, before the
 * doorbell is used and between its uses.
 */
#define _GNU_SOURCE
#include "bare.h"

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

/* Waits until the timer has reached the time at which this function was called. */
static uint64_t await_now(const volatile uint32_t *page, uint64_t last)
{
	double now = seconds();

	for (;;) {
		uint64_t timer = read_timer(page);

		if (timer < last) {
			fail("the timer goes back, from %llu to %llu",
			     (unsigned long long)last, (unsigned long long)timer);
		}
		if ((double)timer >= now * 1e9) {
			return timer;
		}
		if (seconds() > now + PATIENCE) {
			fail("the timer does not reach the clock: it is at %llu",
			     (unsigned long long)timer);
		}
		last = timer;
		usleep(1000);
	}
}

int main(int argc, char **argv)
{
	int fd = bare_open();
	struct bare_ring *ring = bare_ring(fd, 0);
	volatile uint32_t *page = bare_map(fd, 1, 0);
	uint64_t last = 0;
	struct said said;

	if (argc != 2) {
		fail("usage: timer SAID");
	}
	said_begin(&said, 100);
	for (uint32_t i = 0; i < 100; i++) {
		last = await_now(page, last);
		if (i >= 50) {
			bare_put(ring, i);
			ring_doorbell(&said, bare_doorbell((void *)page), BARE_TOKEN(i, 0));
		}
	}
	bare_await(ring, 0, 99);
	said_write(&said, argv[1], "");
	return 0;
}
