/* SPDX-License-Identifier: GPL-2.0 */
/* What the kernel calls for a VMA of ours: vm_ops in front of the driver's. */
#ifndef DW_VM_OPS_H
#define DW_VM_OPS_H

#include "watch/state/mapping.h"

/*
 * One of a VMA of that mm, which has one reference, for that VMA; and of that process, of
 * which it takes a reference. Its vm_ops are `inner` with ours in front. Never NULL;
 * sleeps.
 */
struct dw_mapping *dw_mapping_create(struct dw_process *process, struct mm_struct *mm,
				     const struct vm_operations_struct *inner);

int dw_vm_ops_init(void);
void dw_vm_ops_exit(void); /* gives all living VMAs their own vm_ops back */

#endif
