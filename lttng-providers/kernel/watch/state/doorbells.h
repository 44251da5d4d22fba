/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which pages hold a doorbell. Doors: those of a process that are watched. A door belongs
 * to one mapping, and lives as long. It is open from when its page is known until its VMA
 * goes; a store to the address after that is somebody else's.
 */
#ifndef DW_DOORBELLS_H
#define DW_DOORBELLS_H

#include <linux/mm.h>
#include <linux/mutex.h>

#include "watch/state/mapping.h"

struct dw_shadow;

/*
 * Pages of a VMA that are looked at one by one: of a larger one, where that is for each
 * fault, those around it.
 */
#define DW_PAGES_INSPECTED 1024

static inline bool dw_doorbell_is_large(struct vm_area_struct *vma)
{
	return vma_pages(vma) > DW_PAGES_INSPECTED;
}

int dw_doorbell_init(void);

/* Offset of the doorbell's word in its page. */
unsigned long dw_doorbell_offset(void);

/* Whether any page is known to hold one by its physical address. */
bool dw_doorbell_is_any(void);

/* Whether the physical page holds one. Any context. */
bool dw_doorbell_is_page(unsigned long pfn);

/*
 * The first page of a VMA of that mapping that holds a doorbell: its address, or 0. Others
 * of the same mapping are not watched. By the class of what is mapped, or else by the pages
 * that are mapped now. mmap_lock is held.
 */
unsigned long dw_doorbell_find(struct dw_mapping *mapping, struct vm_area_struct *vma);

/* --- doors --- */

struct dw_doorbell {
	struct list_head of_mm;     /* among all open doors (doorbells.c) */
	struct dw_mapping *mapping; /* whose it is */
	unsigned long page;         /* its address in the process */
	unsigned long at;           /* of the doorbell's word */
	unsigned long pfn;          /* the real page; 0: not known */
	unsigned long state;        /* DW_DOORBELL_* */
	struct mutex lock;          /* of `watchpoints`; within it perf's locks are taken */
	struct list_head watchpoints;
	struct work_struct closing;
	struct dw_shadow *shadow; /* Owned by this; NULL: never had one (shadow.c) */
	struct rcu_head rcu;
};

#define DW_DOORBELL_READY                                                                  \
	0 /* nobody stores there unseen: it has a shadow, or its page is not there yet, or \
	   * all threads of that time have their breakpoint, if one was free */
#define DW_DOORBELL_UNMAPPED 1 /* what is stored there is no doorbell any more */
#define DW_DOORBELL_SHADOW                                                                 \
	2 /* the page of memory is, or will be mapped, not the real one */
#define DW_DOORBELL_REAL                                                                   \
	3 /* it is to keep its real page: threads have, or are given, breakpoints */
#define DW_DOORBELL_REVOKED                                                                \
	4 /* the driver has taken its page away, and has not been asked for it */

/* A door is open from here on, and no longer. Again: nothing. */
void dw_doorbell_open(struct dw_doorbell *doorbell);
void dw_doorbell_end(struct dw_doorbell *doorbell);

/*
 * The open doors of the current task's mm but the first `skip`, each with a reference to
 * its mapping; how many.
 */
size_t dw_doorbells_of_current(struct dw_doorbell **out, size_t capacity, size_t skip);
/* Whether an mm has any with its real page, or one that gets it now. Process context. */
bool dw_doorbells_any_real(const struct mm_struct *mm);

/* Whether an address lies in a mapping's page with a doorbell. */
static inline bool dw_doorbell_covers(const struct dw_mapping *mapping,
				      unsigned long address)
{
	return mapping->doorbell_page && (address & PAGE_MASK) == mapping->doorbell_page;
}

static inline bool dw_doorbell_is_ready(const struct dw_doorbell *doorbell)
{
	return doorbell && test_bit(DW_DOORBELL_READY, &doorbell->state);
}

/* Whether an address lies in a page of memory that stands for the device's. */
static inline bool dw_doorbell_is_shadow(const struct dw_mapping *mapping,
					 unsigned long address)
{
	const struct dw_doorbell *doorbell = smp_load_acquire(&mapping->doorbell);

	return dw_doorbell_covers(mapping, address) && doorbell &&
	       test_bit(DW_DOORBELL_SHADOW, &doorbell->state);
}

/* Whether it lies in that page and no thread may have the real one: its door is not open
 * yet, or it has a shadow. */
static inline bool dw_doorbell_keeps_closed(const struct dw_mapping *mapping,
					    unsigned long address)
{
	const struct dw_doorbell *doorbell = smp_load_acquire(&mapping->doorbell);

	return dw_doorbell_covers(mapping, address) &&
	       (!dw_doorbell_is_ready(doorbell) ||
		test_bit(DW_DOORBELL_SHADOW, &doorbell->state));
}

#endif
