/* SPDX-License-Identifier: MIT */
/*
 * Times what enters the recorder's critical sections, in a program that has a handler for
 * SIGINT, as Python has. bench-sections OPERATION N prints the median of batches in ns:
 *   lock, masked  a pair of kt_lock() and kt_unlock(), linked into this program
 *   access        an access that begins a run, on the stand-in for the driver
 *   call          a call of the stand-in for libcuda
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "collect/preload/emit/lock.h"
#include "collect/preload/signals/signal-defer.h"
#include "tests/collect/scenarios/play.h"

#define BATCH 100

static volatile uint32_t *memory[2];
static uint64_t (*function)(uint64_t);
static uint32_t turn;

static void lock(void)
{
	kt_unlock(kt_lock());
}

/* The two mappings take turns, so each access begins a run. */
__attribute__((noinline)) static void access_memory(void)
{
	turn++;
	memory[turn % 2][turn % 64] = turn;
}

static void call_function(void)
{
	function(1);
}

static void prepare_memory(void)
{
	set_up();
	for (uint32_t i = 0; i < 2; i++) {
		alloc(DEVICE, FB + i, 0x40, NULL, 0);
		memory[i] = map(FB + i, PAGE, PROT_READ | PROT_WRITE);
	}
}

static int prepare_function(void)
{
	void *library = dlopen("libcuda.so.1", RTLD_NOW);
	void *symbol = library ? dlsym(library, "cuTest1") : NULL;

	memcpy(&function, &symbol, sizeof(symbol));
	return symbol != NULL;
}

static void interrupt(int number)
{
	(void)number;
	_Exit(130);
}

static int compare(const void *x, const void *y)
{
	uint64_t a = *(const uint64_t *)x;
	uint64_t b = *(const uint64_t *)y;

	return (a > b) - (a < b);
}

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static int measure(void (*run)(void), size_t batches)
{
	uint64_t *times = calloc(batches, sizeof(*times));

	if (!times) {
		return 2;
	}
	for (size_t i = 0; i < batches; i++) {
		uint64_t begin = now_ns();

		for (int k = 0; k < BATCH; k++) {
			run();
		}
		times[i] = now_ns() - begin;
	}
	qsort(times, batches, sizeof(*times), compare);
	printf("%.1f\n", (double)times[batches / 2] / BATCH);
	free(times);
	return 0;
}

int main(int argc, char **argv)
{
	const char *operation = argc == 3 ? argv[1] : "";
	size_t batches = argc == 3 ? strtoul(argv[2], NULL, 10) / BATCH : 0;

	signal(SIGINT, interrupt);
	atomic_store(&kt_signals_unwrapped, strcmp(operation, "masked") == 0);
	if (batches &&
	    (strcmp(operation, "lock") == 0 || strcmp(operation, "masked") == 0)) {
		return measure(lock, batches);
	}
	if (batches && strcmp(operation, "access") == 0) {
		prepare_memory();
		return measure(access_memory, batches);
	}
	if (batches && strcmp(operation, "call") == 0 && prepare_function()) {
		return measure(call_function, batches);
	}
	fprintf(stderr,
		"usage: bench-sections lock|masked|access|call N   (N: %d or more; "
		"the stand-ins are preloaded, or in LD_LIBRARY_PATH)\n",
		BATCH);
	return 2;
}
