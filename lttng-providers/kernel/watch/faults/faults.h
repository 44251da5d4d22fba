/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Faults in watched mappings. A doorbell's page is mapped when it is watched, and not
 * before. Reads and writes of device mappings, the way of the 2013 paper: page-table
 * entries are taken away, the wrapped fault handler reports and lets the access through.
 */
#ifndef DW_FAULTS_H
#define DW_FAULTS_H

#include "watch/state/doorbells.h"

/* --- pages with a doorbell --- */

/*
 * A fault in a mapping, before the driver sees it. VM_FAULT_FALLBACK: it is not in the page
 * of a door, or nothing special about it.
 */
vm_fault_t dw_watch_fault(struct dw_mapping *mapping, struct vm_fault *fault);

/*
 * The driver's own handler maps what is missing, which it has: one page or all. No thread
 * can touch a doorbell's page among them before it is watched, nor the real one beside its
 * shadow.
 */
vm_fault_t dw_watch_fill(struct dw_mapping *mapping, struct vm_fault *fault);

/*
 * An access to the page, or a store where it can be read, of a device that is awake; the
 * kernel's are refused. A store that cannot be made for the program gets the real page for
 * good.
 */
vm_fault_t dw_shadow_fault(struct dw_doorbell *doorbell, struct vm_fault *fault);

/* --- pages whose accesses are traced --- */

extern bool dw_access_on; /* parameter: access=off|coalesced */

/* A fault of one of its pages, and the first write to one that was opened for reading. */
vm_fault_t dw_access_fault(struct dw_mapping *mapping, struct vm_fault *fault);

/* For the vm_ops of a mapping whose accesses are traced, or whose door may have a shadow.
 */
vm_fault_t dw_mapping_pfn_mkwrite(struct vm_fault *fault);

/*
 * Begins to trace accesses of a VMA if it is wanted: the door, if it has one, is known, and
 * what is in its place in mode shadow is mapped. mmap_lock is held for writing.
 */
void dw_mapping_trace_access(struct dw_mapping *mapping, struct vm_area_struct *vma);
/* The same for all its VMAs, as they are now. Process context without locks. */
void dw_mapping_trace_accesses(struct dw_mapping *mapping);

/*
 * A mapping of a forked child, or one that mremap has moved, is of the pages of `from`,
 * `offset` bytes into it: what is known of these. To be followed by
 * dw_mapping_trace_access(). mmap_lock of `from` is held.
 */
void dw_access_copy(struct dw_mapping *to, const struct dw_mapping *from, u64 offset);

/* All pages of a VMA come back, as the driver had mapped them. mmap_lock is held for
 * writing. */
void dw_access_restore(struct dw_mapping *mapping, struct vm_area_struct *vma);

/* The mapping goes; it has no VMA any more. Process context; mmap_lock may be held. */
void dw_access_end(struct dw_mapping *mapping);

#endif
