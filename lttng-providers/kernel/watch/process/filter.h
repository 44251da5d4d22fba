/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Selects the devices and processes that are traced, and knows the drivers whose mmap is
 * hooked.
 */
#ifndef DW_FILTER_H
#define DW_FILTER_H

#include <linux/fs.h>
#include <linux/sched.h>

#define DW_HOOKS 4 /* largest number of hooked functions */

int dw_filter_init(void);
void dw_filter_exit(void);

/* Returns whether the file is a device that is traced. Any context. */
bool dw_filter_file(const struct file *file);

/*
 * Returns whether a process that begins to use a device is to be traced. A process that is
 * already traced remains so, whatever the filter. Any context.
 */
bool dw_filter_task(struct task_struct *task);

void dw_driver_init(void);

/* The function at `address` was hooked in `slot` (< DW_HOOKS), or is no longer hooked. */
void dw_driver_hooked(unsigned int slot, unsigned long address);
void dw_driver_unhooked(unsigned int slot);

/*
 * Writes the version of the module whose function was hooked last, or "" if it has none, to
 * version[0..n) and returns it.
 */
const char *dw_driver_version(char *version, size_t n);

#endif
