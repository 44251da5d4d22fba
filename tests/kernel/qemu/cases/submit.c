/* SPDX-License-Identifier: MIT */
/*
 * Submissions, and the entries that a second kernel module finds: submit SAID N. At each
 * doorbell that module must have found the entry that was submitted.
 */
#define _GNU_SOURCE
#include "bare.h"

int main(int argc, char **argv)
{
	uint32_t n = argc == 3 ? (uint32_t)atoi(argv[2]) : 0;
	int fd = bare_open();
	struct bare_ring *ring = bare_ring(fd, 3);
	doorbell_reg *doorbell = bare_doorbell(bare_map(fd, 1, 0));
	struct bare_state before = bare_state(fd);
	struct said said;
	uint64_t sum = 0;

	said_begin(&said, n);
	for (uint32_t i = 1; i <= n; i++) {
		struct bare_state now;

		bare_put(ring, i * 7);
		ring_doorbell(&said, doorbell, BARE_TOKEN(i, 3));
		sum += i * 7;
		now = bare_state(fd);
		if (now.entries - before.entries != i || now.sum - before.sum != sum ||
		    now.doorbells - before.doorbells != i) {
			fail("after store %u: %llu doorbells, %llu entries, sum %llu, not "
			     "%llu",
			     i, (unsigned long long)(now.doorbells - before.doorbells),
			     (unsigned long long)(now.entries - before.entries),
			     (unsigned long long)(now.sum - before.sum),
			     (unsigned long long)sum);
		}
	}
	if (!n || bare_state(fd).unknown_doorbells) {
		fail("doorbells with an unknown value");
	}
	bare_await(ring, 3, n);
	said_write(&said, argv[1], "");
	return 0;
}
