/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reads and writes of device mappings, the way of the 2013 paper: page-table entries are
 * taken away, the wrapped fault handler reports and lets the access through
 * (access-faults.h). Here: which mappings that is done to.
 */
#ifndef DW_ACCESS_H
#define DW_ACCESS_H

#include "watch/state/mapping.h"

extern bool dw_access_on; /* parameter: access=off|coalesced */

int dw_access_init(void);

/*
 * Begins to trace a VMA of a mapping: the door, if it has one, is known, and what is in its
 * place in mode shadow is mapped. mmap_lock is held for writing. 0, or a negative errno:
 * then its accesses are not traced.
 */
int dw_access_begin(struct dw_mapping *mapping, struct vm_area_struct *vma);

/*
 * A mapping of a forked child, or one that mremap has moved, is of the pages of `from`,
 * `offset` bytes into it: what is known of these. To be followed by dw_access_begin().
 * mmap_lock of `from` is held.
 */
void dw_access_copy(struct dw_mapping *to, const struct dw_mapping *from, u64 offset);

/* All pages of a VMA come back, as the driver had mapped them. mmap_lock is held for
 * writing. */
void dw_access_restore(struct dw_mapping *mapping, struct vm_area_struct *vma);

/* The mapping goes; it has no VMA any more. Process context; mmap_lock may be held. */
void dw_access_end(struct dw_mapping *mapping);

#endif
