/* SPDX-License-Identifier: MIT */
/*
 * Replaces loads and stores of the program by jumps to code of the recorder
 * (collect/preload/instructions/trampoline.h). This code makes the access through the
 * recorder's second mapping and reports it without a trap, at a fraction of a trap's cost.
 * The memory stays guarded by its closed page or a watchpoint, so accesses by other
 * instructions are still observed.
 *
 * A store to a doorbell, a GP_PUT or a ring is patched after it was first observed, another
 * access when it has faulted often (hot-sites.h). As other threads may be running the same
 * code, the code is replaced in three steps, so that no thread ever runs parts of two
 * instructions. In step 1, the first byte of each old instruction becomes int3; in step 2,
 * all other bytes are written; in step 3, these first bytes. membarrier(2) (SYNC_CORE)
 * follows each step. A patch is removed at the end of the process, and earlier if the
 * instruction mostly accesses other memory or if threads often arrive in the middle of the
 * jump. The trampoline of a removed patch is never freed, because a thread may be in it.
 */
#ifndef KTAIL_COLLECT_PATCH_H
#define KTAIL_COLLECT_PATCH_H

#include <stdbool.h>
#include <stdint.h>

/* Call before the functions below; not signal-safe. */
void kt_patch_init(void);

/* What an instruction is patched for; each has its own counters. */
enum kt_patch_for {
	KT_PATCH_FOR_SUBMISSIONS, /* a store to a doorbell, a GP_PUT or a ring */
	KT_PATCH_FOR_ACCESSES,
};

/*
 * Patches the load or store at ip, which a fault or a watchpoint has just observed, if that
 * can be done safely. Counts the result; for submissions, the counters also keep the reason
 * and the code bytes of the first refusal. The caller holds the lock. Signal-safe.
 */
void kt_patch_consider(uintptr_t ip, enum kt_patch_for purpose);

/* Returns whether the address is in code that the recorder itself runs: its own, libc's. */
bool kt_patch_is_own_code(uintptr_t address);

/*
 * kt_patch_entry_works() returns whether kt_patch_entry() can save all registers that C
 * code uses on this processor. kt_patch_entry_init() must be called before it and is not
 * signal-safe.
 */
void kt_patch_entry_init(void);
bool kt_patch_entry_works(void);

/*
 * Makes and reports a patched access. Like a signal handler of the recorder, this code runs
 * on a stack of its own and preserves all registers; it needs a few hundred bytes of the
 * program's stack. If the application has a handler for any signal, the thread's signals
 * are blocked meanwhile. Only trampolines enter it
 * (collect/preload/instructions/trampoline.h); not callable from C.
 */
void kt_patch_entry(void);

#endif
