/* SPDX-License-Identifier: MIT */
/*
 * Replaces stores of the program by jumps to code of ours
 * (collect/preload/instructions/trampoline.h), which makes the store through the recorder's
 * second mapping and reports it: without a trap, at a fraction of the cost. The memory
 * stays guarded (its closed page, a watchpoint), so a store from elsewhere is observed as
 * before.
 *
 * A store is patched after it was first observed. Other threads may be running there
 * meanwhile: so an int3 replaces the first byte of each instruction, then the bytes between
 * are written, then the first bytes, with membarrier(2) (SYNC_CORE) after each step. No
 * thread ever runs parts of two instructions. A patch is removed at the end of the process,
 * if the program's stores there mostly hit other memory, or if threads often arrive in the
 * middle of the jump. Its trampoline is never freed: a thread may be in it.
 */
#ifndef KTAIL_COLLECT_PATCH_H
#define KTAIL_COLLECT_PATCH_H

#include <stdbool.h>
#include <stdint.h>

/* Call before the others; not signal-safe. */
void kt_patch_init(void);

/*
 * Patches the store at ip, which a trap has just observed, if that can be done safely.
 * Counts the result; the first reason for a refusal goes with the code bytes into the
 * counters. The caller holds the lock. Signal-safe.
 */
void kt_patch_consider(uintptr_t ip);

/*
 * kt_patch_entry_init() must be called first and is not signal-safe.
 * kt_patch_entry_works() returns whether registers used by C code can be saved on this
 * processor.
 */
void kt_patch_entry_init(void);
bool kt_patch_entry_works(void);

/*
 * Code of a patched store. Like a signal handler of the recorder it runs on a stack of its
 * own and preserves all registers. The thread's signals are blocked meanwhile, unless none
 * has a handler. Needs a few hundred bytes of the program's stack. Entered by trampolines
 * only (collect/preload/instructions/trampoline.h); not callable from C.
 */
void kt_patch_entry(void);

#endif
