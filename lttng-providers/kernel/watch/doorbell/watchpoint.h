/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Breakpoints on doorbells, in all threads that can reach the device page, and debug traps
 * for which the CPU reports no cause.
 */
#ifndef DW_WATCHPOINT_H
#define DW_WATCHPOINT_H

#include "watch/state/doorbells.h"

/*
 * Sets a breakpoint on the doorbell in each thread of the doorbell's mm. If this fails in
 * one or more threads, increments the counter no_register or not_watched once. Process
 * context without locks.
 */
void dw_threads_arm(struct dw_doorbell *doorbell);

/*
 * Called from the fork's tracepoint for a new thread. Before its first instruction in user
 * space, the thread gets a breakpoint for each doorbell of its mm that needs breakpoints.
 */
void dw_threads_fork(struct task_struct *child);

/*
 * Called from a tracepoint when the current task exits or has got another mm by exec.
 * Schedules the removal of the task's breakpoints.
 */
void dw_threads_leave(void);

/*
 * Removes all breakpoints of a doorbell and waits until none of their handlers is running.
 * Process context; the doorbell's lock is held.
 */
void dw_watchpoint_clear(struct dw_doorbell *doorbell);

/* Init is called before the first breakpoint is set, exit after the last is removed. */
int dw_watchpoint_init(void);
void dw_watchpoint_exit(void);

#endif
