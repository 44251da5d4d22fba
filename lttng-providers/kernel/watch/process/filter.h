/* SPDX-License-Identifier: GPL-2.0 */
/* Which devices and which processes are traced. */
#ifndef DW_FILTER_H
#define DW_FILTER_H

#include <linux/fs.h>
#include <linux/sched.h>

int dw_filter_init(void);
void dw_filter_exit(void);

/* Whether a file is one of the devices that are traced. Any context. */
bool dw_filter_file(const struct file *file);

/*
 * Whether a process that begins to use one is to be traced: what is traced already stays
 * so. Any context.
 */
bool dw_filter_task(struct task_struct *task);

#endif
