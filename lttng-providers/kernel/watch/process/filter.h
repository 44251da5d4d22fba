/* SPDX-License-Identifier: GPL-2.0 */
/* Which devices and which processes are traced; the driver whose mmap is hooked. */
#ifndef DW_FILTER_H
#define DW_FILTER_H

#include <linux/fs.h>
#include <linux/sched.h>

#define DW_HOOKS 4 /* functions of drivers that are hooked at most */

int dw_filter_init(void);
void dw_filter_exit(void);

/* Whether a file is one of the devices that are traced. Any context. */
bool dw_filter_file(const struct file *file);

/*
 * Whether a process that begins to use one is to be traced: what is traced already stays
 * so. Any context.
 */
bool dw_filter_task(struct task_struct *task);

void dw_driver_init(void);

/* The function at that address is hooked, which is one of DW_HOOKS; or is no longer. */
void dw_driver_hooked(unsigned int slot, unsigned long address);
void dw_driver_unhooked(unsigned int slot);

/* Version of the module that owns a hooked function, "" if none does. version[n]. */
const char *dw_driver_version(char *version, size_t n);

#endif
