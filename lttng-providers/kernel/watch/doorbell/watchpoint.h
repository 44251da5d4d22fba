/* SPDX-License-Identifier: GPL-2.0 */
/* A door's breakpoint in one thread, and traps of which the CPU does not say why. */
#ifndef DW_WATCHPOINT_H
#define DW_WATCHPOINT_H

#include "watch/state/open-doors.h"

/*
 * Gives a task its breakpoint for a door, unless it has one. 0, or a negative errno:
 * -ENOSPC, no debug register is free. Process context; the door's lock is held.
 */
int dw_watchpoint_set(struct dw_door *door, struct task_struct *task);

/* Whether it has one. Any context; the door's lock is held, or the answer is a moment's. */
bool dw_watchpoint_is_set(const struct dw_door *door, const struct task_struct *task);

/* Takes all away. Process context; the door's lock is held. No handler of them runs then.
 */
void dw_watchpoint_clear(struct dw_door *door);

/* Whether the current task has any, of whichever door. Any context. */
bool dw_watchpoint_has_current(void);

/* Takes away those of the current task. Process context without locks. */
void dw_watchpoint_clear_current(void);

/* Not later than the first is set, and after the last is gone. */
int dw_watchpoint_init(void);
void dw_watchpoint_exit(void);

#endif
