/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Mappings of device files of traced processes. A mapping is known by its vm_ops: a copy of
 * the driver's with ours in front (open, close, fault, mremap), so that what happens to a
 * VMA reaches us whatever the driver does, and splits share it.
 */
#ifndef DW_MAPPING_H
#define DW_MAPPING_H

#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/version.h>

#include "watch/state/process.h"

struct dw_doorbell; /* doorbells.h: a doorbell page that is watched */
struct dw_access;   /* below: what is kept of one whose accesses are traced */

/* What the next mmap of a file will map: said by an RM call before (rm.c). */
struct dw_pending_map {
	u32 client;
	u32 object;
	u32 class_;
	u64 offset; /* of the mapping within the object */
	char space[12];
};

struct dw_mapping {
	struct kref references;                   /* VMAs that have it, and users */
	struct vm_operations_struct ops;          /* of its VMAs */
	const struct vm_operations_struct *inner; /* the driver's; its module lives as long
						   * as the VMAs, which hold the file */
	struct mm_struct *mm;                     /* held (mm_count) */
	struct list_head all;                     /* of all mappings (mapping.c) */
	struct dw_process *process;               /* a reference */
	struct list_head in_process;
	u32 ordinal;        /* 0: not yet, mremap is under way */
	unsigned long base; /* where it began: offsets in events count from here */
	unsigned long length;
	unsigned long pgoff; /* vm_pgoff at `base` */
	struct dw_pending_map memory;
	struct dw_mapping *origin; /* a reference: a fork or mremap has made this one of it,
				    * and page tables may still be its; or NULL */
	struct {
		u64 fork;                   /* dw_process.fork of the child; 0: none yet */
		struct dw_mapping *mapping; /* weak: there while that fork is under way */
	} copy;                             /* what the last fork has made of it */
	struct {
		unsigned long start;
		unsigned long end;
	} moved;              /* what mremap has taken out last: that was told already */
	struct mutex opening; /* of `door`; mmap_lock is taken within it */
	unsigned long doorbell_page;  /* address of a doorbell's page, 0: none known */
	unsigned long doorbell_pfn;   /* of it, if taken away before the doorbell is open */
	struct dw_doorbell *doorbell; /* Owned by this; NULL until it is opened. Stays */
	atomic_t fillings;            /* begun and ended: odd while one is under way */
	struct mutex filling;         /* the driver's fault handler is at work under watch;
				       * taken within mmap_lock */
	struct dw_access *access;     /* or NULL */
	struct work_struct release;
};

/*
 * What those of our VMAs have in front, by which they are known; before there is any. 0, or
 * -ENOENT: the kernel lacks what dw_zap() needs.
 */
int dw_mapping_init(const struct vm_operations_struct *ours);

/* A new one is among all mappings. */
void dw_mapping_add(struct dw_mapping *mapping);

/* The mm of some mapping that is left, with a reference (mm_count), or NULL. */
struct mm_struct *dw_mapping_any_mm(void);

/* The mapping of a VMA, or NULL: not ours. mmap_lock is held. */
struct dw_mapping *dw_mapping_of(const struct vm_area_struct *vma);

void dw_mapping_get(struct dw_mapping *mapping);
/* Any context but NMI: what is left to do is a worker's. */
void dw_mapping_put(struct dw_mapping *mapping);

/* With mmap_lock for writing: faults of this VMA, too, are kept out. */
void dw_mapping_lock_vma(struct vm_area_struct *vma);

/* A fault that has its VMA's own lock only. true: it is to come again with mmap_lock, and
 * *result says so. */
bool dw_mapping_needs_mmap_lock(struct vm_fault *fault, vm_fault_t *result);

/*
 * Whether an instruction of the current task's own has faulted: not the kernel on its
 * behalf, nor a device that shares its memory.
 */
bool dw_mapping_is_users(const struct vm_fault *fault);

/* A driver's fault handler that returns one of these has not mapped anything; of some it
 * has given mmap_lock back. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 0, 0)
#define NOT_MAPPED (VM_FAULT_ERROR | VM_FAULT_RETRY | VM_FAULT_COMPLETED)
#else
#define NOT_MAPPED (VM_FAULT_ERROR | VM_FAULT_RETRY)
#endif

/* Its VMA that holds an address, or NULL; mmap_lock of its mm is held. */
struct vm_area_struct *dw_mapping_vma(struct dw_mapping *mapping, unsigned long address);

/*
 * The physical page behind an address of a VM_PFNMAP VMA, as its page tables have it now.
 * mmap_lock is held. 0, or a negative errno: nothing is mapped there.
 */
int dw_mapping_pfn(struct vm_area_struct *vma, unsigned long address, unsigned long *pfn);

/*
 * zap_vma_ptes(), and the same for a VMA of counted pages: mmap_lock is held. What is taken
 * out so is told apart from what a driver takes away.
 */
void dw_zap(struct vm_area_struct *vma, unsigned long start, unsigned long length);

/* In a notifier of an mm: it is told of what the current task takes by dw_zap(). */
bool dw_zap_is_ours(void);

/* name[n]: base name of a file's path, "nvidiactl". */
const char *dw_mapping_device(const struct file *file, char *name, size_t n);

/* --- what is noted of the pages of a mapping whose accesses are traced --- */

struct dw_access {
	struct list_head of_space;
	struct dw_mapping *mapping; /* Weak */
	unsigned long base;         /* its first page */
	unsigned long n;            /* pages */
	pteval_t *entries;   /* Owned; of each page, open for reading and writing; 0: not
				known */
	struct page **pages; /* Owned, a reference to each; NULL: the driver counts none */
};

static inline bool dw_access_page_is_known(const struct dw_access *access,
					   unsigned long address)
{
	unsigned long i = (address - access->base) >> PAGE_SHIFT;

	return address >= access->base && i < access->n && READ_ONCE(access->entries[i]);
}

/* The physical page that the driver has mapped at an address, open or closed. mmap_lock is
 * held. 0, or -EINVAL: not known, or NULL. */
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
