/* SPDX-License-Identifier: GPL-2.0 */
/* After a driver's mmap: the mapping, its events, what is watched of it. */
#ifndef DW_MADE_H
#define DW_MADE_H

#include <linux/fs.h>
#include <linux/mm.h>

int dw_made_init(void);

/*
 * The driver's mmap has returned `error` for this VMA. The rest follows before the task
 * leaves the kernel: ours are put in front of its vm_ops, mmap and map events, watching.
 * mmap_lock is held for writing; does not sleep.
 */
void dw_mapping_made(struct file *file, struct vm_area_struct *vma, int error);

#endif
