/* SPDX-License-Identifier: GPL-2.0 */
/* Faults in a page with a doorbell: it is mapped when it is watched, and not before. */
#ifndef DW_WATCH_FAULTS_H
#define DW_WATCH_FAULTS_H

#include "watch/state/mapping.h"

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

#endif
