/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What ioctls of the resource manager mean: objects, registered memory, and what a file's
 * next mmap maps. The same as the recorder in user space makes of them
 * (collect/preload/rm/rm.c).
 */
#ifndef DW_RM_H
#define DW_RM_H

#include <linux/fs.h>

#include "gpu-stack-kernel-events.h"
#include "watch/state/mapping.h"

/*
 * An ioctl has returned: fills the event's fields of the resource manager, raises it and
 * those that follow from it, ends the open run of accesses. `argument`: the call's. Process
 * context without locks, in the process.
 */
void dw_rm_returned(struct dw_process *process, u64 argument, struct kt_event_ioctl *event,
		    const struct kt_first_bytes *first);

/*
 * What the next mmap of that file will map; *out is all zero and its space "other" (or
 * "uvm" for that device) if no call has said so. Any context; nothing of the file but its
 * address is looked at in other than process context.
 */
void dw_rm_pending(struct dw_process *process, struct file *file,
		   struct dw_pending_map *out);

/* A file is about to be opened: what was said of one that lay there is void. Any context.
 */
void dw_rm_file_is_new(const struct file *file);

/* A forked child knows the objects of its parent. Process context; takes both locks. */
void dw_rm_fork(struct dw_process *child, struct dw_process *parent);

/* With the process. */
void dw_rm_free(struct dw_process *process);

#endif
