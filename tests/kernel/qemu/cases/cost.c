/* SPDX-License-Identifier: MIT */
/*
 * Measures in ns a store to the doorbell, a store to another page of the device, an ioctl,
 * and an mmap with its munmap. Reports the fastest of many rounds, because other programs
 * use the machine as well.
 * Usage: cost LABEL
 */
#include <sys/ioctl.h>

#include "bare.h"

#define ROUNDS 100
#define TIMES  50

static int fd;
static doorbell_reg *doorbell;
static struct bare_ring *ring;

static void store(void)
{
	*doorbell = BARE_TOKEN(1, 0);
}

static void other_store(void)
{
	*(volatile uint32_t *)&ring->entries[1] = 1;
}

static void request(void)
{
	struct bare_state state;

	ioctl(fd, BARE_STATE, &state);
}

static void map(void)
{
	munmap(bare_map(fd, 1, 1), PAGE);
}

static double best_of(void (*call)(void), unsigned times)
{
	double best = 0;

	for (size_t i = 0; i < ROUNDS; i++) {
		double before = seconds();
		double took;

		for (unsigned k = 0; k < times; k++) {
			call();
		}
		took = (seconds() - before) / times * 1e9;
		best = i == 0 || took < best ? took : best;
	}
	return best;
}

int main(int argc, char **argv)
{
	fd = bare_open();
	doorbell = bare_doorbell(bare_map(fd, 1, 0));
	ring = bare_ring(fd, 0);
	printf("%-24s %8.0f %8.0f %8.0f %8.0f\n", argc > 1 ? argv[1] : "",
	       best_of(store, TIMES), best_of(other_store, TIMES), best_of(request, TIMES),
	       best_of(map, TIMES / 10));
	return 0;
}
