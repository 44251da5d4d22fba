/* SPDX-License-Identifier: MIT */
/*
 * Writes machine code that makes a load or store which only continues the open run
 * (collect/preload/mappings/continuing.h), through the recorder's second mapping. A
 * trampoline tries it first: about 30 instructions, instead of 200 for saving the registers
 * and calling kt_patch_continues(). Most of them are in checks that all sites share
 * (continue-check.h), because between two submissions a program runs enough other code to
 * drop what it ran before from the processor's caches.
 */
#ifndef KTAIL_COLLECT_CONTINUE_CODE_H
#define KTAIL_COLLECT_CONTINUE_CODE_H

#include <stdbool.h>
#include <stdint.h>

#include "collect/preload/instructions/continue-check.h"
#include "collect/preload/instructions/instruction.h"

#define KT_CONTINUE_BYTES 96 /* size of the code at most */

/* Addresses in the code; all 0 if there is none. */
struct kt_continue_code {
	uintptr_t access; /* of the access; it may fault if its memory is missing */
	uintptr_t bail;   /* where to continue then */
	uintptr_t site;   /* of the 8-byte address of the site */
	uintptr_t rest;   /* of five bytes for a jump to the code after the instruction */
};

/*
 * Writes the code for the instruction code[0..n), which was at `ip`, to memory at `at`.
 * Returns the address after the code, or `at` if `site` is NULL or such accesses are left
 * to kt_patch_continues(). If the access does not continue a run, the code continues at its
 * end, with registers and flags as before, but the stack pointer 128 bytes lower.
 */
uintptr_t kt_continue_code_put(struct kt_continue_code *out, uintptr_t at,
			       const uint8_t *code, size_t n, uintptr_t ip,
			       const struct kt_continue_site *site);

#endif
