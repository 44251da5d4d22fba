/* SPDX-License-Identifier: MIT */
/*
 * Runs one instruction from a given state of registers and memory, as the processor does it
 * or by kt_emulate(), and gives the state afterwards. The processor's own way in and out: a
 * signal's return begins it, a breakpoint after it ends it.
 */
#ifndef KTAIL_TESTS_MACHINE_H
#define KTAIL_TESTS_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collect/preload/instructions/emulate.h"

#define MACHINE_PAGE   4096u
#define MACHINE_PAGES  12u
#define MACHINE_MEMORY 0x20000000u /* addresses of 31 bits, so that all forms reach it */
#define MACHINE_BYTES  (MACHINE_PAGES * MACHINE_PAGE)
#define MACHINE_WATCHED                                                                    \
	(MACHINE_MEMORY + 4 * MACHINE_PAGE) /* ordinary, watched, ordinary */
#define MACHINE_UNTIL  (MACHINE_MEMORY + 8 * MACHINE_PAGE)
#define MACHINE_CODE   0x10000000u /* the instruction ends where this page does */
#define MACHINE_LENGTH 16

struct machine {
	uint64_t general[16]; /* by encoding number */
	uint64_t flags;
	uint64_t ip; /* after a run: after the breakpoint */
	unsigned char vectors[32][64];
	unsigned char memory[MACHINE_BYTES];
};

enum machine_end {
	MACHINE_DONE,
	MACHINE_REFUSED, /* kt_emulate() gave false */
	MACHINE_FAULTED, /* any signal of the processor */
	MACHINE_ILLEGAL, /* this processor does not know it */
};

/* What the emulation said in the last run. */
extern struct machine_log {
	unsigned calls;
	size_t bytes; /* of all accesses */
	struct kt_emulated last;
} machine_log;

/* Bytes of a vector register on this machine, and how many registers there are. */
unsigned machine_vector_size(void);
unsigned machine_vector_count(void);

void machine_init(void);

/* The address at which code of that length will stand. */
uintptr_t machine_ip(size_t length);

/* fresh: vector registers are in the state in which a thread gets them, not as given. */
enum machine_end machine_run(const unsigned char *code, size_t length,
			     const struct machine *before, struct machine *after,
			     bool emulated, bool fresh);

/* A small generator of random numbers; the same numbers in each run of a test. */
uint64_t machine_random(void);

#endif
