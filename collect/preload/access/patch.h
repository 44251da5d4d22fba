/* SPDX-License-Identifier: MIT */
/*
 * Stores of the program that are replaced by jumps to code of ours
 * (collect/preload/instructions/trampoline.h), which makes the store through the recorder's
 * second mapping and reports it: no trap, so a fraction of its cost. What guards the memory
 * (its closed page, a watchpoint) stays: a store that comes another way is seen as before.
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

#include <stdbool.h>
#include <stdint.h>

/* Before any of it; not in a handler. */
void kt_patch_init(void);

/*
 * The store at ip has just been seen, by a trap: patches it if that can be done safely.
 * Counts what was done; the first reason why not goes with its bytes into the counters. The
 * lock is held. Signal-safe.
 */
void kt_patch_consider(uintptr_t ip);

/* Before any of it; not in a handler. Then, whether this processor can keep the registers
 * that C code uses. */
void kt_patch_entry_init(void);
bool kt_patch_entry_works(void);

/*
 * What a patched store runs. Like a signal handler of the recorder it works on a stack of
 * its own, and leaves no register changed. The thread's signals wait meanwhile, unless none
 * of them has a handler. A few hundred bytes are needed on the program's stack. Jumped to
 * by trampolines alone (collect/preload/instructions/trampoline.h); no C function.
 */
void kt_patch_entry(void);

#endif
