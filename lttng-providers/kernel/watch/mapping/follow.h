/* SPDX-License-Identifier: GPL-2.0 */
/* Follows how mappings begin, change and end, and emits their events in order. */
#ifndef DW_FOLLOW_H
#define DW_FOLLOW_H

#include <linux/fs.h>

#include "watch/state/mapping.h"

/* --- vm-ops.c: functions of this module in the vm_ops of traced VMAs --- */

/*
 * Creates a mapping for a VMA of `mm`, with one reference for that VMA, and takes a
 * reference to the process. The mapping's vm_ops are a copy of `inner` in which this
 * module's functions replace some of the driver's and call them. Never returns NULL; may
 * sleep.
 */
struct dw_mapping *dw_mapping_create(struct dw_process *process, struct mm_struct *mm,
				     const struct vm_operations_struct *inner);

int dw_vm_ops_init(void);
void dw_vm_ops_exit(void); /* restores the drivers' vm_ops of all VMAs */

/* --- mmap.c: events and watching of a mapping after the driver's mmap --- */

int dw_mmap_init(void);

/*
 * Called when the driver's mmap has returned `error` (0 or a negative errno) for `vma`. The
 * caller holds mmap_lock for writing. This function does not sleep.
 *
 * If the filter selects the file, deferred work emits mmap and map events before the task
 * leaves the kernel. Unless mmap failed or the VMA belongs to nvidia_uvm, this work also
 * replaces the VMA's vm_ops and begins watching.
 */
void dw_mmap_returned(struct file *file, struct vm_area_struct *vma, int error);

/* --- pending.c --- */

/*
 * Mappings change under mmap_lock. The events of the changes are emitted after the task has
 * released the lock and before the task returns to user space. Events of unmapped pieces
 * are ordered by address; adjoining pieces, into which mprotect has split a mapping, are
 * joined.
 */

/* Called when the current task has unmapped part of a mapping. mmap_lock is held. */
void dw_pending_unmapped(struct dw_mapping *mapping, unsigned long address,
			 unsigned long length);

/*
 * Called when mremap has created a mapping. When its map event is emitted, the mapping gets
 * its ordinal, and watching begins. mmap_lock is held.
 */
void dw_pending_moved(struct dw_mapping *mapping);

/* Emits the pending events of the current task. Without locks; may sleep. */
void dw_pending_emit(struct dw_process *process);

#endif
