/* SPDX-License-Identifier: MIT */
/*
 * Observes reads and writes of watched mappings: an access faults, is reported, and is made
 * through the alias, a second mapping of the same memory
 * (collect/preload/instructions/emulate.h). Instructions that cannot be emulated are
 * single-stepped while their page is open; for long runs of accesses, windows are opened
 * (collect/preload/mappings/pages.h). The caller holds the lock, except for
 * kt_access_fault(), which takes it.
 */
#ifndef KTAIL_COLLECT_ACCESS_H
#define KTAIL_COLLECT_ACCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <ucontext.h>

#include "collect/preload/instructions/instruction.h"
#include "collect/preload/mappings/runs.h"

/* What an access of a patched instruction was. */
enum kt_patched {
	KT_PATCHED_STRAY,  /* not to memory for which instructions are patched */
	KT_PATCHED_WANTED, /* to a doorbell, GP_PUT, ring or other watched memory */
	KT_PATCHED_LOOP,   /* one of very many in a run */
};

/* Whether registered user memory ("pin") is watched too. */
extern bool kt_access_pin;

/*
 * Starts watching a mapping, according to its kind, kt_access_mode and kt_doorbell_mode,
 * and arms its doorbell, if any. Also called for the mappings that a forked child inherits.
 */
void kt_access_watch(struct kt_mapping *mapping);

/*
 * Stops watching accesses to the mappings with this ordinal, or to all mappings if it is 0:
 * from then on, they are watched as with KT_ACCESS_OFF. No window may be open. Returns
 * whether there were any. Signal-safe. O(mappings).
 */
bool kt_access_give_up(uint32_t ordinal);

/*
 * In a forked child: watches all of them again, except those with doorbells: for these, the
 * caller calls kt_access_watch(). Not signal-safe.
 */
void kt_access_take_back(void);

/*
 * After a change of channels, mappings or GPU addresses, locates rings and GP_PUTs again
 * (collect/preload/submissions/ring-stores.h) and closes their pages. Not signal-safe.
 */
void kt_access_watch_rings(void);

/*
 * Start and stop watching the pages that lie wholly in a range of registered user memory.
 * They are watched only if all of them have the same protection. The memory has no second
 * mapping, so accesses are not emulated: only windows and single steps are used.
 */
void kt_access_watch_pinned(uint32_t ordinal, uint64_t address, uint64_t length);
void kt_access_forget_pinned(uint32_t ordinal, uint64_t address, uint64_t length);

/*
 * Handles a page fault. Returns true if the recorder caused it and the thread can continue,
 * false if the fault is the program's.
 */
bool kt_access_fault(uintptr_t address, bool write, ucontext_t *context);

/*
 * Call in a forked child: ends the run, the windows, the single steps and the holds of the
 * parent.
 */
void kt_access_after_fork(void);

/*
 * Makes the access of a patched instruction (collect/preload/access/patch.h), whose address
 * is the context's RIP, through the second mapping and reports it. Changes the general
 * registers and flags in the context, and *vectors, as the instruction would. Returns
 * false, and does nothing, if the access is not to watched memory.
 */
bool kt_access_patched(const struct kt_instruction *instruction, ucontext_t *context,
		       struct kt_saved_vectors *vectors, enum kt_patched *what);

#endif
