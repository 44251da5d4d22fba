/* SPDX-License-Identifier: MIT */
/*
 * Stores to registers of QEMU's edu device: edu-device SAID. The device must compute the
 * factorial of each value. Afterwards the driver, not the program, makes the device raise
 * 20 interrupts, because in mode shadow a program cannot access the other registers of the
 * doorbell page.
 */
#define _GNU_SOURCE
#include "bare.h"
#include "tests/kernel/qemu/edu/edu-ioctl.h"

#define STORES 100

static struct edu_state state_of(int fd)
{
	struct edu_state state;

	bare_ask(fd, EDU_STATE, &state, "get the device's state");
	return state;
}

static uint32_t factorial(uint32_t n)
{
	return n ? n * factorial(n - 1) : 1;
}

/* Stores the next value and waits for its factorial. */
static void compute(int fd, struct said *said, doorbell_reg *doorbell, uint32_t n)
{
	double end = seconds() + PATIENCE;
	uint32_t got = 0;

	ring_doorbell(said, doorbell, n);
	do {
		struct edu_state state = state_of(fd);

		got = state.status & 1 ? 0 : state.factorial;
		if (seconds() > end) {
			fail("store of %u: the device has %u, not %u", n, got,
			     factorial(n));
		}
	} while (got != factorial(n));
}

int main(int argc, char **argv)
{
	int fd = open("/dev/edu", O_RDWR | O_CLOEXEC);
	struct edu_state before;
	struct said said;
	char *page;

	if (fd < 0 || argc != 2) {
		fail("open /dev/edu: %s", strerror(errno));
	}
	page = bare_map(fd, 1, 0);
	said_begin(&said, STORES);
	before = state_of(fd);
	for (uint32_t i = 0; i < STORES; i++) {
		compute(fd, &said, (doorbell_reg *)(page + EDU_FACTORIAL), 2 + i % 11);
	}
	for (uint32_t i = 1; i <= 20; i++) {
		double end = seconds() + PATIENCE;

		ioctl(fd, EDU_INTERRUPT);
		while (state_of(fd).interrupts != before.interrupts + i) {
			if (seconds() > end) {
				fail("%u interrupts of %u", state_of(fd).interrupts, i);
			}
		}
	}
	said_write(&said, argv[1], "");
	printf("line %u\n", before.line);
	return 0;
}
