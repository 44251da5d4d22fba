// SPDX-License-Identifier: GPL-2.0
#include "watch/mapping.h"

#include <linux/delay.h>
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/version.h>

#include "watch/access.h"
#include "watch/counters.h"
#include "watch/shadow.h"
#include "watch/symbols.h"
#include "watch/told.h"
#include "watch/watch.h"

static LIST_HEAD(all);
static DEFINE_SPINLOCK(lock); /* of `all` */

/* --- life --- */

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
	mapping->ops.map_pages = NULL; /* around a fault it would map them unseen */
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
	spin_lock(&lock);
	list_add_tail(&mapping->all, &all);
	spin_unlock(&lock);
	dw_count(mappings);
	return mapping;
}

/* --- looking --- */

struct dw_mapping *dw_mapping_of(const struct vm_area_struct *vma)
{
	const struct vm_operations_struct *ops = vma->vm_ops;

	return ops && ops->close == ours.close ? container_of(ops, struct dw_mapping, ops)
					       : NULL;
}

/* Since 6.4 a fault may have a VMA's own lock instead of mmap_lock. */
void dw_mapping_lock_vma(struct vm_area_struct *vma)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 4, 0)
	vma_start_write(vma);
#endif
}

/* VMA locks came later than this module's idea of who holds what. */
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

int dw_mapping_pfn(struct vm_area_struct *vma, unsigned long address, unsigned long *pfn)
{
	struct dw_mapping *mapping = dw_mapping_of(vma);
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0)
	struct follow_pfnmap_args found = {.vma = vma, .address = address};
	int error;

	if (!(vma->vm_flags & (VM_IO | VM_PFNMAP))) {
		return -EINVAL;
	}
	error = follow_pfnmap_start(&found);
	if (!error) {
		*pfn = found.pfn;
		follow_pfnmap_end(&found);
	}
	return error && mapping ? dw_access_pfn(mapping, address, pfn) : error;
#elif LINUX_VERSION_CODE >= KERNEL_VERSION(6, 10, 0)
	spinlock_t *held;
	pte_t *at;
	int error;

	if (!(vma->vm_flags & (VM_IO | VM_PFNMAP))) {
		return -EINVAL;
	}
	error = follow_pte(vma, address, &at, &held);
	if (!error) {
		*pfn = pte_pfn(ptep_get(at));
		pte_unmap_unlock(at, held);
	}
	return error && mapping ? dw_access_pfn(mapping, address, pfn) : error;
#else
	int error = follow_pfn(vma, address, pfn);

	/* A page may be closed because its accesses are traced. */
	return error && mapping ? dw_access_pfn(mapping, address, pfn) : error;
#endif
}

const char *dw_mapping_device(const struct file *file, char *name, size_t n)
{
	scnprintf(name, n, "%pD", file);
	return name;
}

/* --- VMAs that come and go --- */

static bool touches(unsigned long page, unsigned long start, unsigned long end)
{
	return page && page >= start && page < end;
}

/*
 * The process's mapping that an earlier VMA of the same fork has got, with a reference, or
 * NULL. That VMA has not gone: mmap_lock of both is held.
 */
static struct dw_mapping *copy_there_is(const struct dw_process *process,
					struct dw_mapping *origin)
{
	if (origin->copy.fork != process->fork) {
		return NULL;
	}
	dw_mapping_get(origin->copy.mapping);
	return origin->copy.mapping;
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

/* fork copies a VMA. Its page tables are copied after this. */
static void copied(struct dw_mapping *origin, struct vm_area_struct *vma)
{
	struct dw_process *process = dw_process_unborn(vma->vm_mm, origin->process);
	struct dw_mapping *mapping = copy_there_is(process, origin);

	if (!mapping) {
		mapping = derive(origin, process, vma->vm_mm);
		mapping->ordinal = origin->ordinal;
		mapping->base = origin->base;
		mapping->length = origin->length;
		mapping->pgoff = origin->pgoff;
		mapping->door_page = origin->door_page;
		dw_access_copy(mapping, origin, 0);
		origin->copy.fork = process->fork;
		origin->copy.mapping = mapping;
	}
	if (touches(origin->door_page, vma->vm_start, vma->vm_end)) {
		dw_watch_copied(origin, mapping);
	}
	vma->vm_ops = &mapping->ops;
	dw_process_put(process);
}

/* mremap makes a VMA. If all goes well vma_mremap() is called next. */
static void moved(struct dw_mapping *origin, struct vm_area_struct *vma)
{
	struct dw_mapping *mapping = derive(origin, origin->process, vma->vm_mm);
	unsigned long within = (vma->vm_pgoff - origin->pgoff) << PAGE_SHIFT;
	unsigned long page = origin->door_page;

	mapping->base = vma->vm_start;
	mapping->length = vma->vm_end - vma->vm_start;
	mapping->pgoff = vma->vm_pgoff;
	mapping->memory.offset += within;
	dw_access_copy(mapping, origin, within);
	page = page ? page - origin->base - within + vma->vm_start : 0;
	mapping->door_page = touches(page, vma->vm_start, vma->vm_end) ? page : 0;
	vma->vm_ops = &mapping->ops;
}

/* A VMA that is being split lies where the new one will; mremap's target is free. */
static bool is_split(struct dw_mapping *mapping, struct vm_area_struct *vma)
{
	struct vm_area_struct *there = dw_mapping_vma(mapping, vma->vm_start);

	return there && there != vma;
}

static void vma_open(struct vm_area_struct *vma)
{
	struct dw_mapping *mapping = dw_mapping_of(vma);

	if (mapping->inner->open) {
		mapping->inner->open(vma);
		if (vma->vm_ops != &mapping->ops) {
			return; /* the driver has its reasons: the VMA is no longer ours */
		}
	}
	if (vma->vm_mm != mapping->mm) {
		copied(mapping, vma);
	} else if (is_split(mapping, vma)) {
		dw_mapping_get(mapping);
	} else {
		moved(mapping, vma);
	}
}

/*
 * The pages are no longer mapped, and no other CPU has them in its TLB: whoever has stored
 * there has been in the breakpoint's handler already, with interrupts off. Once the driver
 * knows that they are gone its device may be, too.
 */
static void vma_close(struct vm_area_struct *vma)
{
	struct dw_mapping *mapping = dw_mapping_of(vma);
	bool exits = atomic_read(&vma->vm_mm->mm_users) == 0;
	unsigned long start = vma->vm_start;
	unsigned long end = vma->vm_end;
	const struct vm_area_struct *there;

	/*
	 * A split that has failed is closed, too: another VMA of the mapping is there. The
	 * VMA itself may be: since 6.12 mmap closes what it replaces before its place is
	 * taken.
	 */
	if (touches(mapping->door_page, start, end)) {
		there = exits ? NULL : dw_mapping_vma(mapping, mapping->door_page);
		if (!there || there == vma) {
			dw_watch_close(mapping);
		}
	}
	if (mapping->inner->close) {
		mapping->inner->close(vma);
	}
	if (!exits && mapping->ordinal && start < end &&
	    !(start >= mapping->moved.start && end <= mapping->moved.end)) {
		dw_told_gone(mapping, start, end - start);
	}
	dw_mapping_put(mapping);
}

/* mremap has moved the pages; the old VMA is closed after this. */
static int vma_mremap(struct vm_area_struct *vma)
{
	struct dw_mapping *mapping = dw_mapping_of(vma);
	struct dw_mapping *origin = mapping ? mapping->origin : NULL;
	unsigned long old;

	if (!origin) {
		return 0; /* the driver's open() has taken it away from us */
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
	if (mapping->door_page) {
		dw_watch_moved(origin, mapping, vma);
	}
	if (origin->ordinal) {
		dw_told_gone(origin, old, mapping->length);
	}
	dw_told_moved(mapping);
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

vm_fault_t dw_mapping_pfn_mkwrite(struct vm_fault *fault)
{
	struct dw_mapping *mapping = dw_mapping_of(fault->vma);

	if (dw_watch_is_shadow(mapping, fault->address)) {
		return dw_shadow_fault(mapping->door, fault);
	}
	if (mapping->access) {
		return dw_access_write(mapping, fault);
	}
	return mapping->inner->pfn_mkwrite ? mapping->inner->pfn_mkwrite(fault) : 0;
}

/* ptrace and /proc/PID/mem: not through a page of memory that stands for the device's. */
static int vma_access(struct vm_area_struct *vma, unsigned long address, void *buffer,
		      int length, int write)
{
	struct dw_mapping *mapping = dw_mapping_of(vma);

	if (!mapping->inner->access || dw_watch_is_shadow(mapping, address)) {
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

/* --- end --- */

static void give_back(struct vm_area_struct *vma)
{
	struct dw_mapping *mapping = dw_mapping_of(vma);

	if (!mapping) {
		return;
	}
	dw_mapping_lock_vma(vma);
	if (touches(mapping->door_page, vma->vm_start, vma->vm_end)) {
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

/* The mm of some mapping that is left, with a reference (mm_count), or NULL. */
static struct mm_struct *any_mm(void)
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

/*
 * New mappings come by fork only, now: from processes whose turn has not come. One that
 * exits closes its own.
 */
void dw_mapping_exit(void)
{
	struct mm_struct *mm;

	dw_deferred_wait();
	while ((mm = any_mm())) {
		if (mmget_not_zero(mm)) {
			give_back_all(mm);
			mmput(mm);
		}
		mmdrop(mm);
		msleep(1);
	}
}
