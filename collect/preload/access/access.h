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

#include "collect/preload/mappings/runs.h"

/* Whether registered user memory ("pin") is watched too. */
extern bool kt_access_pin;

/*
 * Starts watching a mapping, according to its kind, kt_access_mode and kt_doorbell_mode,
 * and arms its doorbell, if any. Also called for the mappings that a forked child inherits.
 */
void kt_access_watch(struct kt_mapping *mapping);

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
 * Makes a patched store of `width` bytes (collect/preload/access/patch.h) through the
 * second mapping and reports it. Returns false, and does nothing, if the store is not to
 * watched memory. Sets *wanted to whether the store hit a doorbell, a GP_PUT or a ring
 * entry, the targets for which stores are patched.
 */
bool kt_access_store(uintptr_t address, unsigned width, uint64_t value, uintptr_t ip,
		     bool *wanted);

#endif
