/* SPDX-License-Identifier: MIT */
/*
 * Times calls of functions of the CUDA API, bare or with preloaded libraries. The functions
 * belong to a stand-in and do next to nothing. bench-api [N] prints a line "CALL N
 * MEDIAN-NS P99-NS" for each function, from N batches of ten calls, and one for the two
 * events of a call alone.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/bench/bench-api-events.h"
#include "tests/collect/api/stand-in.h"

enum { BATCH = 10 };

static uint64_t (*one)(word);
static uint64_t (*twelve)(word, word, word, word, word, word, word, word, word, word, word,
			  word);

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void call_one(void)
{
	one(1);
}

static void call_twelve(void)
{
	twelve(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12);
}

static const struct {
	const char *name;
	void (*run)(void);
} calls[] = {
	{"1 argument", call_one},
	{"12 arguments", call_twelve},
	{"its two events alone", bench_two_events},
};

static int compare(const void *x, const void *y)
{
	uint64_t a = *(const uint64_t *)x;
	uint64_t b = *(const uint64_t *)y;

	return (a > b) - (a < b);
}

static void measure(const char *name, void (*run)(void), size_t n, uint64_t *times)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t begin = now_ns();

		for (int j = 0; j < BATCH; j++) {
			run();
		}
		times[i] = now_ns() - begin;
	}
	qsort(times, n, sizeof(*times), compare);
	printf("%s\t%zu\t%.1f\t%.1f\n", name, n, (double)times[n / 2] / BATCH,
	       (double)times[n * 99 / 100] / BATCH);
}

static int find(void *function, void *library, const char *name)
{
	void *symbol = library ? dlsym(library, name) : NULL;

	memcpy(function, &symbol, sizeof(symbol));
	return symbol != NULL;
}

int main(int argc, char **argv)
{
	size_t n = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000;
	uint64_t *times = calloc(n, sizeof(*times));
	void *library = dlopen("libcuda.so.1", RTLD_NOW);

	if (!times || n < 10) {
		fprintf(stderr, "usage: bench-api [N]   (N: 10 or more)\n");
		return 2;
	}
	if (!find(&one, library, "cuTest1") || !find(&twelve, library, "cuTest12")) {
		fprintf(stderr, "bench-api: find the stand-in: LD_LIBRARY_PATH?\n");
		return 2;
	}
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		measure(calls[i].name, calls[i].run, n, times);
	}
	free(times);
	return 0;
}
