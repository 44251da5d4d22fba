/* SPDX-License-Identifier: MIT */
/*
 * Prints a table of the time that it takes to follow the objects of the resource manager:
 * ns per call, by the number of objects that exist already.
 *
 * bench-objects [CALLS] makes this many calls of each kind (default 20000).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "decode/rm/object-table.h"

#define CLIENT 0xc1d00000u
#define BASE   0x5c000000u

static bool reserve(void **items, size_t *capacity, size_t need, size_t size)
{
	size_t space = *capacity ? *capacity : 64;

	if (need <= *capacity) {
		return true;
	}
	while (space < need) {
		space *= 2;
	}
	*items = realloc(*items, space * size);
	if (!*items) {
		fputs("bench-objects: out of memory\n", stderr);
		exit(2);
	}
	*capacity = space;
	return true;
}

static void release(void *items, size_t capacity, size_t size)
{
	(void)capacity;
	(void)size;
	free(items);
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void add(struct kt_object_table *table, uint32_t object)
{
	const struct kt_object o = {
		.client = CLIENT, .parent = CLIENT, .object = object, .class_ = 0x3e};

	kt_object_table_add(table, &o);
}

static void count(const struct kt_object *object, void *context)
{
	(void)object;
	++*(size_t *)context;
}

static void measure(uint32_t n, uint32_t calls)
{
	struct kt_object_table table = {.reserve = reserve, .release = release};
	uint32_t sum = 0;
	size_t n_freed = 0;
	double began, found, freed;

	for (uint32_t i = 0; i < n; i++) {
		add(&table, BASE + i);
	}
	began = now();
	for (uint32_t i = 0; i < calls; i++) {
		sum += kt_object_table_class(&table, CLIENT, BASE + i * 64 % n);
	}
	found = now();
	for (uint32_t i = 0; i < calls; i++) {
		add(&table, BASE + n + i);
		kt_object_table_each_below(&table, CLIENT, BASE + n + i, true, count,
					   &n_freed);
	}
	freed = now();
	kt_object_table_clear(&table);
	if (sum != calls * 0x3e || n_freed != calls) {
		fputs("bench-objects: objects are missing\n", stderr);
		exit(1);
	}
	printf("%u\t%.0f\t%.0f\n", n, (found - began) / calls, (freed - found) / calls);
}

int main(int argc, char **argv)
{
	uint32_t calls = (uint32_t)strtoul(argc > 1 ? argv[1] : "20000", NULL, 10);

	puts("objects\tlookup_ns\talloc_and_free_ns");
	for (uint32_t n = 16; n <= 65536; n *= 4) {
		measure(n, calls);
	}
	return 0;
}
