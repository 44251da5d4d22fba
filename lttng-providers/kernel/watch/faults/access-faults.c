// SPDX-License-Identifier: GPL-2.0
#include <linux/module.h>

#include "watch/access/run.h"
#include "watch/base/counters.h"
#include "watch/doorbell/watch.h"
#include "watch/faults/faults.h"

/* --- traced mappings --- */

bool dw_access_on;

static int set_access(const char *text, const struct kernel_param *unused)
{
	if (sysfs_streq(text, "coalesced")) {
		dw_access_on = true;
	} else if (sysfs_streq(text, "off")) {
		dw_access_on = false;
	} else {
		return -EINVAL;
	}
	return 0;
}

static int get_access(char *buffer, const struct kernel_param *unused)
{
	return scnprintf(buffer, PAGE_SIZE, "%s\n", dw_access_on ? "coalesced" : "off");
}

static const struct kernel_param_ops access_ops = {.set = set_access, .get = get_access};
module_param_cb(access, &access_ops, NULL, 0644);
MODULE_PARM_DESC(access,
		 "coalesced: report runs of reads and writes of device mappings that "
		 "are created from now on; off (default)");

/*
 * Maps a VMA's closed pages again, because its accesses cannot be traced. Returns `code`.
 */
static int give_up(struct dw_mapping *mapping, struct vm_area_struct *vma, int code)
{
	dw_access_restore(mapping, vma);
	dw_count(untraced);
	return code;
}

/*
 * Begins to trace accesses to a VMA. Returns 0, or a negative errno if the accesses are not
 * traced. Mappings of the unified-memory driver are never traced, because that driver maps
 * and unmaps the pages of its mappings whenever it migrates them.
 */
static int begin(struct dw_mapping *mapping, struct vm_area_struct *vma)
{
	struct dw_run *run;
	int code;

	if (!dw_access_on || strcmp(mapping->memory.space, "uvm") == 0) {
		return mapping->access ? give_up(mapping, vma, -EOPNOTSUPP) : -EOPNOTSUPP;
	}
	if (!dw_access_can_close(mapping, vma)) {
		return give_up(mapping, vma, -EOPNOTSUPP);
	}
	run = dw_run_of(mapping->process, mapping->mm);
	mapping->access = mapping->access ?: dw_access_pages_new(mapping, false);
	if (!run || !mapping->access) {
		return give_up(mapping, vma, -ENOMEM);
	}
	code = dw_run_take(run, mapping->access, vma);
	return code ? give_up(mapping, vma, code) : 0;
}

void dw_mapping_trace_access(struct dw_mapping *mapping, struct vm_area_struct *vma)
{
	if (!dw_access_on) {
		return;
	}
	mapping->ops.pfn_mkwrite = dw_mapping_pfn_mkwrite;
	if (begin(mapping, vma) && dw_mode != DW_MODE_SHADOW) {
		mapping->ops.pfn_mkwrite = mapping->inner->pfn_mkwrite;
	}
}

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

void dw_access_copy(struct dw_mapping *to, const struct dw_mapping *from, u64 offset)
{
	if (!from->access || to->access) {
		return;
	}
	to->access = dw_access_pages_new(to, true);
	if (to->access) {
		dw_access_pages_copy(to->access, from->access, offset >> PAGE_SHIFT);
	}
}

void dw_access_restore(struct dw_mapping *mapping, struct vm_area_struct *vma)
{
	if (mapping->access) {
		dw_access_pages_restore(mapping->access, vma);
	}
}

void dw_access_end(struct dw_mapping *mapping)
{
	struct dw_access *access = mapping->access;
	struct dw_run *run = mapping->process ? mapping->process->run : NULL;

	if (!access) {
		return;
	}
	if (run) {
		dw_run_forget(run, access);
	}
	mapping->access = NULL;
	dw_access_pages_free(access);
}

/* --- faults --- */

/*
 * Lets the driver's handler map a page for which no page-table entry is noted. The handler
 * may map other pages, too.
 */
static vm_fault_t ask_driver(struct dw_run *run, struct dw_mapping *mapping,
			     struct vm_fault *fault)
{
	vm_fault_t result;
	u64 revokes;

	if (!run || !mapping->inner || !mapping->inner->fault) {
		return VM_FAULT_SIGBUS;
	}
	revokes = dw_run_revokes(run);
	result = dw_watch_fill(mapping, fault);
	if (!(result & VM_FAULT_NOPAGE) || result & (VM_FAULT_ERROR | VM_FAULT_RETRY)) {
		if (!(result & (VM_FAULT_ERROR | VM_FAULT_RETRY))) {
			/*
			 * The kernel maps the page that the handler has returned, so
			 * accesses to it are not traced.
			 */
			dw_count(untraced);
		}
		return result;
	}
	if (dw_run_take_mapped(run, mapping, fault, revokes)) {
		dw_count(untraced);
	}
	return VM_FAULT_NOPAGE; /* the access faults again and finds the page noted */
}

vm_fault_t dw_access_fault(struct dw_mapping *mapping, struct vm_fault *fault)
{
	struct dw_run *run = smp_load_acquire(&mapping->process->run);
	vm_fault_t result;
	int code;

	if (dw_mapping_needs_mmap_lock(fault, &result)) {
		return result;
	}
	if (!dw_access_page_is_known(mapping->access, fault->address)) {
		return ask_driver(run, mapping, fault);
	}
	if (run) {
		code = dw_run_open(run, mapping, fault);
	} else {
		/*
		 * A forked child has no run before begin_child(), so this access is not
		 * reported.
		 */
		code = dw_access_pages_open(mapping->access, fault->vma, fault->address,
					    PAGE_SIZE, true);
	}
	return code == -ENOMEM ? VM_FAULT_OOM : code ? VM_FAULT_SIGBUS : VM_FAULT_NOPAGE;
}

vm_fault_t dw_mapping_pfn_mkwrite(struct vm_fault *fault)
{
	struct dw_mapping *mapping = dw_mapping_of(fault->vma);
	bool is_traced = mapping->access;
	vm_fault_t result = 0;

	if (dw_doorbell_is_shadow(mapping, fault->address)) {
		return dw_shadow_fault(mapping->doorbell, fault);
	}
	if (is_traced && dw_mapping_needs_mmap_lock(fault, &result)) {
		return result;
	}
	if (mapping->inner->pfn_mkwrite) {
		result = mapping->inner->pfn_mkwrite(fault);
	}
	return !is_traced || result & (VM_FAULT_ERROR | VM_FAULT_NOPAGE | VM_FAULT_RETRY)
		       ? result
		       : dw_access_fault(mapping, fault);
}
