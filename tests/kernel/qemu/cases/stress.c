/* SPDX-License-Identifier: MIT */
/*
 * All kinds of activity at once: stress SECONDS. In each of three processes one thread
 * submits and waits, while others map, move and unmap doorbells, fork children that submit,
 * and create threads. No submission may be lost.
 */
#define _GNU_SOURCE
#include <pthread.h>

#include "bare.h"

#define PROCESSES 3

static int fd;
static double end;
static doorbell_reg *doorbell;
static struct bare_ring *rings[BARE_CHANNELS];

static bool is_over(void)
{
	return seconds() > end;
}

/* Submits one entry in a channel that no other thread uses at the same time. */
static void submit(unsigned channel, doorbell_reg *at, uint32_t number)
{
	bare_submit(rings[channel], NULL, at, channel, number & 0xffffff);
}

static void *run_submissions(void *channel)
{
	for (uint32_t i = 1; !is_over(); i++) {
		submit(*(unsigned *)channel, doorbell, i);
	}
	return NULL;
}

static void *run_mappings(void *channel)
{
	for (uint32_t i = 1; !is_over(); i++) {
		char *at = bare_map(fd, 1 + i % 2, i % 5);

		submit(*(unsigned *)channel, bare_doorbell(at), i);
		if (i % 3 == 0) {
			void *to = mremap(at, PAGE, PAGE, MREMAP_MAYMOVE);

			at = to == MAP_FAILED ? at : to;
			submit(*(unsigned *)channel, bare_doorbell(at), i);
		}
		munmap(at, (1 + i % 2) * PAGE);
	}
	return NULL;
}

static void *run_nothing(void *nothing)
{
	*doorbell = BARE_TOKEN(1, 7);
	return nothing;
}

static void *run_threads(void *nothing)
{
	while (!is_over()) {
		pthread_t threads[4];
		unsigned n = 0;

		while (n < 4 && pthread_create(&threads[n], NULL, run_nothing, NULL) == 0) {
			n++;
		}
		while (n) {
			pthread_join(threads[--n], NULL);
		}
	}
	return nothing;
}

static void *run_forks(void *nothing)
{
	while (!is_over()) {
		pid_t child = fork();

		if (child == 0) {
			for (int i = 0; i < 5; i++) {
				*doorbell = BARE_TOKEN(i + 2, 7);
			}
			_exit(0);
		}
		wait_for(child);
	}
	return nothing;
}

static void run_process(unsigned which)
{
	unsigned channels[] = {2 * which, 2 * which + 1};
	void *(*const runs[])(void *) = {run_submissions, run_mappings, run_threads,
					 run_forks};
	pthread_t threads[4];

	fd = bare_open();
	for (unsigned i = 0; i < BARE_CHANNELS; i++) {
		rings[i] = bare_ring(fd, i);
	}
	doorbell = bare_doorbell(bare_map(fd, 1, 0));
	for (size_t i = 0; i < 4; i++) {
		pthread_create(&threads[i], NULL, runs[i], &channels[i % 2]);
	}
	for (size_t i = 0; i < 4; i++) {
		pthread_join(threads[i], NULL);
	}
	_exit(0);
}

int main(int argc, char **argv)
{
	pid_t children[PROCESSES];

	if (argc != 2) {
		fail("usage: stress SECONDS");
	}
	fd = bare_open(); /* stays open, so that the rings are not reset */
	end = seconds() + atof(argv[1]);
	for (unsigned i = 0; i < PROCESSES; i++) {
		children[i] = fork();
		if (children[i] == 0) {
			run_process(i);
		}
	}
	for (unsigned i = 0; i < PROCESSES; i++) {
		wait_for(children[i]);
	}
	return 0;
}
