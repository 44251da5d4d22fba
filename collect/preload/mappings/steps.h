/* SPDX-License-Identifier: MIT */
/*
 * Single-steps instructions that cannot be emulated, with the trap flag set and the pages
 * they touch open for them alone. Signal-safe.
 */
#ifndef KTAIL_COLLECT_STEPS_H
#define KTAIL_COLLECT_STEPS_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

#include "collect/preload/mappings/mappings.h"

/*
 * Opens the page for the instruction at the context's RIP, which then runs with the trap
 * flag set and all signals but the recorder's blocked; kt_step_trap() closes the page.
 * Called for each page that the instruction touches. If the kernel cannot open the page
 * alone, the mapping is opened for good. The caller holds the lock. Returns false, and
 * opens nothing, if too many threads step at once.
 */
bool kt_step_begin(struct kt_mapping *mapping, uintptr_t address, ucontext_t *context);

/* Returns whether the calling thread is single-stepping. The caller holds the lock. */
bool kt_step_is_on(void);

/* Returns whether the page is open for a step of any thread. The caller holds the lock. */
bool kt_step_opens(uintptr_t page);

/* Handles a SIGTRAP; takes the lock. Returns true if it was the end of such a step. */
bool kt_step_trap(const siginfo_t *info, ucontext_t *context);

/*
 * Ends the calling thread's step, whose instruction has failed for a reason of the
 * program's own, and restores the program's context. Takes the lock if any thread is
 * stepping.
 */
void kt_step_abandon(ucontext_t *context);

/* In a forked child: none of its threads is stepping. The caller holds the lock. */
void kt_step_after_fork(void);

#endif
