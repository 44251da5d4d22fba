/* SPDX-License-Identifier: MIT */
/*
 * Times single operations on the stand-in for the driver, bare or with preloaded libraries.
 * bench-recorder [N [OPERATION]] prints a line "OPERATION N MEDIAN-NS P99-NS" for each. An
 * ioctl separates any two accesses, so that each access is a run of its own.
 */
#define _GNU_SOURCE
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "decode/gpfifo.h"
#include "tests/collect/scenarios/play.h"

#define MIB     (1u << 20)
#define ENTRIES 64u

static struct {
	volatile char *doorbell;
	volatile uint32_t *fb;
	char *sys;
	char buffer[64];
	uint32_t token;
	uint32_t turn;
	uint32_t at; /* index of the next ring entry; the ring begins at fb[0] */
} bench;

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void other_letter(void)
{
	struct fake_control control = {
		.client = CLIENT, .object = DEVICE, .cmd = 0x20800a01};

	call(0x2a, &control, sizeof(control));
}

/* --- the operations --- */

static void ring_doorbell(void)
{
	ring(bench.doorbell, bench.token);
}

static void put_entry(const struct kt_gpfifo_entry *entry)
{
	uint32_t words[2];

	kt_gpfifo_encode(words, entry);
	bench.fb[2 * bench.at] = words[0];
	bench.fb[2 * bench.at + 1] = words[1];
	bench.at = (bench.at + 1) % ENTRIES;
}

/*
 * Makes the state that libcuda leaves before the doorbell: the ring has a new entry, and
 * GP_PUT has moved.
 */
static void submit_entry(uint32_t bytes)
{
	const struct kt_gpfifo_entry entry = {
		.address = (uintptr_t)bench.sys & ((1ull << 40) - 1), .words = bytes / 4};

	put_entry(&entry);
	bench.fb[(PAGE + KT_USERD_GP_PUT) / 4] = bench.at;
}

static void submit_bytes(uint32_t bytes)
{
	submit_entry(bytes);
	other_letter();
}

static void submit_small(void)
{
	submit_bytes(60);
}

/* Makes two stores for the ring entry, one to GP_PUT, and one to the doorbell. */
static void submit_and_ring(void)
{
	submit_entry(60);
	ring_doorbell();
}

static void submit_1600(void)
{
	submit_bytes(1600);
}

static void submit_24_kib(void)
{
	submit_bytes(24 << 10);
}

static void read_4(void)
{
	bench.turn += *(volatile uint32_t *)(void *)bench.sys;
}

static void write_4(void)
{
	*(volatile uint32_t *)(void *)bench.sys = bench.turn;
}

static void copy_64(void)
{
	memcpy(bench.sys, bench.buffer, sizeof(bench.buffer));
	__asm__ volatile("" : : : "memory");
}

static void set_page(void)
{
	memset(bench.sys, 1, PAGE);
	__asm__ volatile("" : : : "memory");
}

static void set_mib(void)
{
	memset(bench.sys, 1, MIB);
	__asm__ volatile("" : : : "memory");
}

static void map_unmap(void)
{
	munmap(map(SYS + 1, PAGE, PROT_READ | PROT_WRITE), PAGE);
}

static void nothing(void)
{
}

static const struct operation {
	const char *name;
	void (*before)(void);
	void (*run)(void);
	unsigned part; /* runs N / part times */
} operations[] = {
	{"nothing", other_letter, nothing, 1},
	{"doorbell, 60 B", submit_small, ring_doorbell, 1},
	{"entry, GP_PUT, doorbell, 60 B", other_letter, submit_and_ring, 1},
	{"doorbell, 1.6 KB", submit_1600, ring_doorbell, 1},
	{"doorbell, 24 KiB", submit_24_kib, ring_doorbell, 1},
	{"read 4 B", other_letter, read_4, 1},
	{"write 4 B", other_letter, write_4, 1},
	{"memcpy 64 B", other_letter, copy_64, 1},
	{"memset 4 KiB", other_letter, set_page, 2},
	{"memset 1 MiB", other_letter, set_mib, 10},
	{"ioctl", nothing, other_letter, 1},
	{"open, ioctl, mmap, close, munmap", nothing, map_unmap, 2},
};

/* --- measuring --- */

static int compare(const void *x, const void *y)
{
	uint64_t a = *(const uint64_t *)x;
	uint64_t b = *(const uint64_t *)y;

	return (a > b) - (a < b);
}

static void measure(const struct operation *operation, size_t n, uint64_t *times)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t begin;

		operation->before();
		begin = now_ns();
		operation->run();
		times[i] = now_ns() - begin;
	}
	qsort(times, n, sizeof(*times), compare);
	printf("%s\t%zu\t%llu\t%llu\n", operation->name, n,
	       (unsigned long long)times[n / 2], (unsigned long long)times[n * 99 / 100]);
}

static void make_channel(void)
{
	unsigned char params[368] = {0};
	struct fake_control control = {.client = CLIENT,
				       .object = CHANNEL,
				       .cmd = 0xc36f0108,
				       .params = (uintptr_t)&bench.token,
				       .params_size = 4};

	alloc(DEVICE, USERMODE, 0xc661, NULL, 0);
	bench.doorbell = map(USERMODE, 16 * PAGE, PROT_WRITE);
	alloc(DEVICE, FB, 0x40, NULL, 0);
	bench.fb = map(FB, 4 * PAGE, PROT_READ | PROT_WRITE);
	alloc(DEVICE, SYS, 0x3e, NULL, 0);
	bench.sys = map(SYS, MIB, PROT_READ | PROT_WRITE);
	alloc(DEVICE, SYS + 1, 0x3e, NULL, 0);
	*(uint64_t *)(void *)(params + 8) = (uintptr_t)bench.fb;
	*(uint32_t *)(void *)(params + 16) = ENTRIES;
	*(uint32_t *)(void *)(params + 32) = FB;
	*(uint64_t *)(void *)(params + 64) = PAGE;
	alloc(DEVICE, CHANNEL, 0xc86f, params, 0);
	call(0x2a, &control, sizeof(control));
	memset(bench.sys, 0, MIB);
	/* Segments are at the CPU's addresses, which are above 2^40. */
	put_entry(&(struct kt_gpfifo_entry){
		.opcode = KT_GPFIFO_SET_EXTENDED_BASE,
		.operand = (uint32_t)((uintptr_t)bench.sys >> 40)});
}

int main(int argc, char **argv)
{
	size_t n = argc > 1 ? strtoul(argv[1], NULL, 10) : 2000;
	uint64_t *times = calloc(n, sizeof(*times));

	if (!times || n < 10) {
		fprintf(stderr,
			"usage: bench-recorder [N [OPERATION]]   (N: 10 or more)\n");
		return 2;
	}
	set_up();
	make_channel();
	for (size_t i = 0; i < sizeof(operations) / sizeof(operations[0]); i++) {
		if (argc < 3 || strcmp(argv[2], operations[i].name) == 0) {
			measure(&operations[i], n / operations[i].part, times);
		}
	}
	release(CLIENT);
	free(times);
	return 0;
}
