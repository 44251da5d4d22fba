/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Watches doorbell pages: with a write breakpoint for each thread that can reach them or,
 * in mode shadow, with a read-only page of memory in their place.
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
void dw_watch_exit(void); /* after all mappings have been released */

/*
 * Opens the doorbell at mapping->doorbell_page, unless it is open already, and arms it with
 * a shadow or breakpoints. Process context without locks; current is a task of the
 * mapping's mm.
 */
void dw_watch_open(struct dw_mapping *mapping);

/*
 * Called when the page is unmapped or moved: stores to its old address are no longer
 * doorbells, and the device is not accessed after this. A worker removes the breakpoints
 * later. mmap_lock is held; may sleep.
 */
void dw_watch_close(struct dw_mapping *mapping);

/* mremap has moved a doorbell page; `vma` is its new VMA. mmap_lock is held for writing. */
void dw_watch_moved(struct dw_mapping *from, struct dw_mapping *to,
		    struct vm_area_struct *vma);

/*
 * Called when fork has copied the VMA of a doorbell and before the kernel copies its page
 * tables. Removes the shadow page from them, because the child must not get it. mmap_lock
 * of both mms is held for writing.
 */
void dw_watch_copied(struct dw_mapping *from, struct dw_mapping *to);

/* Frees the doorbell of a mapping that is being freed. Called in a worker. */
void dw_watch_free(struct dw_mapping *mapping);

/*
 * Maps the device page again if a shadow has replaced it, or if it was kept unmapped
 * because its doorbell is not ready yet. mmap_lock is held for writing.
 */
void dw_watch_restore(struct dw_mapping *mapping, struct vm_area_struct *vma);

/*
 * Switches a doorbell from its shadow to its device page, with breakpoints for all threads,
 * before the current task returns to user space. If the task exits first, the doorbell
 * keeps its shadow until the next fault that asks for this switch. Returns false if the
 * switch cannot be scheduled. Any context but NMI.
 */
bool dw_watch_leave_shadow_soon(struct dw_doorbell *doorbell);

#endif
