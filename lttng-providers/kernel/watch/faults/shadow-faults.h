/* SPDX-License-Identifier: GPL-2.0 */
/* Faults of a page of memory that stands for a doorbell's. */
#ifndef DW_SHADOW_FAULTS_H
#define DW_SHADOW_FAULTS_H

#include "watch/state/open-doors.h"

/*
 * An access to the page, or a store where it can be read, of a device that is awake; the
 * kernel's are refused. A store that cannot be made for the program gets the real page for
 * good.
 */
vm_fault_t dw_shadow_fault(struct dw_door *door, struct vm_fault *fault);

#endif
