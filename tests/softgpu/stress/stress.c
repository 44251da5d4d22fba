/* SPDX-License-Identifier: MIT */
/*
 * Writes the software GPU's doorbell from 8 threads for 16 channels, at full speed.
 * Usage: stress [DOORBELLS [shared]]
 *
 * A thread has two channels of its own or, with `shared`, shares four channels with another
 * thread under a lock. Each submission proves that the device executed the previous
 * submission, see kt_bare_submit(). check-doorbells reads the output:
 *
 *   mode own|shared
 *   channel NUMBER TOKEN DOORBELLS
 *   thread NUMBER TID DOORBELLS
 *   total DOORBELLS
 *   device ENTRIES               the device's own count, if available
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <err.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "corpus/softgpu/device/gpu.h"
#include "decode/gpfifo.h"
#include "tests/softgpu/stress/bare-driver.h"
#include "tests/softgpu/stress/sequence.h"

enum { THREADS = KT_STRESS_THREADS, CHANNELS = KT_STRESS_CHANNELS };

static struct kt_bare_driver driver;
static struct kt_bare_channel channels[CHANNELS];
static pthread_mutex_t locks[CHANNELS];
static pthread_barrier_t barrier;
static bool shared;

struct thread {
	pthread_t handle;
	unsigned number;
	int tid;
	uint64_t doorbells;
};

static void *ring(void *argument)
{
	struct thread *thread = argument;
	struct kt_stress_sequence sequence;

	thread->tid = gettid();
	kt_stress_start(&sequence, thread->number, shared);
	pthread_barrier_wait(&barrier);
	for (uint64_t i = 0; i < thread->doorbells; i++) {
		unsigned channel = kt_stress_next(&sequence);

		if (shared) {
			pthread_mutex_lock(&locks[channel]);
		}
		kt_bare_submit(&driver, &channels[channel]);
		if (shared) {
			pthread_mutex_unlock(&locks[channel]);
		}
	}
	return NULL;
}

static void start(struct thread *threads, uint64_t doorbells)
{
	if (pthread_barrier_init(&barrier, NULL, THREADS) != 0) {
		errx(1, "no barrier");
	}
	for (unsigned i = 0; i < CHANNELS; i++) {
		pthread_mutex_init(&locks[i], NULL);
	}
	for (unsigned i = 0; i < THREADS; i++) {
		threads[i].number = i;
		threads[i].doorbells = doorbells / THREADS + (i < doorbells % THREADS);
		if (pthread_create(&threads[i].handle, NULL, ring, &threads[i]) != 0) {
			errx(1, "no thread");
		}
	}
}

/*
 * Checks that all submissions are complete, according to the semaphores and to the device.
 * Returns the number of doorbells.
 */
static uint64_t finish(const struct thread *threads)
{
	uint64_t written = 0, submitted = 0;

	for (unsigned i = 0; i < THREADS; i++) {
		pthread_join(threads[i].handle, NULL);
		written += threads[i].doorbells;
	}
	for (unsigned i = 0; i < CHANNELS; i++) {
		struct kt_bare_channel *c = &channels[i];

		kt_bare_wait(c);
		submitted += c->submitted;
		printf("channel %u %" PRIu32 " %" PRIu64 "\n", i, c->token, c->submitted);
		if (*c->semaphore != (uint32_t)c->submitted) {
			errx(1, "channel %u: semaphore %" PRIu32, i, *c->semaphore);
		}
	}
	if (written != submitted) {
		errx(1, "%" PRIu64 " submitted, %" PRIu64 " doorbells written", submitted,
		     written);
	}
	return written;
}

/*
 * The device updates GP_GET only after an entry's effects, so GP_GET may still be about to
 * change.
 */
static void compare_pointers(void)
{
	for (unsigned i = 0; i < CHANNELS; i++) {
		uint32_t put = (uint32_t)(channels[i].submitted % KT_BARE_ENTRIES);
		volatile uint32_t *get = &channels[i].userd[KT_USERD_GP_GET / 4];

		for (unsigned tries = 0; *get != put; tries++) {
			if (tries == 10000) {
				errx(1, "channel %u: GP_GET %" PRIu32 ", not %" PRIu32, i,
				     *get, put);
			}
			usleep(1000);
		}
	}
}

/* Compares with the device's own counts, if the software GPU is in this process. */
static void compare_counts(uint64_t written)
{
	int (*count)(struct kt_gpu_counts *) = NULL;
	void *symbol = dlsym(RTLD_DEFAULT, "kt_softgpu_counts");
	struct kt_gpu_counts counts = {0};

	memcpy(&count, &symbol, sizeof(count));
	if (!count) {
		return;
	}
	if (count(&counts) != 0) {
		errx(1, "the device cannot be asked");
	}
	printf("device %" PRIu64 "\n", counts.entries);
	if (counts.entries != written || counts.errors != 0) {
		errx(1,
		     "%" PRIu64 " entries executed, %" PRIu64 " doorbells, %" PRIu64
		     " errors",
		     counts.entries, written, counts.errors);
	}
}

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
	struct thread threads[THREADS] = {0};
	uint64_t doorbells = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000000;
	double begin;

	shared = argc > 2 && strcmp(argv[2], "shared") == 0;
	kt_bare_open(&driver);
	kt_bare_channels(&driver, channels, CHANNELS);
	printf("mode %s\n", shared ? "shared" : "own");
	begin = seconds();
	start(threads, doorbells);
	doorbells = finish(threads);
	fprintf(stderr, "%" PRIu64 " doorbells in %.2f s\n", doorbells, seconds() - begin);
	for (unsigned i = 0; i < THREADS; i++) {
		printf("thread %u %d %" PRIu64 "\n", i, threads[i].tid,
		       threads[i].doorbells);
	}
	printf("total %" PRIu64 "\n", doorbells);
	compare_pointers();
	compare_counts(doorbells);
	kt_bare_close(&driver);
	return 0;
}
