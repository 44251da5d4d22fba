/* SPDX-License-Identifier: GPL-2.0 */
/* How traced processes begin and end, as their tasks do. */
#ifndef DW_BIRTHS_H
#define DW_BIRTHS_H

#include "watch/state/process.h"

int dw_process_init(void);
/* No process begins or ends any more; those that are there are forgotten, without events.
 */
void dw_process_exit(void);

/*
 * The process of the current task: a reference, or NULL: it is not traced. `begin`: it
 * begins to be if the filter wants it. Process context; may sleep.
 */
struct dw_process *dw_process_get_current(bool begin);

/*
 * The process that will own `mm`, which a fork is filling with copies of `parent`'s
 * mappings: a reference. It is born when the fork has succeeded.
 */
struct dw_process *dw_process_of_fork(struct mm_struct *mm, struct dw_process *parent);

#endif
