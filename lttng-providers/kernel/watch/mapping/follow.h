/* SPDX-License-Identifier: GPL-2.0 */
/* Follows how a mapping begins, changes and ends, and the order of its events. */
#ifndef DW_FOLLOW_H
#define DW_FOLLOW_H

#include <linux/fs.h>

#include "watch/state/mapping.h"

/*
 * --- vm-ops.c: functions that the kernel calls for a traced VMA, before the driver's ---
 */

/*
 * Creates a mapping for a VMA of `mm`, with one reference for that VMA; takes a reference
 * to the process. The mapping's vm_ops are `inner` with this module's functions called
 * first. Never returns NULL; may sleep.
 */
struct dw_mapping *dw_mapping_create(struct dw_process *process, struct mm_struct *mm,
				     const struct vm_operations_struct *inner);

int dw_vm_ops_init(void);
void dw_vm_ops_exit(void); /* restores the drivers' vm_ops of all VMAs */

/* --- mmap.c: events and watching of a mapping after the driver's mmap --- */

int dw_mmap_init(void);

/*
 * The driver's mmap has returned `error` (0 or a negative errno) for this VMA. Before the
 * task leaves the kernel, the VMA's vm_ops are replaced, mmap and map events are emitted
 * and watching begins. mmap_lock is held for writing; does not sleep.
 */
void dw_mmap_returned(struct file *file, struct vm_area_struct *vma, int error);

/* --- pending.c --- */

/*
 * Mappings change under mmap_lock. Their events are emitted after the task has released the
 * lock and before it returns to user space. Events are ordered by address, and pieces into
 * which mprotect has split a mapping are joined.
 */

/* Part of a mapping was unmapped by the current task. mmap_lock is held. */
void dw_pending_unmapped(struct dw_mapping *mapping, unsigned long address,
			 unsigned long length);

/*
 * mremap has created a mapping, which gets its ordinal and is watched when its event is
 * emitted. mmap_lock is held.
 */
void dw_pending_moved(struct dw_mapping *mapping);

/* Emits the pending events of the current task. Without locks; may sleep. */
void dw_pending_emit(struct dw_process *process);

#endif
