/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Doorbell pages that are watched: by a write breakpoint for each thread that can reach
 * them, or, in mode shadow, by a page in their place that nobody can write to.
 */
#ifndef DW_WATCH_H
#define DW_WATCH_H

#include "watch/state/doorbells.h"

enum dw_mode {
	DW_MODE_OFF,
	DW_MODE_WATCH,
	DW_MODE_SHADOW,
};

extern enum dw_mode dw_mode; /* parameter: mode */
const char *dw_mode_name(void);

int dw_watch_init(void);
void dw_watch_exit(void); /* after all mappings have gone */

/*
 * Opens a door at the mapping's doorbell_page, unless it is open, and arms it. Process
 * context without locks; current is a task of the mapping's mm.
 */
void dw_watch_open(struct dw_mapping *mapping);

/* The page is gone from the process, or moves: nothing there is a doorbell any more, and
 * the device is not touched after this. The breakpoints go later, in a worker. mmap_lock is
 * held; may sleep. */
void dw_watch_close(struct dw_mapping *mapping);

/* mremap has moved the page of a door: `vma` is where it is now. mmap_lock is held for
 * writing. */
void dw_watch_moved(struct dw_mapping *from, struct dw_mapping *to,
		    struct vm_area_struct *vma);

/*
 * fork copies the VMA of a door, and after this its page tables: those of the new mapping
 * must not have the shadow's page. mmap_lock of both is held for writing.
 */
void dw_watch_copied(struct dw_mapping *from, struct dw_mapping *to);

/* With the mapping, in a worker. */
void dw_watch_free(struct dw_mapping *mapping);

/* The real page takes the place of a shadow, or of nothing: its door is not yet open.
 * mmap_lock is held for writing. */
void dw_watch_restore(struct dw_mapping *mapping, struct vm_area_struct *vma);

/*
 * The real page comes back to a door in mode shadow before the current task goes on, with
 * all threads watched; if the task dies before that, the next one that needs it sees to it.
 * false: it cannot. Any context but NMI.
 */
bool dw_watch_leave_shadow_soon(struct dw_doorbell *doorbell);

#endif
