/* SPDX-License-Identifier: GPL-2.0 */
/* All threads that can reach a door with its real page have a watchpoint for it. */
#ifndef DW_THREADS_H
#define DW_THREADS_H

#include <linux/sched.h>

struct dw_door;

/* Gives all threads of the door's mm their watchpoint; those that are not watched are
 * counted. Process context without locks. */
void dw_threads_arm(struct dw_door *door);

/*
 * A new task of an mm that may have doors: its watchpoints come before its first
 * instruction in user space. From the fork's tracepoint.
 */
void dw_threads_fork(struct task_struct *child);

/* The current task exits or has got another mm. From a tracepoint. */
void dw_threads_leave(void);

#endif
