/* SPDX-License-Identifier: MIT */
/*
 * Single-steps instructions that cannot be emulated: sets the trap flag, and opens the
 * pages that an instruction touches while it runs. Signal-safe.
 */
#ifndef KTAIL_COLLECT_STEPS_H
#define KTAIL_COLLECT_STEPS_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

#include "collect/preload/mappings/mappings.h"

/*
 * Opens the page of `address` for the instruction at the context's RIP, which then runs
 * with the trap flag set and all signals but the recorder's blocked; kt_step_trap() closes
 * the page. Call it for each page that the instruction touches. If the kernel cannot open
 * the page alone, opens the whole mapping for good and starts no step. The caller holds the
 * lock. Returns false, and opens nothing, if too many threads step at once.
 */
bool kt_step_begin(struct kt_mapping *mapping, uintptr_t address, ucontext_t *context);

/* Returns whether the calling thread is single-stepping. The caller holds the lock. */
bool kt_step_is_on(void);

/* Returns whether the page is open for a step of any thread. The caller holds the lock. */
bool kt_step_opens(uintptr_t page);

/*
 * Handles a SIGTRAP at the end of a step; takes the lock. Returns false if the program must
 * get the SIGTRAP too, because the program single-steps itself or the SIGTRAP has another
 * cause.
 */
bool kt_step_trap(const siginfo_t *info, ucontext_t *context);

/*
 * Ends the calling thread's step, if any, and restores the program's context. Call if the
 * program itself causes a fault, so that its handler does not run with the step's signal
 * mask and trap flag. Takes the lock if any thread is stepping.
 */
void kt_step_abandon(ucontext_t *context);

/* Call in a forked child, where no thread is stepping. The caller holds the lock. */
void kt_step_after_fork(void);

#endif
