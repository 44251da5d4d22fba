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
 * Returns whether tracing begins when this task's process begins to use a device. A process
 * that is already traced stays traced, whatever the filter selects. Any context.
 */
bool dw_filter_task(struct task_struct *task);

void dw_driver_init(void);

/*
 * Called when the function at `address` was hooked in `slot` (< DW_HOOKS), and when the
 * function of a slot is no longer hooked.
 */
void dw_driver_hooked(unsigned int slot, unsigned long address);
void dw_driver_unhooked(unsigned int slot);

/*
 * Writes the version of the module whose function was hooked last to version[0..n), or ""
 * if that module has no version. Returns `version`.
 */
const char *dw_driver_version(char *version, size_t n);

#endif
