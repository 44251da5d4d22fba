/* SPDX-License-Identifier: MIT */
/*
 * Code that runs instead of a patched load or store. A jump of five bytes replaces this
 * instruction and all others that begin within these five bytes. It leads to `entry`:
 *
 * 	entry:	make the access if it continues a run (continue-code.h), and go on at `rest`
 * 		skip the red zone; push the site's number; jump to kt_patch_entry
 * 	after_access:	restore the stack pointer; jump to `rest`
 * 	again:	restore the stack pointer
 * 	access:	the patched instruction, moved here
 * 	rest:	the other instructions, moved here; jump to what follows them
 * 	for each instruction there that may be patched itself (struct kt_inner): entry;
 * after_access: restore the stack pointer, jump to the next; again: the same, jump to the
 * instruction
 *
 * kt_patch_entry (patch-entry.c) continues at `after_access` if it has made the access
 * itself, or else at `again`. Registers and flags are those that the instruction leaves.
 *
 * Some of the replaced instructions began at addresses that are now in the middle of the
 * jump. A branch may lead there, or a thread may have been stopped there. Such a thread
 * must trap, so that it can continue at the moved instruction. Therefore the trampoline is
 * placed at an address whose distance, as encoded in the jump, has at each of those
 * addresses a byte that traps: int3, or an instruction that only the kernel may run.
 */
#ifndef KTAIL_COLLECT_TRAMPOLINE_H
#define KTAIL_COLLECT_TRAMPOLINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collect/preload/instructions/continue-code.h"

#define KT_JUMP_BYTES   5
#define KT_INNER_MAX    4  /* instructions that can begin within a jump */
#define KT_REPLACED_MAX 19 /* bytes: four, and the longest instruction after them */
#define KT_SITE_BYTES   32 /* bytes of code inspected, from the access on */

/*
 * A moved instruction after the first. If it accesses memory that is not on the stack, a
 * nop of KT_JUMP_BYTES stands before it, so that it can be patched, too: by a jump in the
 * nop's place to code of its own.
 */
struct kt_inner {
	uint8_t offset;   /* from the site, 1 to 4 */
	uintptr_t copy;   /* address of the nop, if any, else of the moved instruction */
	uintptr_t access; /* address of the moved instruction */
	uintptr_t entry;  /* 0: no nop. These addresses are as in struct kt_trampoline */
	uintptr_t number; /* address of the number that the code at `entry` pushes */
	uintptr_t after_access;
	uintptr_t again;
	struct kt_continue_code way;
	uint8_t jump[KT_JUMP_BYTES]; /* from `copy` to `entry` */
};

extern const uint8_t kt_trampoline_nop[KT_JUMP_BYTES];

struct kt_trampoline {
	uintptr_t entry;
	uintptr_t after_access;
	uintptr_t again;
	uintptr_t access;
	struct kt_continue_code way;
	uintptr_t pages; /* address of the trampoline's memory. Owned by this struct */
	size_t bytes;    /* size of the pages; 0: freed */
	uint8_t jump[KT_JUMP_BYTES];
	uint8_t replaced; /* bytes of the moved instructions; below 5: the next is kept */
	uint8_t starts;   /* bit i: a moved instruction began at site + i, i below 5 */
	uint8_t n_inner;
	struct kt_inner inner[KT_INNER_MAX];
};

/* Call before the functions below; not signal-safe. */
void kt_trampoline_init(void);

/* What the code of a trampoline refers to. */
struct kt_trampoline_links {
	uint32_t number;   /* of the site */
	uintptr_t handler; /* to which the code jumps with the number on the stack */
	const struct kt_continue_site *site; /* NULL: no access continues a run */
	/*
	 * Only the first instruction is replaced. If it is shorter than the jump, the bytes
	 * after it are also the last ones of the jump's distance, so the trampoline must be
	 * at a certain distance. Branches to the next instruction do not trap then.
	 */
	bool keeps_next;
};

/*
 * Creates a trampoline for the load or store at `site`; code[0..n) is the code from the
 * site on. Returns NULL on success. Otherwise, returns the reason, a static text, and
 * leaves nothing allocated. Signal-safe.
 */
const char *kt_trampoline_make(struct kt_trampoline *out, uintptr_t site,
			       const uint8_t *code, size_t n,
			       const struct kt_trampoline_links *links);

/* Frees the trampoline's memory. No thread may be in the trampoline or reach it. */
void kt_trampoline_free(struct kt_trampoline *trampoline);

/*
 * Looks up the function that contains the instruction at ip in the unwind table of its
 * library (.eh_frame_hdr, sorted by address; Linux Standard Base, "Exception Frames"). On
 * x86-64, compilers put no data within a function. Signal-safe.
 *
 * Writes the function's range, [*start, *end). Returns false, and sets *start and *end to
 * 0, if the function is unknown. O(log n) in the number of the library's functions.
 */
bool kt_function_bounds(uintptr_t ip, uintptr_t *start, uintptr_t *end);

#endif
