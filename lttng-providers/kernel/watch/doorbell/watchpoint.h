/* SPDX-License-Identifier: GPL-2.0 */
/*
 * All threads that can reach a door with its real page have a breakpoint for it; traps of
 * which the CPU does not say why.
 */
#ifndef DW_WATCHPOINT_H
#define DW_WATCHPOINT_H

#include "watch/state/doorbells.h"

/* Gives all threads of the door's mm their breakpoint; those that are not watched are
 * counted. Process context without locks. */
void dw_threads_arm(struct dw_doorbell *doorbell);

/*
 * A new task of an mm that may have doors: its breakpoints come before its first
 * instruction in user space. From the fork's tracepoint.
 */
void dw_threads_fork(struct task_struct *child);

/* The current task exits or has got another mm. From a tracepoint. */
void dw_threads_leave(void);

/* Takes all away. Process context; the door's lock is held. No handler of them runs then.
 */
void dw_watchpoint_clear(struct dw_doorbell *doorbell);

/* Not later than the first is set, and after the last is gone. */
int dw_watchpoint_init(void);
void dw_watchpoint_exit(void);

#endif
