/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Decodes ioctls of the resource manager: objects, registered memory, and the memory that a
 * file's next mmap will map. The recorder in user space decodes in the same way
 * (collect/preload/rm/rm.c).
 */
#ifndef DW_RM_H
#define DW_RM_H

#include <linux/fs.h>

#include "gpu-stack-kernel-events.h"
#include "watch/state/mapping.h"

/*
 * Handles an ioctl that has returned: fills the resource manager's fields of the event,
 * emits the event and those that follow from it, and ends the open run of accesses.
 * `argument` is the call's argument, `first` the first bytes in the memory to which the
 * argument points. Process context without locks; current is a task of the process.
 */
void dw_rm_returned(struct dw_process *process, u64 argument, struct kt_event_ioctl *event,
		    const struct kt_first_bytes *first);

/*
 * Writes to *out the memory that the file's next mmap will map. If no RM call has announced
 * that memory, *out is zero except for the space, which is "uvm" for the UVM device and
 * "other" for other devices. Does not sleep.
 */
void dw_rm_pending(struct dw_process *process, struct file *file,
		   struct dw_pending_map *out);

/*
 * Called when a file is being opened. Drops the record of an earlier file whose struct file
 * had the same address. Any context.
 */
void dw_rm_file_is_new(const struct file *file);

/*
 * Copies the parent's objects to a forked child. Process context; takes the locks of both
 * processes.
 */
void dw_rm_fork(struct dw_process *child, struct dw_process *parent);

/* Frees the RM state of a process that is being freed. */
void dw_rm_free(struct dw_process *process);

#endif
