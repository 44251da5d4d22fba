/* SPDX-License-Identifier: GPL-2.0 */
/* Which pages hold a doorbell. */
#ifndef DW_DOOR_H
#define DW_DOOR_H

#include <linux/mm.h>

struct dw_mapping;

/*
 * Pages of a VMA that are looked at one by one: of a larger one, where that is for each
 * fault, those around it.
 */
#define DW_LOOK_AT 1024

static inline bool dw_door_is_large(struct vm_area_struct *vma)
{
	return vma_pages(vma) > DW_LOOK_AT;
}

int dw_door_init(void);

/* Offset of the doorbell's word in its page. */
unsigned long dw_door_offset(void);

/* Whether any page is known to hold one by its physical address. */
bool dw_door_are_any(void);

/* Whether the physical page holds one. Any context. */
bool dw_door_is(unsigned long pfn);

/*
 * The first page of a VMA of that mapping that holds a doorbell: its address, or 0. Others
 * of the same mapping are not watched. By the class of what is mapped, or else by the pages
 * that are mapped now. mmap_lock is held.
 */
unsigned long dw_door_find(struct dw_mapping *mapping, struct vm_area_struct *vma);

#endif
