/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What becomes of mappings happens under mmap_lock; its events are raised when the task has
 * left that, before it goes on in user space: in order, and pieces that an mprotect has
 * made of one mapping are one again.
 */
#ifndef DW_TOLD_H
#define DW_TOLD_H

#include <linux/types.h>

struct dw_mapping;
struct dw_process;

/* Part of a mapping is gone. mmap_lock is held; current does it. */
void dw_told_gone(struct dw_mapping *mapping, unsigned long address, unsigned long length);

/* mremap has made a mapping: it gets its number, and is watched. mmap_lock is held. */
void dw_told_moved(struct dw_mapping *mapping);

/* Raises what is due of the current task's. Without locks; may sleep. */
void dw_told_tell(struct dw_process *process);

#endif
