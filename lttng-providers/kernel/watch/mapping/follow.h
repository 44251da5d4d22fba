/* SPDX-License-Identifier: GPL-2.0 */
/* How a mapping begins, changes and ends, and in which order that is told. */
#ifndef DW_FOLLOW_H
#define DW_FOLLOW_H

#include <linux/fs.h>

#include "watch/state/mapping.h"

/* --- vm-ops.c: what the kernel calls for a VMA of ours, before the driver's --- */

/*
 * One of a VMA of that mm, which has one reference, for that VMA; and of that process, of
 * which it takes a reference. Its vm_ops are `inner` with ours in front. Never NULL;
 * sleeps.
 */
struct dw_mapping *dw_mapping_create(struct dw_process *process, struct mm_struct *mm,
				     const struct vm_operations_struct *inner);

int dw_vm_ops_init(void);
void dw_vm_ops_exit(void); /* gives all living VMAs their own vm_ops back */

/* --- mmap.c: after a driver's mmap, the mapping, its events, what is watched of it --- */

int dw_mmap_init(void);

/*
 * The driver's mmap has returned `error` for this VMA. The rest follows before the task
 * leaves the kernel: ours are put in front of its vm_ops, mmap and map events, watching.
 * mmap_lock is held for writing; does not sleep.
 */
void dw_mmap_returned(struct file *file, struct vm_area_struct *vma, int error);

/* --- pending.c --- */

/*
 * What becomes of mappings happens under mmap_lock; its events are raised when the task has
 * left that, before it goes on in user space: in order, and pieces that an mprotect has
 * made of one mapping are one again.
 */

/* Part of a mapping is gone. mmap_lock is held; current does it. */
void dw_pending_unmapped(struct dw_mapping *mapping, unsigned long address,
			 unsigned long length);

/* mremap has made a mapping: it gets its number, and is watched. mmap_lock is held. */
void dw_pending_moved(struct dw_mapping *mapping);

/* Raises what is due of the current task's. Without locks; may sleep. */
void dw_pending_emit(struct dw_process *process);

#endif
