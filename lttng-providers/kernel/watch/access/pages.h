/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Page-table entries of mappings whose accesses are traced. An entry is noted when the
 * driver has created it, then removed, and set again when the page is touched. The entries
 * that this module sets are special (they hold no reference to a page), even if the
 * driver's own entries hold references.
 */
#ifndef DW_PAGES_H
#define DW_PAGES_H

#include <linux/mm.h>
#include <linux/mmu_notifier.h>
#include <linux/spinlock.h>

#include "watch/state/mapping.h"

/* State of all traced mappings of one mm. */
struct dw_access_space {
	struct mmu_notifier notifier;
	struct mm_struct *mm;  /* Weak: the notifier holds a reference (mm_count) */
	struct list_head all;  /* struct dw_access */
	spinlock_t lock;       /* protects `all` and the members below */
	u64 revoked;           /* how often drivers have begun to unmap pages */
	unsigned int revoking; /* unmappings by drivers that have not finished */
};

int dw_access_pages_init(void);

/*
 * Returns whether pages of the VMA can be closed: it is shared, has no huge entries, and is
 * VM_PFNMAP or VM_MIXEDMAP.
 */
bool dw_access_can_close(const struct dw_mapping *mapping,
			 const struct vm_area_struct *vma);

/* Registers the notifier. mmap_lock is held for writing. Returns 0 or a negative errno. */
int dw_access_space_begin(struct dw_access_space *space, struct mm_struct *mm);
/* Unregisters the notifier. Process context without locks. */
void dw_access_space_end(struct dw_access_space *space);

/*
 * Creates the state of a mapping, with no entry noted. Returns NULL if memory is short, the
 * mapping is too large, or all mappings together exceed a limit. The limit does not apply
 * to a copy of another mapping's state, because the pages may be closed already and only
 * notes can open them.
 */
struct dw_access *dw_access_pages_new(struct dw_mapping *mapping, bool is_copy);
void dw_access_pages_free(struct dw_access *access);

/*
 * Adds a mapping to the space, or removes it; repeating this has no effect. While the
 * mapping is in the space, the notifier drops the notes of entries that the driver removes.
 */
void dw_access_pages_add(struct dw_access_space *space, struct dw_access *access);
void dw_access_pages_remove(struct dw_access_space *space, struct dw_access *access);

/*
 * Returns how many unmappings by drivers have finished. Call this before the driver is
 * asked for pages; after their entries are noted, pass the result to
 * dw_access_pages_forget_since(). If a driver has unmapped pages in between, the notes of
 * the range may be void: dw_access_pages_forget_since() then drops these notes, and the
 * next access asks the driver again.
 */
u64 dw_access_space_revokes(struct dw_access_space *space);
void dw_access_pages_forget_since(struct dw_access_space *space, struct dw_access *access,
				  u64 revokes, unsigned long start, unsigned long length);

/*
 * Copies the noted entries of `from`, beginning at page number `first_of_from` of `from`,
 * to the mapping of a forked child or to a mapping that mremap has created.
 */
void dw_access_pages_copy(struct dw_access *to, const struct dw_access *from,
			  unsigned long first_of_from);

/*
 * Notes the driver's entries in [start, start + length), which lies in one VMA of the
 * mapping, and removes them. mmap_lock is held. Returns 0 or a negative errno.
 */
int dw_access_pages_take(struct dw_access *access, struct vm_area_struct *vma,
			 unsigned long start, unsigned long length);

/*
 * Sets the noted entries of a range in one VMA of the mapping, for reading or, with
 * `writable`, for reading and writing. mmap_lock is held. Returns 0 or a negative errno.
 */
int dw_access_pages_open(struct dw_access *access, struct vm_area_struct *vma,
			 unsigned long start, unsigned long length, bool writable);

/* Flushes an entry that was removed but may still be in a TLB. May sleep. */
void dw_access_pages_flush(struct vm_area_struct *vma, unsigned long address);

/* Returns whether anything is mapped at the address. mmap_lock is held. */
bool dw_access_page_is_mapped(struct vm_area_struct *vma, unsigned long address);

/*
 * Returns whether an open page was touched since it was opened; true for a page that is not
 * open.
 */
bool dw_access_page_is_used(struct dw_access *access, unsigned long address);

/* Closes the mapping's pages in a range, which may span several VMAs. mmap_lock is held. */
void dw_access_pages_close(struct dw_access *access, unsigned long start,
			   unsigned long length);

/* Sets the driver's own entries again in one VMA. mmap_lock is held for writing. */
void dw_access_pages_restore(struct dw_access *access, struct vm_area_struct *vma);

#endif
