/* SPDX-License-Identifier: GPL-2.0 */
/* What we take out of page tables ourselves, told apart from what a driver takes away. */
#ifndef DW_ZAP_H
#define DW_ZAP_H

#include <linux/mm.h>

/* zap_vma_ptes(): mmap_lock is held. */
void dw_zap(struct vm_area_struct *vma, unsigned long start, unsigned long length);

/* In a notifier of an mm: it is told of what the current task takes by dw_zap(). */
bool dw_zap_is_ours(void);

#endif
