/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Breakpoints of all threads that can reach a doorbell's device page, and debug traps for
 * which the CPU reports no cause.
 */
#ifndef DW_WATCHPOINT_H
#define DW_WATCHPOINT_H

#include "watch/state/doorbells.h"

/*
 * Sets a breakpoint in all threads of the doorbell's mm. If that fails in any thread,
 * increments no_register or not_watched once. Process context without locks.
 */
void dw_threads_arm(struct dw_doorbell *doorbell);

/*
 * Called from the fork's tracepoint for a new thread. If a doorbell of the mm needs
 * breakpoints, the thread gets them before its first instruction in user space.
 */
void dw_threads_fork(struct task_struct *child);

/*
 * The current task exits or has got another mm: removes its breakpoints soon. Called from a
 * tracepoint.
 */
void dw_threads_leave(void);

/*
 * Removes all breakpoints of a doorbell and waits for their handlers. Process context; the
 * doorbell's lock is held.
 */
void dw_watchpoint_clear(struct dw_doorbell *doorbell);

/* Called before the first breakpoint is set, and after the last is removed. */
int dw_watchpoint_init(void);
void dw_watchpoint_exit(void);

#endif
