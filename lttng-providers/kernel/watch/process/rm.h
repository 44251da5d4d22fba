/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Decodes ioctls of the resource manager: objects, registered memory, and what a file's
 * next mmap maps. Same decoding as the recorder in user space (collect/preload/rm/rm.c).
 */
#ifndef DW_RM_H
#define DW_RM_H

#include <linux/fs.h>

#include "gpu-stack-kernel-events.h"
#include "watch/state/mapping.h"

/*
 * Handles an ioctl that has returned: fills the event's fields of the resource manager,
 * emits it and the events that follow from it, and ends the open run of accesses.
 * `argument` is the call's argument. Process context without locks, in the process.
 */
void dw_rm_returned(struct dw_process *process, u64 argument, struct kt_event_ioctl *event,
		    const struct kt_first_bytes *first);

/*
 * Writes what the next mmap of the file will map. If no call has announced it, *out is all
 * zero with space "other" (or "uvm" for that device). Does not sleep.
 */
void dw_rm_pending(struct dw_process *process, struct file *file,
		   struct dw_pending_map *out);

/*
 * Called before a file is opened. Drops what was recorded for an earlier file at this
 * address. Any context.
 */
void dw_rm_file_is_new(const struct file *file);

/*
 * Copies the parent's objects to a forked child. Process context; takes the locks of both.
 */
void dw_rm_fork(struct dw_process *child, struct dw_process *parent);

/* Frees what rm.c keeps of a process that is being freed. */
void dw_rm_free(struct dw_process *process);

#endif
