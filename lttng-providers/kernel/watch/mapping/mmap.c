// SPDX-License-Identifier: GPL-2.0

#include <linux/fdtable.h>
#include <linux/file.h>
#include <linux/mman.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/version.h>

#include "watch/access/run.h"
#include "watch/base/counters.h"
#include "watch/base/symbols.h"
#include "watch/doorbell/watch.h"
#include "watch/faults/faults.h"
#include "watch/mapping/follow.h"
#include "watch/process/births.h"
#include "watch/process/filter.h"
#include "watch/process/rm.h"
#include "watch/state/doorbells.h"
#include "watch/state/process.h"

#define DEVICE_BYTES 64

/* A call of mmap whose task has not left the kernel yet. */
struct mapped {
	struct dw_deferred work;
	struct file *file; /* holds a reference */
	struct kt_event_mmap event;
	char device[DEVICE_BYTES];
};

/* --- memory types --- */

#if defined(VM_PAT) && LINUX_VERSION_CODE < KERNEL_VERSION(6, 15, 0)
#define HAS_MEMORY_TYPES 1
#else
#define HAS_MEMORY_TYPES 0
#endif

#if HAS_MEMORY_TYPES && LINUX_VERSION_CODE >= KERNEL_VERSION(6, 3, 0)
DEFINE_STATIC_CALL_NULL(dw_untrack, void(struct vm_area_struct *vma, unsigned long pfn,
					 unsigned long size, bool is_locked));
#define untrack(vma) static_call(dw_untrack)(vma, 0, 0, true)
#elif HAS_MEMORY_TYPES
DEFINE_STATIC_CALL_NULL(dw_untrack, void(struct vm_area_struct *vma, unsigned long pfn,
					 unsigned long size));
#define untrack(vma) static_call(dw_untrack)(vma, 0, 0)
#endif

/* --- mapping --- */

/*
 * Replaces the VMA's vm_ops, finds its doorbell page and begins to trace accesses to the
 * VMA. mmap_lock is held for writing.
 */
static void take_over(struct dw_mapping *mapping, struct vm_area_struct *vma)
{
	dw_mapping_lock_vma(vma);
	mapping->pgoff = vma->vm_pgoff;
	dw_mapping_get(mapping);
	vma->vm_ops = &mapping->ops;
	if (dw_mode != DW_MODE_OFF) {
		mapping->doorbell_page = dw_doorbell_find(mapping, vma);
	}
	if (mapping->doorbell_page && strcmp(mapping->memory.space, "other") == 0) {
		strscpy(mapping->memory.space, "reg", sizeof(mapping->memory.space));
	}
	/*
	 * VM_PAT marks a VMA for which the kernel has reserved a memory type. When such a
	 * VMA is unmapped, the kernel finds the reservation through the first page's entry,
	 * and warns if this module has zapped that page. The reservation is therefore
	 * dropped now; the driver and the shadow have reservations of their own.
	 */
#if HAS_MEMORY_TYPES
	if ((dw_mode == DW_MODE_SHADOW || dw_access_on) && static_call_query(dw_untrack) &&
	    (vma->vm_flags & VM_PAT)) {
		untrack(vma);
	}
#endif
	dw_mapping_trace_access(mapping, vma);
}

/*
 * Begins to follow the VMA that a call of mmap has created. Returns the new mapping of the
 * VMA, with a reference, or NULL if the VMA is not followed.
 */
static struct dw_mapping *follow(const struct mapped *mapped, struct dw_process *process,
				 const struct dw_pending_map *pending)
{
	const struct module *driver = mapped->file->f_op->owner;
	struct dw_mapping *mapping = NULL;
	struct vm_area_struct *vma;

	mmap_write_lock(current->mm);
	/*
	 * Another thread may have unmapped the VMA meanwhile, so it is searched for again.
	 * VMAs of NVIDIA's unified-memory driver are not followed, because that driver
	 * recognises them by their vm_ops.
	 */
	vma = find_vma(current->mm, mapped->event.address);
	if (vma && vma->vm_start == mapped->event.address && vma->vm_file == mapped->file &&
	    vma->vm_ops && !dw_mapping_of(vma) &&
	    !(driver && strcmp(driver->name, "nvidia_uvm") == 0)) {
		mapping = dw_mapping_create(process, current->mm, vma->vm_ops);
		mapping->base = vma->vm_start;
		mapping->length = vma->vm_end - vma->vm_start;
		mapping->memory = *pending;
		mapping->ordinal = atomic_inc_return(&process->mappings);
		take_over(mapping, vma);
	}
	mmap_write_unlock(current->mm);
	return mapping;
}

/* --- before the task leaves the kernel --- */

static void settle(const struct mapped *mapped, struct dw_process *process)
{
	struct dw_pending_map pending = {.space = "other"};
	struct dw_mapping *mapping = NULL;
	struct kt_event_map event = {
		.device = mapped->device,
		.error = mapped->event.error,
		.address = mapped->event.address,
		.length = mapped->event.length,
	};

	mutex_lock(&process->lock);
	dw_rm_pending(process, mapped->file, &pending);
	mutex_unlock(&process->lock);
	dw_pending_emit(process); /* unmappings by MAP_FIXED come first */
	if (!mapped->event.error) {
		mapping = follow(mapped, process, &pending);
	}
	event.space = mapping ? mapping->memory.space : pending.space;
	event.client = pending.client;
	event.object = pending.object;
	event.class_ = pending.class_;
	if (mapping) {
		event.mapping = mapping->ordinal;
	} else if (!event.error) {
		event.mapping = atomic_inc_return(&process->mappings);
	}
	dw_run_end(process);
	DW_EMIT(process, mmap, &mapped->event);
	DW_EMIT(process, map, &event);
	if (mapping) {
		dw_watch_open(mapping);
		dw_mapping_put(mapping);
	}
}

static int compare(const void *wanted, struct file *file, unsigned int fd)
{
	return file == wanted ? (int)fd + 1 : 0;
}

static void settle_deferred(struct dw_deferred *work)
{
	struct mapped *mapped = container_of(work, struct mapped, work);
	struct dw_process *process = NULL;

	if (current->mm) {
		process = dw_process_get_current(true);
	}
	if (process) {
		mapped->event.fd = iterate_fd(current->files, 0, compare, mapped->file) - 1;
		dw_mapping_device(mapped->file, mapped->device, sizeof(mapped->device));
		settle(mapped, process);
		dw_process_put(process);
	}
	fput(mapped->file);
	kfree(mapped);
}

void dw_mmap_returned(struct file *file, struct vm_area_struct *vma, int error)
{
	struct mapped *mapped;

	if (vma->vm_mm != current->mm || !dw_filter_file(file)) {
		return;
	}
	mapped = kzalloc(sizeof(*mapped), GFP_ATOMIC);
	if (!mapped) {
		dw_count(missed);
		return;
	}
	mapped->file = get_file(file);
	mapped->event = (struct kt_event_mmap){
		.device = mapped->device,
		.error = -error,
		.address = error ? 0 : vma->vm_start,
		.length = vma->vm_end - vma->vm_start,
		.offset = (u64)vma->vm_pgoff << PAGE_SHIFT,
		.protection = vma->vm_flags & (VM_READ | VM_WRITE | VM_EXEC),
		.flags = vma->vm_flags & VM_MAYSHARE ? MAP_SHARED : MAP_PRIVATE,
	};
	if (dw_defer(current, &mapped->work, settle_deferred)) {
		dw_count(missed);
		fput(mapped->file);
		kfree(mapped);
	}
}

int dw_mmap_init(void)
{
#if HAS_MEMORY_TYPES
	DW_FIND(dw_untrack, "untrack_pfn");
#endif
	return 0;
}
