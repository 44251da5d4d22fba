/* SPDX-License-Identifier: MIT */
/*
 * The addresses at which a further access only continues the open run (runs.h): nothing is
 * reported, and no table changes. Code of patched instructions looks an address up without
 * the lock, so an access that continues a run costs no system call, and a poll no
 * contention.
 *
 * The addresses are valid until any thread takes the lock, since only its owner ends runs
 * and changes mappings. A thread may take it right after another thread's lookup; that
 * access then counts as made before. If this owner is unmapping the memory, the program
 * accesses memory that it unmaps at the same time, which is undefined without a recorder
 * too.
 */
#ifndef KTAIL_COLLECT_CONTINUING_H
#define KTAIL_COLLECT_CONTINUING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collect/preload/instructions/continue-check.h"

/* Addresses [lo, hi); none if both are equal. */
struct kt_span {
	uintptr_t lo;
	uintptr_t hi;
};

struct kt_continuing {
	struct kt_span reads;
	struct kt_span writes; /* also of instructions that read and write */
	uintptr_t to_alias;    /* added to an address to reach the recorder's mapping */
};

/* Replaces the addresses. The caller holds the lock and does not change mappings after. */
void kt_continuing_set(const struct kt_continuing *now);

/*
 * Returns the alias of the memory if an access to it continues the run, else NULL. O(1).
 * Lock-free; signal-safe; uses general registers only.
 */
void *kt_continuing_alias(uintptr_t address, size_t size, bool write);

#endif
