/* SPDX-License-Identifier: MIT */
/*
 * The kernel stores to the doorbell for the process: kernel-store MODE SAID. In mode watch,
 * and without the module (off), the store reaches the device. In mode shadow the kernel's
 * store is refused, but the process's own stores still reach the device.
 */
#define _GNU_SOURCE
#include "bare.h"

int main(int argc, char **argv)
{
	bool refused = argc == 3 && strcmp(argv[1], "shadow") == 0;
	int fd = bare_open();
	struct bare_ring *ring = bare_ring(fd, 0);
	doorbell_reg *doorbell = bare_doorbell(bare_map(fd, 1, 0));
	struct said said;

	if (argc != 3) {
		fail("usage: kernel-store MODE SAID");
	}
	said_begin(&said, 20);
	for (uint32_t i = 1; i <= 10; i++) {
		int error;

		bare_submit(ring, &said, doorbell, 0, i);
		bare_put(ring, i);
		error = bare_kernel_store(fd, doorbell, BARE_TOKEN(i + 100, 0));
		if (error != (refused ? EFAULT : 0)) {
			fail("the kernel's own store: error %d", error);
		}
		if (refused) {
			ring_doorbell(&said, doorbell, BARE_TOKEN(i + 200, 0));
		}
		bare_await(ring, 0, i + 100);
	}
	said_write(&said, argv[2], "");
	return 0;
}
