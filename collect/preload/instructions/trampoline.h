/* SPDX-License-Identifier: MIT */
/*
 * The code behind a patched store. The store and the instructions after it, five bytes and
 * what of the last one is beyond, are replaced by a jump of five bytes to:
 *
 *	entry:	leave the red zone alone; push the site's number; jump to kt_patch_entry
 *	made:	drop what was pushed; go on at `rest`
 *	again:	drop what was pushed
 *	store:	the store, moved here
 *	rest:	the other instructions, moved here; jump to what follows them
 *
 * kt_patch_entry (patch-entry.c) goes on at `made` or at `again`, all registers and flags
 * as they were.
 *
 * No code is known to jump only to where it should: a thread may also stand, or a branch
 * may arrive, at an instruction that has become the middle of the jump. So the trampoline
 * lies where the jump's own distance has, at each such place, a byte that is an int3, or an
 * instruction that only the kernel may run: a thread that comes there traps, and is sent on
 *to the copy of the instruction.
 */
#ifndef KTAIL_COLLECT_TRAMPOLINE_H
#define KTAIL_COLLECT_TRAMPOLINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define KT_JUMP_BYTES   5
#define KT_INNER_MAX    4  /* instructions that can begin within a jump */
#define KT_REPLACED_MAX 19 /* four bytes, and the longest instruction after them */
#define KT_SITE_BYTES   32 /* of code that are looked at */

struct kt_inner {
	uint8_t offset; /* from the site, 1 to 4 */
	uintptr_t copy; /* where that instruction stands now */
};

struct kt_trampoline {
	uintptr_t entry;
	uintptr_t after_store;
	uintptr_t again;
	uintptr_t store;
	uintptr_t pages; /* of its own, Owned by this */
	size_t bytes;    /* of them */
	uint8_t jump[KT_JUMP_BYTES];
	uint8_t replaced; /* bytes of the instructions that were moved, 5 or more */
	uint8_t starts;   /* bit i: one of them began at site + i, i below 5 */
	uint8_t n_inner;
	struct kt_inner inner[KT_INNER_MAX];
};

/* Before any of it; not in a handler. */
void kt_trampoline_init(void);

/*
 * Makes one for the store at `site`, where code[0..n) stands; its entry jumps to `handler`
 * with the site's number on the stack. NULL: done; else the reason why not, a static text,
 * and nothing is left behind. Signal-safe.
 */
const char *kt_trampoline_make(struct kt_trampoline *out, uintptr_t site,
			       const uint8_t *code, size_t n, uint32_t number,
			       uintptr_t handler);

/* Gives its memory back: no thread may be in it, or come to it. */
void kt_trampoline_free(struct kt_trampoline *trampoline);

/*
 * Where the function lies that an instruction belongs to, as the library's own unwind table
 * has it (.eh_frame_hdr, sorted by address; Linux Standard Base, "Exception Frames").
 * Compilers put no data within a function of x86-64. Signal-safe.
 *
 * [*start, *end) of its instructions. false: not known, both are 0. O(log n) of the
 * library's functions.
 */
bool kt_function_bounds(uintptr_t ip, uintptr_t *start, uintptr_t *end);

#endif
