/* SPDX-License-Identifier: MIT */
/*
 * Stores of the program that are replaced by jumps to code of ours (collect/trampoline.h),
 * which makes the store through the recorder's second mapping and reports it: no trap, so a
 * fraction of its cost. What guards the memory (its closed page, a watchpoint) stays: a
 * store that comes another way is seen as before.
 *
 * A store is patched when it has been seen for the first time. While other threads may be
 * running there: an int3 where an instruction begins, then what is between, then the first
 * bytes, with membarrier(2) (SYNC_CORE) between. So no thread ever runs half of one
 * instruction and half of another. A patch is taken out when the process ends, when the
 * program's stores there are mostly to other memory, or when threads often come to the
 * middle of the jump. Its trampoline stays for ever: a thread may be in it.
 */
#ifndef KTAIL_COLLECT_PATCH_H
#define KTAIL_COLLECT_PATCH_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

#include "collect/instruction.h"

struct kt_patch {
	uintptr_t site;
	struct kt_instruction store;
	uintptr_t made;  /* where the thread goes on, see trampoline.h */
	uintptr_t again; /* where it does the store as it is */
};

/* Before any of it; not in a handler. */
void kt_patch_init(void);

/*
 * The store at ip has just been seen, by a trap: patches it if that can be done safely.
 * Counts what was done; the first reason why not goes with its bytes into the counters. The
 * lock is held. Signal-safe.
 */
void kt_patch_consider(uintptr_t ip);

/* The patch of that number, as its trampoline knows it. NULL: there is none. */
const struct kt_patch *kt_patch_get(uint32_t number);

/*
 * It was run: `wanted`, the store was one that is patched for. false: it is of no use, the
 * caller takes it out with kt_patch_remove() when it holds the lock.
 */
bool kt_patch_ran(uint32_t number, bool wanted);
void kt_patch_remove(uint32_t number);

/* All of them; from now on nothing is patched. The lock is held. */
void kt_patch_finish(void);

/* Where an instruction that was moved to a trampoline stands in the program; else ip. */
uintptr_t kt_patch_original(uintptr_t ip);

/*
 * The other way: where a thread goes on whose next instruction may have been replaced
 * meanwhile. true: it has been, the context is changed. The lock is held.
 */
bool kt_patch_send_on(ucontext_t *context);

/*
 * Before a handler of the program sees the context of a fault: it names the instruction
 * that stood in the program, from which the thread can go on as well.
 */
void kt_patch_hide(ucontext_t *context);

/*
 * A SIGTRAP or SIGSEGV; takes the lock. true: it came of a byte of ours, the context goes on
 * where it should.
 */
bool kt_patch_trap(const siginfo_t *info, ucontext_t *context);

#endif
