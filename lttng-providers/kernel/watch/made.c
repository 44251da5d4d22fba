// SPDX-License-Identifier: GPL-2.0
/* After a driver's mmap: the mapping, its events, what is watched of it. */
#include <linux/fdtable.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/mman.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/version.h>

#include "watch/access.h"
#include "watch/counters.h"
#include "watch/door.h"
#include "watch/emit.h"
#include "watch/filter.h"
#include "watch/mapping.h"
#include "watch/rm.h"
#include "watch/symbols.h"
#include "watch/told.h"
#include "watch/watch.h"

#define DEVICE_BYTES 64

/* What is kept of a call until its task leaves the kernel. */
struct made {
	struct dw_deferred work;
	struct file *file; /* a reference */
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

/*
 * The kernel remembers that a VMA has reserved a memory type (VM_PAT), and looks for what
 * it has reserved in the page tables when the VMA goes: it complains if the first page has
 * been zapped, as we do. So the reservation is given up now; the driver and the shadow have
 * theirs.
 */
static void give_up_memory_type(struct vm_area_struct *vma)
{
#if HAS_MEMORY_TYPES
	if (static_call_query(dw_untrack) && (vma->vm_flags & VM_PAT)) {
		untrack(vma);
	}
#endif
}

/* --- the mapping --- */

/* NVIDIA's driver of unified memory knows its VMAs by their vm_ops: they stay as they are.
 */
static bool is_touchy(const struct file *file)
{
	const struct module *module = file->f_op->owner;

	return module && strcmp(module->name, "nvidia_uvm") == 0;
}

/* mmap_lock is held for writing. */
static void take_over(struct dw_mapping *mapping, struct vm_area_struct *vma)
{
	dw_mapping_lock_vma(vma);
	mapping->pgoff = vma->vm_pgoff;
	dw_mapping_get(mapping);
	vma->vm_ops = &mapping->ops;
	if (dw_mode != DW_MODE_OFF) {
		mapping->door_page = dw_door_find(mapping, vma);
	}
	if (mapping->door_page && strcmp(mapping->memory.space, "other") == 0) {
		strscpy(mapping->memory.space, "reg", sizeof(mapping->memory.space));
	}
	if (dw_mode == DW_MODE_SHADOW || dw_access_on) {
		give_up_memory_type(vma);
	}
	dw_mapping_trace_access(mapping, vma);
}

/* The VMA that the call has made: gone if another thread has unmapped it meanwhile. */
static struct vm_area_struct *find(const struct made *made)
{
	struct vm_area_struct *vma = find_vma(current->mm, made->event.address);

	return vma && vma->vm_start == made->event.address && vma->vm_file == made->file &&
			       vma->vm_ops && !dw_mapping_of(vma)
		       ? vma
		       : NULL;
}

/* The mapping: a reference, or NULL: it stays as it is. */
static struct dw_mapping *follow(const struct made *made, struct dw_process *process,
				 const struct dw_pending_map *pending)
{
	struct dw_mapping *mapping = NULL;
	struct vm_area_struct *vma;

	mmap_write_lock(current->mm);
	vma = find(made);
	if (vma && !is_touchy(made->file)) {
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

void dw_mapping_trace_access(struct dw_mapping *mapping, struct vm_area_struct *vma)
{
	if (!dw_access_on) {
		return;
	}
	mapping->ops.pfn_mkwrite = dw_mapping_pfn_mkwrite;
	if (dw_access_begin(mapping, vma) && dw_mode != DW_MODE_SHADOW) {
		mapping->ops.pfn_mkwrite = mapping->inner->pfn_mkwrite;
	}
}

/* --- events --- */

static int compare(const void *wanted, struct file *file, unsigned int fd)
{
	return file == wanted ? (int)fd + 1 : 0;
}

static int descriptor(const struct file *file)
{
	return iterate_fd(current->files, 0, compare, (void *)file) - 1;
}

static void tell(const struct made *made, struct dw_process *process,
		 const struct dw_pending_map *pending, const struct dw_mapping *mapping)
{
	struct kt_event_map event = {
		.device = made->device,
		.space = mapping ? mapping->memory.space : pending->space,
		.error = made->event.error,
		.address = made->event.address,
		.length = made->event.length,
		.client = pending->client,
		.object = pending->object,
		.class_ = pending->class_,
	};

	if (mapping) {
		event.mapping = mapping->ordinal;
	} else if (!event.error) {
		event.mapping = atomic_inc_return(&process->mappings);
	}
	dw_access_end_run(process);
	DW_EMIT(process, mmap, &made->event);
	DW_EMIT(process, map, &event);
}

/* The task leaves the kernel. */
static void settle(const struct made *made, struct dw_process *process)
{
	struct dw_pending_map pending = {.space = "other"};
	struct dw_mapping *mapping = NULL;

	mutex_lock(&process->lock);
	dw_rm_pending(process, made->file, &pending);
	mutex_unlock(&process->lock);
	dw_told_tell(process); /* MAP_FIXED: what was there has gone before */
	if (!made->event.error) {
		mapping = follow(made, process, &pending);
	}
	tell(made, process, &pending, mapping);
	if (mapping) {
		dw_watch_open(mapping);
		dw_mapping_put(mapping);
	}
}

static void settle_deferred(struct dw_deferred *work)
{
	struct made *made = container_of(work, struct made, work);
	struct dw_process *process = NULL;

	if (current->mm) {
		process = dw_process_get_current(true);
	}
	if (process) {
		made->event.fd = descriptor(made->file);
		dw_mapping_device(made->file, made->device, sizeof(made->device));
		settle(made, process);
		dw_process_put(process);
	}
	fput(made->file);
	kfree(made);
}

void dw_mapping_made(struct file *file, struct vm_area_struct *vma, int error)
{
	struct made *made;

	if (vma->vm_mm != current->mm || !dw_filter_file(file)) {
		return;
	}
	made = kzalloc(sizeof(*made), GFP_ATOMIC);
	if (!made) {
		dw_count(missed);
		return;
	}
	made->file = get_file(file);
	made->event = (struct kt_event_mmap){
		.device = made->device,
		.error = -error,
		.address = error ? 0 : vma->vm_start,
		.length = vma->vm_end - vma->vm_start,
		.offset = (u64)vma->vm_pgoff << PAGE_SHIFT,
		.protection = vma->vm_flags & (VM_READ | VM_WRITE | VM_EXEC),
		.flags = vma->vm_flags & VM_MAYSHARE ? MAP_SHARED : MAP_PRIVATE,
	};
	if (dw_defer(current, &made->work, settle_deferred)) {
		dw_count(missed);
		fput(made->file);
		kfree(made);
	}
}

/* --- a new process --- */

void dw_mapping_trace_accesses(struct dw_mapping *mapping)
{
	unsigned long at = mapping->base;
	struct vm_area_struct *vma;

	if (!dw_access_on || mapping->mm != current->mm) {
		return;
	}
	mmap_write_lock(mapping->mm);
	while ((vma = find_vma(mapping->mm, at)) &&
	       vma->vm_start < mapping->base + mapping->length) {
		if (dw_mapping_of(vma) == mapping) {
			dw_mapping_trace_access(mapping, vma);
		}
		at = vma->vm_end;
	}
	mmap_write_unlock(mapping->mm);
}

/* The one after `last` (NULL: the first), with a reference; that of `last` is given up. */
static struct dw_mapping *next_of(struct dw_process *process, struct dw_mapping *last)
{
	struct dw_mapping *mapping;
	struct dw_mapping *next = NULL;

	mutex_lock(&process->lock);
	/* One that has a reference is in the list. */
	mapping = last ? last
		       : list_entry(&process->list, struct dw_mapping, in_process);
	list_for_each_entry_continue(mapping, &process->list, in_process) {
		if (kref_get_unless_zero(&mapping->references)) {
			next = mapping;
			break;
		}
	}
	mutex_unlock(&process->lock);
	if (last) {
		dw_mapping_put(last);
	}
	return next;
}

void dw_mapping_born(struct dw_process *process)
{
	struct dw_mapping *mapping = NULL;

	while ((mapping = next_of(process, mapping))) {
		dw_mapping_trace_accesses(mapping);
		dw_watch_open(mapping);
	}
}

int dw_mapping_init(void)
{
#if HAS_MEMORY_TYPES
	DW_FIND(dw_untrack, "untrack_pfn");
#endif
	return 0;
}
