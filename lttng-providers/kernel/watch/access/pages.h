/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Page-table entries of mappings whose accesses are traced: noted where the driver has made
 * them, taken away, put back when the page is touched. Special entries (no reference to a
 * page hangs on them) stand for all of them meanwhile.
 */
#ifndef DW_PAGES_H
#define DW_PAGES_H

#include <linux/mm.h>
#include <linux/mmu_notifier.h>
#include <linux/spinlock.h>

#include "watch/state/mapping.h"

/* What is kept of the mappings of one mm. */
struct dw_access_space {
	struct mmu_notifier notifier;
	struct mm_struct *mm;  /* the notifier holds it (mm_count) */
	struct list_head all;  /* struct dw_access */
	spinlock_t lock;       /* of that list, and of what follows */
	u64 revoked;           /* times that pages were taken away, by anybody else */
	unsigned int revoking; /* of these, under way */
};

int dw_access_pages_init(void);

/* Whether pages of that VMA can be closed: mapped by page number, shared, not huge. */
bool dw_access_can_close(const struct dw_mapping *mapping,
			 const struct vm_area_struct *vma);

/* mmap_lock is held for writing. 0, or a negative errno. */
int dw_access_space_begin(struct dw_access_space *space, struct mm_struct *mm);
/* Process context without locks. */
void dw_access_space_end(struct dw_access_space *space);

/*
 * NULL: out of memory, or the mapping is too large, or all are together: not so for a copy,
 * whose pages may be closed already. The caller adds what is known.
 */
struct dw_access *dw_access_pages_new(struct dw_mapping *mapping, bool is_copy);
void dw_access_pages_free(struct dw_access *access);

/* From now on the space's notifier forgets what the driver takes away. Again: nothing. */
void dw_access_pages_add(struct dw_access_space *space, struct dw_access *access);
void dw_access_pages_remove(struct dw_access_space *space, struct dw_access *access);

/*
 * How often pages had been taken away, before others are asked for. Pages that have been
 * noted of what was mapped then or later are forgotten again if some were taken away
 * meanwhile: their entries may be void. They are asked for once more.
 */
u64 dw_access_space_revokes(struct dw_access_space *space);
void dw_access_pages_forget_since(struct dw_access_space *space, struct dw_access *access,
				  u64 revokes, unsigned long start, unsigned long length);

/* What a forked child, or where mremap has moved it, knows of another one's pages. */
void dw_access_pages_copy(struct dw_access *to, const struct dw_access *from,
			  unsigned long first_of_from);

/*
 * Notes the entries of [start, start + length), which lies in one VMA of the mapping, and
 * takes away those that were not ours. mmap_lock is held. 0, or a negative errno.
 */
int dw_access_pages_take(struct dw_access *access, struct vm_area_struct *vma,
			 unsigned long start, unsigned long length);

/* Opens the known pages of such a range. mmap_lock is held. */
int dw_access_pages_open(struct dw_access *access, struct vm_area_struct *vma,
			 unsigned long start, unsigned long length, bool writable);

/* An entry has been taken away that a processor may still know. Any context that sleeps. */
void dw_access_pages_flush(struct vm_area_struct *vma, unsigned long address);

/* Whether anything is mapped there. mmap_lock is held. */
bool dw_access_page_is_mapped(struct vm_area_struct *vma, unsigned long address);

/* Whether an open page has been touched since it was opened; one that is not open has. */
bool dw_access_page_is_used(struct dw_access *access, unsigned long address);

/* Closes the pages of the mapping in a range, whichever VMAs it has there. Likewise. */
void dw_access_pages_close(struct dw_access *access, unsigned long start,
			   unsigned long length);

/* The driver's own entries come back in one VMA. mmap_lock is held for writing. */
void dw_access_pages_restore(struct dw_access *access, struct vm_area_struct *vma);

#endif
