/* SPDX-License-Identifier: GPL-2.0 */
/* Follows fork, exec and exit of tasks: how traced processes begin and end. */
#ifndef DW_BIRTHS_H
#define DW_BIRTHS_H

#include "watch/state/process.h"

int dw_process_init(void);
/* Stops following tasks and removes all processes, without events. */
void dw_process_exit(void);

/*
 * Returns the process of the current task with a reference, or NULL if it is not traced.
 * With `begin`, tracing begins if the filter selects the task. Process context; may sleep.
 */
struct dw_process *dw_process_get_current(bool begin);

/*
 * Returns, with a reference, the process that will own `mm`, which a fork is filling with
 * copies of `parent`'s mappings. The process enters the table when the fork has succeeded.
 * Never NULL; may sleep.
 */
struct dw_process *dw_process_of_fork(struct mm_struct *mm, struct dw_process *parent);

#endif
