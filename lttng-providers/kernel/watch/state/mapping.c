// SPDX-License-Identifier: GPL-2.0
#include "watch/state/mapping.h"

#include <linux/fs.h>
#include <linux/sched/mm.h>
#include <linux/version.h>

#include "watch/base/symbols.h"

static LIST_HEAD(all);
static DEFINE_SPINLOCK(lock); /* protects `all` */

static const struct vm_operations_struct *ours;

/* --- references --- */

void dw_mapping_add(struct dw_mapping *mapping)
{
	spin_lock(&lock);
	list_add_tail(&mapping->all, &all);
	spin_unlock(&lock);
}

static void released(struct kref *references)
{
	struct dw_mapping *mapping =
		container_of(references, struct dw_mapping, references);

	spin_lock(&lock);
	list_del(&mapping->all);
	spin_unlock(&lock);
	queue_work(dw_workers, &mapping->release);
}

void dw_mapping_get(struct dw_mapping *mapping)
{
	kref_get(&mapping->references);
}

void dw_mapping_put(struct dw_mapping *mapping)
{
	kref_put(&mapping->references, released);
}

struct mm_struct *dw_mapping_any_mm(void)
{
	struct mm_struct *mm = NULL;

	spin_lock(&lock);
	if (!list_empty(&all)) {
		mm = list_first_entry(&all, struct dw_mapping, all)->mm;
		mmgrab(mm);
		list_rotate_left(&all);
	}
	spin_unlock(&lock);
	return mm;
}

/* --- queries --- */

struct dw_mapping *dw_mapping_of(const struct vm_area_struct *vma)
{
	const struct vm_operations_struct *ops = vma->vm_ops;

	return ops && ops->close == ours->close ? container_of(ops, struct dw_mapping, ops)
						: NULL;
}

/* Since Linux 6.4 a fault may hold a VMA's own lock instead of mmap_lock. */
void dw_mapping_lock_vma(struct vm_area_struct *vma)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 4, 0)
	vma_start_write(vma);
#endif
}

/*
 * The module's locking relies on mmap_lock, so a fault that holds only the VMA's lock is
 * repeated.
 */
bool dw_mapping_needs_mmap_lock(struct vm_fault *fault, vm_fault_t *result)
{
#ifdef CONFIG_PER_VMA_LOCK
	if (fault->flags & FAULT_FLAG_VMA_LOCK) {
		vma_end_read(fault->vma);
		*result = VM_FAULT_RETRY;
		return true;
	}
#endif
	return false;
}

bool dw_mapping_is_users(const struct vm_fault *fault)
{
	return (fault->flags & FAULT_FLAG_USER) && !(fault->flags & FAULT_FLAG_REMOTE) &&
	       current->mm == fault->vma->vm_mm;
}

struct vm_area_struct *dw_mapping_vma(struct dw_mapping *mapping, unsigned long address)
{
	struct vm_area_struct *vma = find_vma(mapping->mm, address);

	return vma && vma->vm_start <= address && dw_mapping_of(vma) == mapping ? vma
										: NULL;
}

static int follow(struct vm_area_struct *vma, unsigned long address, unsigned long *pfn)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0)
	struct follow_pfnmap_args found = {.vma = vma, .address = address};
	int error = follow_pfnmap_start(&found);

	if (!error) {
		*pfn = found.pfn;
		follow_pfnmap_end(&found);
	}
	return error;
#elif LINUX_VERSION_CODE >= KERNEL_VERSION(6, 10, 0)
	spinlock_t *held;
	pte_t *at;
	int error = follow_pte(vma, address, &at, &held);

	if (!error) {
		*pfn = pte_pfn(ptep_get(at));
		pte_unmap_unlock(at, held);
	}
	return error;
#else
	return follow_pfn(vma, address, pfn);
#endif
}

int dw_mapping_pfn(struct vm_area_struct *vma, unsigned long address, unsigned long *pfn)
{
	struct dw_mapping *mapping = dw_mapping_of(vma);
	int error;

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 10, 0)
	if (!(vma->vm_flags & (VM_IO | VM_PFNMAP))) {
		return -EINVAL;
	}
#endif
	error = follow(vma, address, pfn);
	/*
	 * A page that is closed to trace its accesses has no page-table entry, but its page
	 * frame is noted.
	 */
	return error && mapping ? dw_noted_pfn(mapping->access, address, pfn) : error;
}

/* --- unmapping --- */

/* Each kernel has zap_page_range() or zap_page_range_single(). */
DEFINE_STATIC_CALL_NULL(dw_kernel_zap, void(struct vm_area_struct *vma, unsigned long start,
					    unsigned long length));
DEFINE_STATIC_CALL_NULL(dw_kernel_zap_single,
			void(struct vm_area_struct *vma, unsigned long start,
			     unsigned long length, struct zap_details *details));

int dw_mapping_init(const struct vm_operations_struct *operations)
{
	ours = operations;
	DW_FIND(dw_kernel_zap, "zap_page_range");
	DW_FIND(dw_kernel_zap_single, "zap_page_range_single");
	return static_call_query(dw_kernel_zap) || static_call_query(dw_kernel_zap_single)
		       ? 0
		       : -ENOENT;
}

struct zapper {
	struct list_head list;
	const struct task_struct *task;
};

static LIST_HEAD(zappers);
static DEFINE_SPINLOCK(zappers_lock);

void dw_zap(struct vm_area_struct *vma, unsigned long start, unsigned long length)
{
	struct zapper self = {.task = current};

	spin_lock(&zappers_lock);
	list_add(&self.list, &zappers);
	spin_unlock(&zappers_lock);
	if (vma->vm_flags & VM_PFNMAP) {
		zap_vma_ptes(vma, start, length);
	} else if (static_call_query(dw_kernel_zap)) {
		static_call(dw_kernel_zap)(vma, start, length);
	} else {
		static_call(dw_kernel_zap_single)(vma, start, length, NULL);
	}
	spin_lock(&zappers_lock);
	list_del(&self.list);
	spin_unlock(&zappers_lock);
}

bool dw_zap_is_ours(void)
{
	const struct zapper *zapper;
	bool found = false;

	spin_lock(&zappers_lock);
	list_for_each_entry(zapper, &zappers, list) {
		found = found || zapper->task == current;
	}
	spin_unlock(&zappers_lock);
	return found;
}

/* --- files --- */

const char *dw_mapping_device(const struct file *file, char *name, size_t n)
{
	scnprintf(name, n, "%pD", file);
	return name;
}
