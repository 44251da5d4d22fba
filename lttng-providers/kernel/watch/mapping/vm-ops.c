// SPDX-License-Identifier: GPL-2.0
#include "watch/mapping/follow.h"

#include <linux/delay.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/version.h>

#include "watch/base/counters.h"
#include "watch/doorbell/watch.h"
#include "watch/faults/faults.h"
#include "watch/process/births.h"
#include "watch/state/doorbells.h"

/* --- create and release --- */

static void release_mapping(struct work_struct *work)
{
	struct dw_mapping *mapping = container_of(work, struct dw_mapping, release);

	dw_watch_free(mapping);
	if (mapping->access) {
		dw_access_end(mapping);
	}
	mutex_lock(&mapping->process->lock);
	list_del(&mapping->in_process);
	mutex_unlock(&mapping->process->lock);
	if (mapping->origin) {
		dw_mapping_put(mapping->origin);
	}
	dw_process_put(mapping->process);
	mmdrop(mapping->mm);
	mutex_destroy(&mapping->opening);
	mutex_destroy(&mapping->filling);
	dw_uncount(mappings);
	kfree(mapping);
}

static const struct vm_operations_struct ours;

struct dw_mapping *dw_mapping_create(struct dw_process *process, struct mm_struct *mm,
				     const struct vm_operations_struct *inner)
{
	struct dw_mapping *mapping =
		kzalloc(sizeof(*mapping), GFP_KERNEL_ACCOUNT | __GFP_NOFAIL);

	kref_init(&mapping->references);
	INIT_WORK(&mapping->release, release_mapping);
	mutex_init(&mapping->opening);
	mutex_init(&mapping->filling);
	mapping->inner = inner;
	mapping->ops = *inner;
	mapping->ops.open = ours.open;
	mapping->ops.close = ours.close;
	mapping->ops.fault = ours.fault;
	mapping->ops.mremap = ours.mremap;
	mapping->ops.access = ours.access;
	mapping->ops.map_pages = NULL; /* fault-around would map pages without a fault */
	if (dw_mode == DW_MODE_SHADOW) {
		mapping->ops.pfn_mkwrite = dw_mapping_pfn_mkwrite;
	}
	mapping->mm = mm;
	mmgrab(mm);
	mapping->process = process;
	dw_process_get(process);
	mutex_lock(&process->lock);
	list_add_tail(&mapping->in_process, &process->list);
	mutex_unlock(&process->lock);
	dw_mapping_add(mapping);
	dw_count(mappings);
	return mapping;
}

/* --- VMAs that are created and closed --- */

static bool touches(unsigned long page, unsigned long start, unsigned long end)
{
	return page && page >= start && page < end;
}

static struct dw_mapping *derive(struct dw_mapping *origin, struct dw_process *process,
				 struct mm_struct *mm)
{
	struct dw_mapping *mapping = dw_mapping_create(process, mm, origin->inner);

	mapping->memory = origin->memory;
	mapping->ops.pfn_mkwrite = origin->ops.pfn_mkwrite;
	mapping->origin = origin;
	dw_mapping_get(origin);
	return mapping;
}

/* Called when fork has copied a VMA, before fork copies the VMA's page tables. */
static void copied(struct dw_mapping *origin, struct vm_area_struct *vma)
{
	struct dw_process *process = dw_process_of_fork(vma->vm_mm, origin->process);
	struct dw_mapping *mapping;

	if (origin->copy.fork == process->fork) {
		/*
		 * The mapping was copied when the same fork copied an earlier VMA of the
		 * mapping. The copy is still valid, because mmap_lock of both mms is held.
		 */
		mapping = origin->copy.mapping;
		dw_mapping_get(mapping);
	} else {
		mapping = derive(origin, process, vma->vm_mm);
		mapping->ordinal = origin->ordinal;
		mapping->base = origin->base;
		mapping->length = origin->length;
		mapping->pgoff = origin->pgoff;
		mapping->doorbell_page = origin->doorbell_page;
		dw_access_copy(mapping, origin, 0);
		origin->copy.fork = process->fork;
		origin->copy.mapping = mapping;
	}
	if (touches(origin->doorbell_page, vma->vm_start, vma->vm_end)) {
		dw_watch_copied(origin, mapping);
	}
	vma->vm_ops = &mapping->ops;
	dw_process_put(process);
}

/* Called when mremap creates a VMA. If mremap succeeds, vma_mremap() is called next. */
static void moved(struct dw_mapping *origin, struct vm_area_struct *vma)
{
	struct dw_mapping *mapping = derive(origin, origin->process, vma->vm_mm);
	unsigned long within = (vma->vm_pgoff - origin->pgoff) << PAGE_SHIFT;
	unsigned long page = origin->doorbell_page;

	mapping->base = vma->vm_start;
	mapping->length = vma->vm_end - vma->vm_start;
	mapping->pgoff = vma->vm_pgoff;
	mapping->memory.offset += within;
	dw_access_copy(mapping, origin, within);
	page = page ? page - origin->base - within + vma->vm_start : 0;
	mapping->doorbell_page = touches(page, vma->vm_start, vma->vm_end) ? page : 0;
	vma->vm_ops = &mapping->ops;
}

static void vma_open(struct vm_area_struct *vma)
{
	struct dw_mapping *mapping = dw_mapping_of(vma);
	const struct vm_area_struct *there;

	if (mapping->inner->open) {
		mapping->inner->open(vma);
		if (vma->vm_ops != &mapping->ops) {
			/* The driver has replaced vm_ops: the VMA is no longer followed */
			return;
		}
	}
	if (vma->vm_mm != mapping->mm) {
		copied(mapping, vma);
		return;
	}
	/*
	 * Distinguishes a split from an mremap. In a split, the old VMA still covers the
	 * address of the new VMA; in an mremap, no old VMA does.
	 */
	there = dw_mapping_vma(mapping, vma->vm_start);
	if (there && there != vma) {
		dw_mapping_get(mapping);
	} else {
		moved(mapping, vma);
	}
}

/*
 * When the kernel calls this function, the pages are unmapped and no TLB contains them. The
 * TLB flush has waited for breakpoint handlers, which run with interrupts off, so each
 * store was reported. Doorbells are closed before inner->close(), because the device may be
 * gone once the driver knows of the unmapping.
 */
static void vma_close(struct vm_area_struct *vma)
{
	struct dw_mapping *mapping = dw_mapping_of(vma);
	bool exits = atomic_read(&vma->vm_mm->mm_users) == 0;
	unsigned long start = vma->vm_start;
	unsigned long end = vma->vm_end;
	const struct vm_area_struct *there;

	/*
	 * If another VMA of the mapping covers the doorbell page, as after a failed split,
	 * the doorbell stays open. But the VMA that is found may be the closing one: since
	 * Linux 6.12, mmap closes the VMA that it replaces before it removes that VMA.
	 */
	if (touches(mapping->doorbell_page, start, end)) {
		there = exits ? NULL : dw_mapping_vma(mapping, mapping->doorbell_page);
		if (!there || there == vma) {
			dw_watch_close(mapping);
		}
	}
	if (mapping->inner->close) {
		mapping->inner->close(vma);
	}
	if (!exits && mapping->ordinal && start < end &&
	    !(start >= mapping->moved.start && end <= mapping->moved.end)) {
		dw_pending_unmapped(mapping, start, end - start);
	}
	dw_mapping_put(mapping);
}

/* mremap has moved the pages; the kernel closes the old VMA afterwards. */
static int vma_mremap(struct vm_area_struct *vma)
{
	struct dw_mapping *mapping = dw_mapping_of(vma);
	struct dw_mapping *origin = mapping ? mapping->origin : NULL;
	unsigned long old;

	if (!origin) {
		return 0; /* the driver's open() has replaced vm_ops */
	}
	if (origin->inner->mremap) {
		int error = origin->inner->mremap(vma);

		if (error) {
			return error;
		}
	}
	old = origin->base + ((mapping->pgoff - origin->pgoff) << PAGE_SHIFT);
	origin->moved.start = old;
	origin->moved.end = old + mapping->length;
	if (mapping->doorbell_page) {
		dw_watch_moved(origin, mapping, vma);
	}
	if (origin->ordinal) {
		dw_pending_unmapped(origin, old, mapping->length);
	}
	dw_pending_moved(mapping);
	return 0;
}

/* --- faults --- */

static vm_fault_t vma_fault(struct vm_fault *fault)
{
	struct dw_mapping *mapping = dw_mapping_of(fault->vma);
	vm_fault_t result = dw_watch_fault(mapping, fault);

	if (result != VM_FAULT_FALLBACK) {
		return result;
	}
	if (mapping->access) {
		return dw_access_fault(mapping, fault);
	}
	return mapping->inner->fault ? dw_watch_fill(mapping, fault) : VM_FAULT_SIGBUS;
}

/* ptrace and /proc/PID/mem have no access to a shadow page. */
static int vma_access(struct vm_area_struct *vma, unsigned long address, void *buffer,
		      int length, int write)
{
	struct dw_mapping *mapping = dw_mapping_of(vma);

	if (!mapping->inner->access || dw_doorbell_is_shadow(mapping, address)) {
		return -EFAULT;
	}
	return mapping->inner->access(vma, address, buffer, length, write);
}

static const struct vm_operations_struct ours = {
	.open = vma_open,
	.close = vma_close,
	.fault = vma_fault,
	.mremap = vma_mremap,
	.access = vma_access,
};

/* --- load and unload --- */

int dw_vm_ops_init(void)
{
	return dw_mapping_init(&ours);
}

static void give_back(struct vm_area_struct *vma)
{
	struct dw_mapping *mapping = dw_mapping_of(vma);

	if (!mapping) {
		return;
	}
	dw_mapping_lock_vma(vma);
	if (touches(mapping->doorbell_page, vma->vm_start, vma->vm_end)) {
		dw_watch_restore(mapping, vma);
		dw_watch_close(mapping);
	}
	dw_access_restore(mapping, vma);
	vma->vm_ops = mapping->inner;
	dw_mapping_put(mapping);
}

static void give_back_all(struct mm_struct *mm)
{
	struct vm_area_struct *vma;

	mmap_write_lock(mm);
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 1, 0)
	{
		VMA_ITERATOR(each, mm, 0);

		for_each_vma(each, vma) {
			give_back(vma);
		}
	}
#else
	for (vma = mm->mmap; vma; vma = vma->vm_next) {
		give_back(vma);
	}
#endif
	mmap_write_unlock(mm);
}

/*
 * Restores the drivers' vm_ops in all VMAs. The loop ends, because new mappings come only
 * from forks of processes whose VMAs are not restored yet, and an exiting process closes
 * its own mappings.
 */
void dw_vm_ops_exit(void)
{
	struct mm_struct *mm;

	dw_deferred_wait();
	while ((mm = dw_mapping_any_mm())) {
		if (mmget_not_zero(mm)) {
			give_back_all(mm);
			mmput(mm);
		}
		mmdrop(mm);
		msleep(1);
	}
}
