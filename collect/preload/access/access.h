/* SPDX-License-Identifier: MIT */
/*
 * Reads and writes of watched mappings: an access faults, is reported, and is done through
 * a second mapping of the same memory (collect/preload/instructions/emulate.h). What cannot
 * be emulated runs with its page open for one instruction; long runs open windows
 * (collect/preload/mappings/pages.h). The lock is held for all functions here but
 * kt_access_fault(), which takes it.
 */
#ifndef KTAIL_COLLECT_ACCESS_H
#define KTAIL_COLLECT_ACCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <ucontext.h>

#include "collect/preload/mappings/runs.h"

/* Whether registered user memory is watched too. */
extern bool kt_access_pin;

/*
 * Begins to watch a new mapping as its kind and the modes of access and doorbell ask for;
 * arms its doorbell. To be called again for what a forked child has inherited.
 */
void kt_access_watch(struct kt_mapping *mapping);

/*
 * Channels, mappings or GPU addresses may have changed: finds rings and GP_PUTs anew
 * (collect/preload/submissions/ring-stores.h), and closes their pages where nothing else
 * does. Not in a signal handler.
 */
void kt_access_watch_rings(void);

/*
 * Watches registered user memory, the whole pages of it that are mapped alike. There is no
 * second mapping of it: windows and single steps alone.
 */
void kt_access_watch_pinned(uint32_t ordinal, uint64_t address, uint64_t length);
void kt_access_forget_pinned(uint32_t ordinal, uint64_t address, uint64_t length);

/* A page fault. true: it was ours and the thread can go on; false: it is the program's. */
bool kt_access_fault(uintptr_t address, bool write, ucontext_t *context);

/* In a forked child: it counts its own accesses. */
void kt_access_after_fork(void);

/*
 * A patched store of `width` bytes (collect/preload/access/patch.h): makes it through the
 * second mapping and reports it. false: nothing was done, it is not to watched memory.
 * *wanted: it was what stores are patched for, a doorbell, a GP_PUT or an entry of a ring.
 */
bool kt_access_store(uintptr_t address, unsigned width, uint64_t value, uintptr_t ip,
		     bool *wanted);

#endif
