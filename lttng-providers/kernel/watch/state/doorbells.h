/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Pages that hold a doorbell, and the watched doorbells of a process. A dw_doorbell belongs
 * to one mapping and is freed with the mapping. The doorbell is open from the time when its
 * page is known until its VMA is unmapped; after that, stores to its address belong to
 * another mapping.
 */
#ifndef DW_DOORBELLS_H
#define DW_DOORBELLS_H

#include <linux/mm.h>
#include <linux/mutex.h>

#include "watch/state/mapping.h"

struct dw_shadow;

/*
 * Largest number of pages of a VMA in which a fault inspects all pages. In a larger VMA, a
 * fault inspects only this many pages, around the fault's address.
 */
#define DW_PAGES_INSPECTED 1024

static inline bool dw_doorbell_is_large(struct vm_area_struct *vma)
{
	return vma_pages(vma) > DW_PAGES_INSPECTED;
}

int dw_doorbell_init(void);

/* Returns the offset of the doorbell register in its page. */
unsigned long dw_doorbell_offset(void);

/* Returns whether any doorbell page is known by its physical address. */
bool dw_doorbell_is_any(void);

/* Returns whether the physical page holds a doorbell. Any context. */
bool dw_doorbell_is_page(unsigned long pfn);

/*
 * Returns the address of the first page with a doorbell in the VMA, or 0. The page is found
 * by the class of the mapped object if that is a class of registers, otherwise by the
 * physical addresses of the pages that are mapped now. Further doorbell pages of the
 * mapping are not watched. mmap_lock is held.
 */
unsigned long dw_doorbell_find(struct dw_mapping *mapping, struct vm_area_struct *vma);

/* --- watched doorbells --- */

struct dw_doorbell {
	struct list_head of_mm;     /* in a list of open doorbells (doorbells.c) */
	struct dw_mapping *mapping; /* Weak: the mapping owns this */
	unsigned long page;         /* address of the doorbell page in the process */
	unsigned long at;           /* address of the doorbell register */
	unsigned long pfn;          /* page frame of the device page; 0: not known */
	unsigned long state;        /* DW_DOORBELL_* */
	struct mutex lock;          /* protects `watchpoints`; taken before perf's locks */
	struct list_head watchpoints;
	struct work_struct closing;
	struct dw_shadow *shadow; /* Owned by this (shadow.c); NULL: none was created */
	struct rcu_head rcu;
};

/*
 * All stores are observed: the page has a shadow, or is not mapped yet, or each thread that
 * existed when this bit was set has a breakpoint (if a debug register was free).
 */
#define DW_DOORBELL_READY 0
/* The page is unmapped: stores to the address are no longer doorbells. */
#define DW_DOORBELL_UNMAPPED 1
/* The shadow page is mapped, or will be, instead of the device page. */
#define DW_DOORBELL_SHADOW 2
/* The device page is mapped, or will be; threads have breakpoints, or will get them. */
#define DW_DOORBELL_REAL 3
/*
 * The driver has, or may have, unmapped the page, and no fault has made the driver map it
 * again since.
 */
#define DW_DOORBELL_REVOKED 4

/*
 * dw_doorbell_open() adds the doorbell to the list of open doorbells; dw_doorbell_end()
 * removes it, or does nothing if it was removed before.
 */
void dw_doorbell_open(struct dw_doorbell *doorbell);
void dw_doorbell_end(struct dw_doorbell *doorbell);

/*
 * Skips the first `skip` open doorbells of the current task's mm, and writes up to
 * `capacity` of the others to out[], each with a reference to its mapping. Returns how many
 * doorbells it has written.
 */
size_t dw_doorbells_of_current(struct dw_doorbell **out, size_t capacity, size_t skip);
/*
 * Returns whether an open doorbell of the mm has the bit DW_DOORBELL_REAL, so that new
 * threads need breakpoints. Process context.
 */
bool dw_doorbells_any_real(const struct mm_struct *mm);

/* Returns whether an address lies in the mapping's doorbell page. */
static inline bool dw_doorbell_covers(const struct dw_mapping *mapping,
				      unsigned long address)
{
	return mapping->doorbell_page && (address & PAGE_MASK) == mapping->doorbell_page;
}

static inline bool dw_doorbell_is_ready(const struct dw_doorbell *doorbell)
{
	return doorbell && test_bit(DW_DOORBELL_READY, &doorbell->state);
}

/* Returns whether an address lies in a doorbell page that a shadow page replaces. */
static inline bool dw_doorbell_is_shadow(const struct dw_mapping *mapping,
					 unsigned long address)
{
	const struct dw_doorbell *doorbell = smp_load_acquire(&mapping->doorbell);

	return dw_doorbell_covers(mapping, address) && doorbell &&
	       test_bit(DW_DOORBELL_SHADOW, &doorbell->state);
}

/*
 * Returns whether an address lies in a doorbell page whose device page no thread may
 * access, because the doorbell is not ready yet or has a shadow.
 */
static inline bool dw_doorbell_keeps_closed(const struct dw_mapping *mapping,
					    unsigned long address)
{
	const struct dw_doorbell *doorbell = smp_load_acquire(&mapping->doorbell);

	return dw_doorbell_covers(mapping, address) &&
	       (!dw_doorbell_is_ready(doorbell) ||
		test_bit(DW_DOORBELL_SHADOW, &doorbell->state));
}

#endif
