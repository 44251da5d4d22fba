/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Mappings of device files of traced processes. Each mapping has its own copy of the
 * driver's vm_ops, in which this module's functions replace some of the driver's and call
 * them. The module therefore sees what happens to a VMA, whatever the driver does. A VMA's
 * mapping is found by the VMA's vm_ops, which the parts of a split VMA share.
 */
#ifndef DW_MAPPING_H
#define DW_MAPPING_H

#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/version.h>

#include "watch/state/process.h"

struct dw_doorbell; /* doorbells.h: a watched doorbell */
struct dw_access;   /* below: pages of a mapping whose accesses are traced */

/* The memory that a file's next mmap will map, as an RM call has announced it (rm.c). */
struct dw_pending_map {
	u32 client;
	u32 object;
	u32 class_;
	u64 offset; /* of the mapping within the object */
	char space[12];
};

struct dw_mapping {
	struct kref references;          /* one for each VMA and each user */
	struct vm_operations_struct ops; /* vm_ops of its VMAs */
	/*
	 * Weak: the driver's vm_ops. The driver's module stays loaded as long as a VMA of
	 * the mapping refers to the driver's file
	 */
	const struct vm_operations_struct *inner;
	struct mm_struct *mm; /* holds a reference (mm_count) */
	/* In the list of all mappings (mapping.c) */
	struct list_head all;
	struct dw_process *process; /* holds a reference */
	struct list_head in_process;
	u32 ordinal;        /* number in events; 0 until mremap's event is emitted */
	unsigned long base; /* first address, from which offsets in events count */
	unsigned long length;
	unsigned long pgoff; /* vm_pgoff of `base` */
	struct dw_pending_map memory;
	/*
	 * Holds a reference: the mapping from which fork or mremap has created this one;
	 * the page tables may still contain entries of the origin. NULL if there is no
	 * origin, or after dw_watch_open()
	 */
	struct dw_mapping *origin;
	/* The copy of this mapping that the last fork has created */
	struct {
		u64 fork;                   /* dw_process.fork of the child; 0: none yet */
		struct dw_mapping *mapping; /* Weak; valid while the fork is under way */
	} copy;
	/*
	 * The range that the last mremap moved away. The unmapping of this range already
	 * has an event, so closing the old VMA emits none
	 */
	struct {
		unsigned long start;
		unsigned long end;
	} moved;
	struct mutex opening;        /* protects `doorbell`; taken before mmap_lock */
	unsigned long doorbell_page; /* address of the doorbell page; 0: none known */
	/*
	 * Page frame of the doorbell's device page, if the page was unmapped before the
	 * doorbell was opened; else 0
	 */
	unsigned long doorbell_pfn;
	/* Owned by this; NULL until it is opened, then constant */
	struct dw_doorbell *doorbell;
	/*
	 * Incremented before and after map_closed() calls the driver's fault handler: odd
	 * while pages are being mapped as inaccessible
	 */
	atomic_t fillings;
	/* Serialises map_closed() and the inspection of pages; taken after mmap_lock */
	struct mutex filling;
	struct dw_access *access; /* Owned by this, or NULL */
	struct work_struct release;
};

/*
 * Stores `ours`, whose functions identify VMAs of mappings. Called before the first mapping
 * is created. Returns 0, or -ENOENT if the kernel has no function for dw_zap().
 */
int dw_mapping_init(const struct vm_operations_struct *ours);

/* Adds a new mapping to the list of all mappings. */
void dw_mapping_add(struct dw_mapping *mapping);

/*
 * Returns the mm of any existing mapping, with a reference (mm_count), or NULL if there is
 * no mapping.
 */
struct mm_struct *dw_mapping_any_mm(void);

/* Returns the mapping of a VMA, or NULL if the VMA is not traced. mmap_lock is held. */
struct dw_mapping *dw_mapping_of(const struct vm_area_struct *vma);

void dw_mapping_get(struct dw_mapping *mapping);
/* Any context but NMI: a worker frees the mapping. */
void dw_mapping_put(struct dw_mapping *mapping);

/*
 * Waits for faults that hold only the VMA's own lock, and excludes new ones until mmap_lock
 * is released. mmap_lock is held for writing.
 */
void dw_mapping_lock_vma(struct vm_area_struct *vma);

/*
 * Returns true if the fault holds only the VMA's own lock; *result then asks the kernel to
 * repeat the fault with mmap_lock.
 */
bool dw_mapping_needs_mmap_lock(struct vm_fault *fault, vm_fault_t *result);

/*
 * Returns whether the fault comes from an instruction of the current task in user space,
 * rather than from the kernel on the task's behalf or from a device that shares the task's
 * memory.
 */
bool dw_mapping_is_users(const struct vm_fault *fault);

/*
 * The result of a driver's fault handler that has not mapped anything contains one or more
 * of the following bits. With VM_FAULT_RETRY or VM_FAULT_COMPLETED, the handler may have
 * released mmap_lock.
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 0, 0)
#define NOT_MAPPED (VM_FAULT_ERROR | VM_FAULT_RETRY | VM_FAULT_COMPLETED)
#else
#define NOT_MAPPED (VM_FAULT_ERROR | VM_FAULT_RETRY)
#endif

/* Returns the mapping's VMA that contains an address, or NULL. mmap_lock is held. */
struct vm_area_struct *dw_mapping_vma(struct dw_mapping *mapping, unsigned long address);

/*
 * Writes the page frame that is mapped at an address of a VM_PFNMAP VMA, or that was mapped
 * before the page was closed to trace accesses. mmap_lock is held. Returns 0, or a negative
 * errno if no page frame is known.
 */
int dw_mapping_pfn(struct vm_area_struct *vma, unsigned long address, unsigned long *pfn);

/*
 * Removes page-table entries like zap_vma_ptes(), but also in a VMA of reference-counted
 * pages. With dw_zap_is_ours(), notifiers distinguish this removal from an unmapping by the
 * driver. mmap_lock is held.
 */
void dw_zap(struct vm_area_struct *vma, unsigned long start, unsigned long length);

/* For the notifier of an mm: returns whether the current task is in dw_zap(). */
bool dw_zap_is_ours(void);

/*
 * Writes the base name of a file's path, such as "nvidiactl", to name[0..n) and returns it.
 */
const char *dw_mapping_device(const struct file *file, char *name, size_t n);

/* --- pages of a mapping whose accesses are traced --- */

struct dw_access {
	struct list_head of_space;
	struct dw_mapping *mapping; /* Weak */
	unsigned long base;         /* address of the first page */
	unsigned long n;            /* number of pages */
	/*
	 * Owned: for each page, the page-table entry that makes it readable and writable;
	 * 0: not known
	 */
	pteval_t *entries;
	/*
	 * Owned: the pages, with a reference to each; NULL: the driver's pages are not
	 * reference-counted
	 */
	struct page **pages;
};

static inline bool dw_access_page_is_known(const struct dw_access *access,
					   unsigned long address)
{
	unsigned long i = (address - access->base) >> PAGE_SHIFT;

	return address >= access->base && i < access->n && READ_ONCE(access->entries[i]);
}

/*
 * Writes the page frame that the driver has mapped at an address, whether the page is open
 * or closed now. mmap_lock is held. Returns 0, or -EINVAL if the page frame is not known or
 * `access` is NULL.
 */
static inline int dw_noted_pfn(const struct dw_access *access, unsigned long address,
			       unsigned long *pfn)
{
	if (!access || !dw_access_page_is_known(access, address)) {
		return -EINVAL;
	}
	*pfn = pte_pfn(__pte(access->entries[(address - access->base) >> PAGE_SHIFT]));
	return 0;
}

#endif
