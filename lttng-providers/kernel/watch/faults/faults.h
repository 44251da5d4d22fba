/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Faults in watched mappings. A doorbell's page is mapped only while the doorbell is
 * watched. Reads and writes of device mappings are traced as in the 2013 paper: page-table
 * entries are removed, so that an access faults; this module's fault handler reports the
 * access and lets it proceed.
 */
#ifndef DW_FAULTS_H
#define DW_FAULTS_H

#include "watch/state/doorbells.h"

/* --- doorbell pages --- */

/*
 * Handles a fault before the driver does. Returns VM_FAULT_FALLBACK if the fault is not in
 * a doorbell's page, or the page needs no special handling.
 */
vm_fault_t dw_watch_fault(struct dw_mapping *mapping, struct vm_fault *fault);

/*
 * Lets the driver's handler, which must exist, map one or more missing pages. If a
 * doorbell's page is among them, it stays closed to all threads until the doorbell is
 * watched. It also stays closed while a shadow page replaces it.
 */
vm_fault_t dw_watch_fill(struct dw_mapping *mapping, struct vm_fault *fault);

/*
 * Handles an access to the page of a doorbell that has a shadow, while the device is awake:
 * a load maps the shadow page, a store is done on the device, an access by the kernel is
 * refused. A store that cannot be done on the program's behalf makes the doorbell switch to
 * the device page for good.
 */
vm_fault_t dw_shadow_fault(struct dw_doorbell *doorbell, struct vm_fault *fault);

/* --- pages whose accesses are traced --- */

extern bool dw_access_on; /* parameter: access=off|coalesced */

/*
 * Handles a fault in a page whose accesses are traced, and the first write to a page that
 * was opened for reading.
 */
vm_fault_t dw_access_fault(struct dw_mapping *mapping, struct vm_fault *fault);

/*
 * pfn_mkwrite() in the vm_ops of a mapping whose accesses are traced, or whose doorbell may
 * have a shadow.
 */
vm_fault_t dw_mapping_pfn_mkwrite(struct vm_fault *fault);

/*
 * Begins to trace accesses to a VMA if the parameter `access` asks for it. Called after the
 * VMA's doorbell page, if any, is known and before the doorbell is opened. mmap_lock is
 * held for writing.
 */
void dw_mapping_trace_access(struct dw_mapping *mapping, struct vm_area_struct *vma);
/*
 * As dw_mapping_trace_access(), for all present VMAs of the mapping. Process context
 * without locks.
 */
void dw_mapping_trace_accesses(struct dw_mapping *mapping);

/*
 * Copies the noted page-table entries of `from`, beginning at byte `offset` of `from`. `to`
 * is the mapping of a forked child or a mapping that mremap has created; the caller must
 * call dw_mapping_trace_accesses(to) later. mmap_lock of `from` is held.
 */
void dw_access_copy(struct dw_mapping *to, const struct dw_mapping *from, u64 offset);

/*
 * Sets the driver's page-table entries again for those pages of a VMA for which an entry is
 * noted. mmap_lock is held for writing.
 */
void dw_access_restore(struct dw_mapping *mapping, struct vm_area_struct *vma);

/*
 * Frees the access state of a mapping that is being released and has no VMA any more.
 * Process context; mmap_lock may be held.
 */
void dw_access_end(struct dw_mapping *mapping);

#endif
