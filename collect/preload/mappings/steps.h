/* SPDX-License-Identifier: MIT */
/*
 * Instructions that cannot be emulated: each runs as it is, with the pages that it touches
 * open for it alone and the trap flag set. Safe in signal handlers.
 */
#ifndef KTAIL_COLLECT_STEPS_H
#define KTAIL_COLLECT_STEPS_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

#include "collect/preload/mappings/mappings.h"

/*
 * Opens the page for the one instruction at the context's RIP, which is then run with the
 * trap flag set and all signals but the recorder's blocked; kt_step_trap() closes it. An
 * instruction that touches several pages comes here for each. Where the kernel does not
 * open the page alone, the mapping is opened for good. The lock is held. false: too many
 * at a time, nothing was opened.
 */
bool kt_step_begin(struct kt_mapping *mapping, uintptr_t address, ucontext_t *context);

/* Whether the calling thread's instruction is one that is being stepped. The lock is held.
 */
bool kt_step_is_on(void);

/* Whether the page is open for a step of any thread. The lock is held. */
bool kt_step_opens(uintptr_t page);

/* A SIGTRAP; takes the lock. true: it was the end of such a step. */
bool kt_step_trap(const siginfo_t *info, ucontext_t *context);

/*
 * The instruction has failed for the program's own reason: the context is the program's.
 * Takes the lock if anybody steps.
 */
void kt_step_abandon(ucontext_t *context);

/* In a forked child: no thread of it is stepping. The lock is held. */
void kt_step_after_fork(void);

#endif
