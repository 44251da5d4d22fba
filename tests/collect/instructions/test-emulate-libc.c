/* SPDX-License-Identifier: MIT */
/*
 * The C library's fastest copies on closed pages are emulated if possible, and otherwise
 * executed on opened pages. The copied bytes must be correct in both cases.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "collect/preload/instructions/emulate.h"
#include "tests/suite.h"

#define SIZE (256u << 10)
#define FILL 0x5a

static unsigned char *closed; /* the program's mapping */
static unsigned char *alias;  /* another mapping of the same memory, never closed */
static unsigned char *ordinary;
static unsigned char *wanted; /* the expected contents */

static volatile unsigned long emulated;
static volatile unsigned long opened;

static void *translate(uintptr_t address, size_t size, bool write, bool *known,
		       void *context)
{
	uintptr_t start = (uintptr_t)closed;

	(void)write;
	(void)context;
	if (address + size <= start || address >= start + SIZE) {
		return NULL;
	}
	*known = address >= start && address + size <= start + SIZE;
	return *known ? alias + (address - start) : NULL;
}

static void on_fault(int signal, siginfo_t *info, void *context)
{
	uintptr_t at = (uintptr_t)info->si_addr;
	struct kt_emulated done;

	if (at < (uintptr_t)closed || at >= (uintptr_t)closed + SIZE) {
		_exit(128 + signal);
	}
	if (kt_emulate(context, translate, NULL, &done)) {
		emulated++;
		return;
	}
	opened++;
	mprotect((void *)(at & ~4095ul), 4096, PROT_READ | PROT_WRITE);
}

static void close_pages(void)
{
	mprotect(closed, SIZE, PROT_NONE);
}

/* Volatile, so that the compiler does not know which function is called. */
static void *(*volatile copy)(void *, const void *, size_t) = memcpy;
static void *(*volatile move)(void *, const void *, size_t) = memmove;
static void *(*volatile set)(void *, int, size_t) = memset;
static size_t (*volatile length)(const char *) = strlen;

static void randomize(unsigned char *bytes, unsigned seed)
{
	for (size_t i = 0; i < SIZE; i++) {
		bytes[i] = (unsigned char)((i * 2654435761u + seed) >> 11) | 1;
	}
}

static void begin(unsigned seed)
{
	randomize(alias, seed);
	randomize(ordinary, seed + 1);
	close_pages();
}

static void try_sizes(size_t n, size_t from, size_t to)
{
	begin((unsigned)n); /* to closed memory */
	memcpy(wanted, alias, SIZE);
	memcpy(wanted + to, ordinary + from, n);
	copy(closed + to, ordinary + from, n);
	CU_ASSERT_EQUAL(memcmp(wanted, alias, SIZE), 0);

	begin((unsigned)n); /* from closed memory */
	memcpy(wanted, ordinary, SIZE);
	memcpy(wanted + to, alias + from, n);
	copy(ordinary + to, closed + from, n);
	CU_ASSERT_EQUAL(memcmp(wanted, ordinary, SIZE), 0);

	begin((unsigned)n); /* within closed memory, overlapping */
	memcpy(wanted, alias, SIZE);
	memmove(wanted + to, wanted + from, n);
	move(closed + to, closed + from, n);
	CU_ASSERT_EQUAL(memcmp(wanted, alias, SIZE), 0);

	begin((unsigned)n);
	memcpy(wanted, alias, SIZE);
	memset(wanted + to, FILL, n);
	set(closed + to, FILL, n);
	CU_ASSERT_EQUAL(memcmp(wanted, alias, SIZE), 0);

	alias[from + n] = 0;
	close_pages();
	CU_ASSERT_EQUAL(length((const char *)closed + from), n);
}

static void report_share(const char *what)
{
	printf("\n  %s: %lu faults, %lu emulated (%.1f %%) ", what, emulated + opened,
	       emulated, 100.0 * (double)emulated / (double)(emulated + opened));
	CU_ASSERT(emulated > opened);
	emulated = opened = 0;
}

static void short_ones(void)
{
	for (size_t n = 1; n <= 300; n++) {
		try_sizes(n, 4096 - 100, 4096 - 90);
		try_sizes(n, 64, 8192);
	}
	report_share("1 to 300 bytes");
}

static void long_ones(void)
{
	for (size_t n = 4096; n <= 70000; n += 6571) {
		try_sizes(n, 100, 4000);
		try_sizes(n, 4000, 77);
		try_sizes(n, 0, 128 << 10);
	}
	report_share("4096 to 70000 bytes");
}

int main(void)
{
	struct sigaction action = {.sa_sigaction = on_fault,
				   .sa_flags = SA_SIGINFO | SA_NODEFER};
	CU_TestInfo tests[] = {
		{"short copies", short_ones},
		{"long copies", long_ones},
		CU_TEST_INFO_NULL,
	};
	int fd = memfd_create("closed", 0);

	if (fd < 0 || ftruncate(fd, SIZE) != 0) {
		return 77;
	}
	closed = mmap(NULL, SIZE, PROT_NONE, MAP_SHARED, fd, 0);
	alias = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	ordinary = malloc(SIZE);
	wanted = malloc(SIZE);
	sigaction(SIGSEGV, &action, NULL);
	kt_instruction_init();
	return kt_run_suite("emulate-libc", tests);
}
