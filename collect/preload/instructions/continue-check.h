/* SPDX-License-Identifier: MIT */
/*
 * Checks whether an access only continues the open run, for the code of trampolines
 * (continue-code.h).
 */
#ifndef KTAIL_COLLECT_CONTINUE_CHECK_H
#define KTAIL_COLLECT_CONTINUE_CHECK_H

#include <stdbool.h>
#include <stdint.h>

#include "collect/preload/instructions/instruction.h"

/*
 * The addresses at which accesses continue the run. They are valid while `turn` equals
 * kt_lock_turn(); `turn` is 0 while the rest is written. The layout is known to
 * continue-check.c.
 */
struct kt_continue_range {
	_Atomic uint64_t turn;
	_Atomic uintptr_t lo[2]; /* of reads, of writes */
	_Atomic uintptr_t hi[2];
	_Atomic uintptr_t to_alias;
};

/* Written by collect/preload/mappings/continuing.c alone. */
extern struct kt_continue_range kt_continue_range;

/*
 * Code, not a C function: expects an address in %rcx and the site in %rsi. If the access
 * continues the run, adds one to the site's `continued` and sets %rcx to the address in the
 * recorder's mapping; otherwise sets %rcx to 0. Changes %rsi; preserves all other registers
 * and the flags. Uses 24 bytes of stack.
 */
typedef void (*kt_continue_check)(void);

/* What the code of a patched instruction refers to. */
struct kt_continue_site {
	kt_continue_check check;
	_Atomic uint64_t continued; /* accesses that continued a run */
};

/*
 * Returns the check for accesses of the instruction's width and direction, or NULL if there
 * is none, or if the processor has no lahf in 64-bit mode.
 */
kt_continue_check kt_continue_check_of(const struct kt_instruction *instruction);

#endif
