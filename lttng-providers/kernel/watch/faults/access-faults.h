/* SPDX-License-Identifier: GPL-2.0 */
/* Faults of pages whose accesses are traced, and from when on a mapping's are. */
#ifndef DW_ACCESS_FAULTS_H
#define DW_ACCESS_FAULTS_H

#include "watch/state/mapping.h"

/* A fault of one of its pages, and the first write to one that was opened for reading. */
vm_fault_t dw_access_fault(struct dw_mapping *mapping, struct vm_fault *fault);

/* For the vm_ops of a mapping whose accesses are traced, or whose door may have a shadow.
 */
vm_fault_t dw_mapping_pfn_mkwrite(struct vm_fault *fault);

/* Begins to trace accesses if it is wanted; mmap_lock is held for writing. */
void dw_mapping_trace_access(struct dw_mapping *mapping, struct vm_area_struct *vma);
/* The same for all its VMAs, as they are now. Process context without locks. */
void dw_mapping_trace_accesses(struct dw_mapping *mapping);

#endif
