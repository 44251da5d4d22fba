/* SPDX-License-Identifier: MIT */
/*
 * Writes machine code that makes a load or store which only continues the open run
 * (collect/preload/mappings/continuing.h), through the recorder's second mapping. A
 * trampoline tries it first: about 20 instructions, instead of 200 for saving the registers
 * and calling kt_patch_continues().
 */
#ifndef KTAIL_COLLECT_CONTINUE_CODE_H
#define KTAIL_COLLECT_CONTINUE_CODE_H

#include <stdbool.h>
#include <stdint.h>

#include "collect/preload/instructions/instruction.h"

/*
 * The addresses at which accesses continue the run. They are valid while `turn` equals
 * kt_lock_turn(); `turn` is 0 while the rest is written.
 */
struct kt_continue_range {
	_Atomic uint64_t turn;
	_Atomic uintptr_t lo[2]; /* of reads, of writes */
	_Atomic uintptr_t hi[2];
	_Atomic uintptr_t to_alias;
};

#define KT_CONTINUE_BYTES 256 /* size of the code at most */

/* Addresses in the code; all 0 if there is none. */
struct kt_continue_code {
	uintptr_t access; /* of the access; it may fault if its memory is missing */
	uintptr_t bail;   /* where to continue then */
	uintptr_t count; /* of the 8-byte address of a counter, which the code increments */
	uintptr_t rest;  /* of five bytes for a jump to the code after the instruction */
};

/*
 * Writes the code for the instruction code[0..n), which was at `ip`, to memory at `at`.
 * Returns the address after the code, or `at` if such accesses are left to
 * kt_patch_continues(). If the access does not continue a run, the code continues at its
 * end, with registers and flags as before, but the stack pointer 128 bytes lower.
 */
uintptr_t kt_continue_code_put(struct kt_continue_code *out, uintptr_t at,
			       const uint8_t *code, size_t n, uintptr_t ip,
			       const struct kt_continue_range *range);

#endif
