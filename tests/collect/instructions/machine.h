/* SPDX-License-Identifier: MIT */
/*
 * Runs one instruction from a given state of registers and memory, on the processor or by
 * kt_emulate(), and returns the state afterwards. On the processor a signal return starts
 * it, and a breakpoint ends it.
 */
#ifndef KTAIL_TESTS_MACHINE_H
#define KTAIL_TESTS_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collect/preload/instructions/emulate.h"

#define MACHINE_PAGE   4096u
#define MACHINE_PAGES  12u
#define MACHINE_MEMORY 0x20000000u /* 31 bits, so that all address forms can reach it */
#define MACHINE_BYTES  (MACHINE_PAGES * MACHINE_PAGE)
/* The first four pages and the last four are ordinary; those between are watched. */
#define MACHINE_WATCHED (MACHINE_MEMORY + 4 * MACHINE_PAGE)
#define MACHINE_UNTIL   (MACHINE_MEMORY + 8 * MACHINE_PAGE)
#define MACHINE_CODE    0x10000000u /* the instruction ends 8 bytes after this page */
#define MACHINE_LENGTH  16

struct machine {
	uint64_t general[16]; /* in the order of their encoding */
	uint64_t flags;
	uint64_t ip; /* after a run: the address after the breakpoint */
	unsigned char vectors[32][64];
	unsigned char memory[MACHINE_BYTES];
};

enum machine_end {
	MACHINE_DONE,
	MACHINE_REFUSED, /* kt_emulate() returned false */
	MACHINE_FAULTED, /* the processor raised a signal other than SIGILL */
	MACHINE_ILLEGAL, /* the processor does not support the instruction */
};

/* The accesses that the last emulation reported. */
extern struct machine_log {
	unsigned calls;
	size_t bytes; /* total of all accesses */
	struct kt_emulated last;
} machine_log;

/* Return the bytes of a vector register on this machine, and the number of registers. */
unsigned machine_vector_size(void);
unsigned machine_vector_count(void);

void machine_init(void);

/* Returns the address at which an instruction of that length is placed. */
uintptr_t machine_ip(size_t length);

/*
 * Executes or emulates one instruction. If `fresh` is set, the vector registers are in the
 * state of a new thread instead of the given one.
 */
enum machine_end machine_run(const unsigned char *code, size_t length,
			     const struct machine *before, struct machine *after,
			     bool emulated, bool fresh);

/* Returns the next pseudo-random number; the sequence is the same in each run of a test. */
uint64_t machine_random(void);

#endif
