// SPDX-License-Identifier: GPL-2.0
#include "watch/faults/faults.h"

#include <linux/sched/task_stack.h>

#include "watch/access/run.h"
#include "watch/base/counters.h"
#include "watch/base/deferred.h"
#include "watch/doorbell/shadow.h"
#include "watch/doorbell/watch.h"
#include "watch/state/doorbells.h"
#include "watch/store/user-code.h"

/* --- stores to a shadow page --- */

/*
 * Decodes the store of the current task that has faulted at `address`. Returns false if
 * this module cannot make the store for the task: the store's value or address is not
 * known; the store must be atomic or does not fit the registers of the page; or the task is
 * being single-stepped (TF), perhaps in a copy of the instruction that a uprobe or debugger
 * runs elsewhere.
 */
static bool find_store(struct dw_store *out, const struct dw_doorbell *doorbell,
		       struct pt_regs *regs, unsigned long address)
{
	struct dw_store_registers registers;
	u8 code[DW_STORE_BYTES];
	size_t n = dw_user_code_at(code, regs->ip);
	unsigned long offset;

	dw_user_registers(regs, &registers);
	if (!n || (regs->flags & X86_EFLAGS_TF) ||
	    !dw_store_decode_next(out, code, n, &registers) || address < out->to ||
	    address >= out->to + out->size) {
		return false;
	}
	/*
	 * The store must lie within the page and be aligned to its size, or to 4 bytes if
	 * it is larger.
	 */
	offset = out->to - doorbell->page;
	if (out->to < doorbell->page || offset + out->size > PAGE_SIZE ||
	    offset % min_t(unsigned int, out->size, 4) != 0) {
		return false;
	}
	/* The store must cover the whole doorbell register or no part of it. */
	return dw_shadow_is_doorbell(doorbell, out) || out->to >= doorbell->at + 4 ||
	       out->to + out->size <= doorbell->at;
}

static vm_fault_t forward_store(struct dw_doorbell *doorbell, struct vm_fault *fault)
{
	struct pt_regs *regs = task_pt_regs(current);
	struct dw_store store;
	vm_fault_t result;

	if (!find_store(&store, doorbell, regs, fault->real_address)) {
		return dw_watch_leave_shadow_soon(doorbell) ? VM_FAULT_NOPAGE
							    : VM_FAULT_OOM;
	}
	if (!dw_shadow_store(doorbell, &store, regs->ip + store.length)) {
		if (!dw_mapping_needs_mmap_lock(fault, &result)) {
			/*
			 * The device sleeps. Unmap the page, so that the store faults again
			 * when the program repeats it; then dw_watch_fault() wakes the
			 * device.
			 */
			dw_zap(fault->vma, doorbell->page, PAGE_SIZE);
			result = VM_FAULT_NOPAGE;
		}
		return result;
	}
	/* Continue as if the instruction had run. */
	regs->ip += store.length;
	regs->di = store.rdi;
	regs->flags &= ~X86_EFLAGS_RF;
	dw_run_note(doorbell->mapping, fault);
	if (dw_shadow_is_doorbell(doorbell, &store)) {
		dw_run_end_soon(doorbell->mapping->process);
	}
	return VM_FAULT_NOPAGE;
}

vm_fault_t dw_shadow_fault(struct dw_doorbell *doorbell, struct vm_fault *fault)
{
	struct vm_area_struct *vma = fault->vma;
	vm_fault_t result;

	if (!dw_mapping_is_users(fault)) {
		dw_count(refused);
		return VM_FAULT_SIGBUS;
	}
	if (fault->flags & FAULT_FLAG_WRITE) {
		return forward_store(doorbell, fault);
	}
	dw_shadow_refresh(doorbell);
	dw_run_note(doorbell->mapping, fault);
	/* VM_READ is added because, on x86, a page that may be written may be read, too. */
	result = vmf_insert_pfn_prot(
		vma, doorbell->page, dw_shadow_page(doorbell),
		vm_get_page_prot((vma->vm_flags | VM_READ) & ~VM_WRITE));
	if (test_bit(DW_DOORBELL_REVOKED, &doorbell->state)) {
		/*
		 * The driver has unmapped the device page meanwhile, so the shadow page is
		 * unmapped, too: the next access must fault and wake the device.
		 */
		dw_zap(vma, doorbell->page, PAGE_SIZE);
	}
	return result;
}

/* --- a doorbell that is not open yet --- */

static void open_deferred(void *mapping, u64 unused)
{
	dw_watch_open(mapping);
	dw_mapping_put(mapping);
}

/*
 * Schedules a call that opens the mapping's doorbell; it runs before the current task
 * returns to user space. Returns false if it cannot be scheduled.
 */
static bool open_soon(struct dw_mapping *mapping)
{
	dw_mapping_get(mapping);
	if (dw_defer_call(current, GFP_KERNEL, open_deferred, mapping, 0)) {
		dw_mapping_put(mapping);
		return false;
	}
	return true;
}

/*
 * Handles a fault in a doorbell page that is not watched yet. A thread in user space opens
 * the doorbell and then repeats the access. An access by the kernel cannot wait for the
 * opening: it is refused in mode shadow, and otherwise left to the driver.
 */
static vm_fault_t wait_for_doorbell(struct dw_mapping *mapping,
				    const struct vm_fault *fault)
{
	bool opens = open_soon(mapping);

	if (fault->flags & FAULT_FLAG_USER) {
		return opens ? VM_FAULT_NOPAGE : VM_FAULT_OOM;
	}
	if (dw_mode == DW_MODE_SHADOW) {
		dw_count(refused);
		return VM_FAULT_SIGBUS;
	}
	return VM_FAULT_FALLBACK;
}

/* --- pages that the driver maps --- */

/* Returns whether the page frame of an existing doorbell's device page is still unknown. */
static bool has_no_page(const struct dw_doorbell *doorbell)
{
	return doorbell && !doorbell->pfn;
}

/* An inspection of the pages that the driver has mapped in a fault. */
struct filling {
	struct dw_mapping *mapping;
	const struct vm_fault *fault;
	unsigned long pfn; /* page frame of the doorbell's device page; 0: not found */
	/* This inspection has set doorbell->pfn, so the doorbell can get a shadow now */
	bool is_noted;
	/* This inspection has unmapped the doorbell's page, which may still be in a TLB */
	bool is_stale;
};

/*
 * Notes the page frame of a doorbell's page that the driver has mapped, and unmaps the page
 * if the doorbell is not watched yet or has a shadow. Clears the page-table entry directly:
 * access tracing is notified when the kernel's own functions clear an entry, and would take
 * this for an unmapping by the driver.
 */
static void inspect_doorbell(struct filling *filling, pte_t *at, unsigned long address)
{
	struct dw_mapping *mapping = filling->mapping;
	struct dw_doorbell *doorbell = mapping->doorbell;
	bool is_new = !(pte_flags(*at) & _PAGE_PRESENT);
	bool is_to_be_closed;

	if (doorbell && test_bit(DW_DOORBELL_SHADOW, &doorbell->state) &&
	    dw_shadow_has_page(doorbell, pte_pfn(*at))) {
		return;
	}
	filling->pfn = pte_pfn(*at);
	if (!doorbell) {
		mapping->doorbell_pfn = filling->pfn;
	} else if (has_no_page(doorbell)) {
		/*
		 * Until now a shadow was impossible, because the page frame was not known.
		 * Unless the device page must stay mapped, the shadow can be created now.
		 */
		filling->is_noted = !test_bit(DW_DOORBELL_REAL, &doorbell->state);
		doorbell->pfn = filling->pfn;
		if (filling->is_noted) {
			clear_bit(DW_DOORBELL_READY, &doorbell->state);
		}
	}
	/*
	 * In mode watch, an access by the kernel can neither wait for a breakpoint nor
	 * trigger it, so the page stays mapped if the kernel has touched it.
	 */
	is_to_be_closed =
		dw_doorbell_is_ready(doorbell)
			? test_bit(DW_DOORBELL_SHADOW, &doorbell->state)
			: (filling->fault->flags & FAULT_FLAG_USER) ||
				  dw_mode == DW_MODE_SHADOW ||
				  !dw_doorbell_covers(mapping, filling->fault->address);
	if (is_to_be_closed) {
		ptep_get_and_clear(mapping->mm, address, at);
		filling->is_stale = filling->is_stale || !is_new;
	}
}

/*
 * Inspects one page-table entry that the driver has created, and makes its page accessible.
 * While map_closed() runs, new entries are like PROT_NONE: the kernel treats them as
 * present, the processor does not.
 */
static int inspect_entry(pte_t *at, unsigned long address, void *context)
{
	struct filling *filling = context;
	struct dw_mapping *mapping = filling->mapping;
	pte_t entry = *at;
	pteval_t flags;

	if (!pte_present(entry)) {
		return 0;
	}
	if (!mapping->doorbell_page && !mapping->doorbell &&
	    dw_doorbell_is_page(pte_pfn(entry))) {
		mapping->doorbell_page = address;
	}
	if (address == mapping->doorbell_page) {
		inspect_doorbell(filling, at, address);
		entry = *at;
	}
	if (pte_present(entry) && !(pte_flags(entry) & _PAGE_PRESENT)) {
		flags = (pte_flags(entry) & ~_PAGE_PROTNONE) | _PAGE_PRESENT;
		set_pte_at(mapping->mm, address, at,
			   pfn_pte(pte_pfn(entry), __pgprot(flags)));
	}
	return 0;
}

static void inspect(struct filling *filling, struct vm_area_struct *vma,
		    unsigned long start, unsigned long end)
{
	start = max(start, vma->vm_start);
	end = min(end, vma->vm_end);
	if (start < end) {
		apply_to_existing_page_range(vma->vm_mm, start, end - start, inspect_entry,
					     filling);
	}
}

/*
 * Inspects all pages of the VMA. In a large VMA, inspects only the pages around the fault
 * and the doorbell page: each first touch of a page causes an inspection, and inspecting
 * all pages each time would be slow. A thread may therefore store to a doorbell elsewhere
 * in a large VMA before that doorbell is known.
 */
static void inspect_all(struct filling *filling, struct vm_area_struct *vma)
{
	unsigned long size = DW_PAGES_INSPECTED * PAGE_SIZE;
	unsigned long around = round_down(filling->fault->address, size);
	unsigned long doorbell = filling->mapping->doorbell_page;

	if (!dw_doorbell_is_large(vma)) {
		inspect(filling, vma, vma->vm_start, vma->vm_end);
	} else {
		inspect(filling, vma, around, around + size);
		if (doorbell && (doorbell < around || doorbell >= around + size)) {
			inspect(filling, vma, doorbell, doorbell + PAGE_SIZE);
		}
	}
	if (filling->is_stale) {
		dw_access_pages_flush(vma, filling->mapping->doorbell_page);
	}
}

/*
 * Lets the driver map pages that no thread can access until they are inspected. Meanwhile
 * vm_page_prot is PROT_NONE, so that accesses fault. A fault in a missing page waits for
 * mapping->filling. In a fault in a new page, the kernel takes the page's entry for one of
 * NUMA balancing, and gives it the rights that the VMA has by then. FAULT_FLAG_ALLOW_RETRY
 * is cleared so that the driver's handler returns with mmap_lock held.
 *
 * In two cases, the driver's pages are accessible at once, and the doorbell's page is
 * unmapped a little later. One is a processor with the L1TF bug, where the kernel lets only
 * root have PROT_NONE entries of a device's high pages. The other is a large VMA, of which
 * only some pages are inspected and thereby made accessible.
 */
static vm_fault_t map_closed(struct filling *filling, struct vm_fault *fault)
{
	struct dw_mapping *mapping = filling->mapping;
	struct vm_area_struct *vma = fault->vma;
	pgprot_t protection = vma->vm_page_prot;
	unsigned int flags = fault->flags;
	vm_fault_t result;

	fault->flags &= ~FAULT_FLAG_ALLOW_RETRY;
	atomic_inc_return(&mapping->fillings);
	if (!dw_doorbell_is_large(vma)) {
		WRITE_ONCE(vma->vm_page_prot,
			   __pgprot((pgprot_val(protection) & ~_PAGE_PRESENT) |
				    _PAGE_PROTNONE));
	}
	result = mapping->inner->fault(fault);
	if ((result & VM_FAULT_SIGBUS) && boot_cpu_has_bug(X86_BUG_L1TF)) {
		WRITE_ONCE(vma->vm_page_prot, protection);
		result = mapping->inner->fault(fault);
	}
	inspect_all(filling, vma);
	WRITE_ONCE(vma->vm_page_prot, protection);
	atomic_inc_return(&mapping->fillings);
	fault->flags = flags;
	return result;
}

/* --- sleeping devices --- */

/*
 * Wakes the device by calling the driver's fault handler. Returns 0 if the device may be
 * accessed, otherwise the result of the fault. The handler maps the device page, and
 * inspect_doorbell() unmaps it again, because a shadow replaces it. If the handler has
 * mapped another page frame than before, the shadow is abandoned.
 */
static vm_fault_t wake_device(struct dw_mapping *mapping, struct vm_fault *fault)
{
	struct filling filling = {.mapping = mapping, .fault = fault};
	struct vm_area_struct *vma = fault->vma;
	struct dw_doorbell *doorbell = mapping->doorbell;
	unsigned int revokes;
	vm_fault_t result;

	if (dw_mapping_needs_mmap_lock(fault, &result)) {
		return result;
	}
	if (!mapping->inner->fault) {
		return VM_FAULT_SIGBUS;
	}
	mutex_lock(&mapping->filling);
	revokes = dw_shadow_revokes(doorbell);
	result = map_closed(&filling, fault);
	if (!(result & NOT_MAPPED)) {
		if (!filling.pfn) {
			result = VM_FAULT_NOPAGE;
		} else if (filling.pfn == doorbell->pfn &&
			   !test_bit(DW_DOORBELL_REAL, &doorbell->state)) {
			result = dw_shadow_came_back(doorbell, revokes) ? 0
									: VM_FAULT_NOPAGE;
		} else if (!dw_watch_leave_shadow_soon(doorbell)) {
			result = VM_FAULT_OOM;
		} else {
			doorbell->pfn = filling.pfn;
			result = VM_FAULT_NOPAGE;
		}
		if (mapping->access) {
			/*
			 * The driver may have mapped further pages, which access tracing
			 * has not noted. All pages are therefore unmapped, so that they
			 * fault again later.
			 */
			dw_zap(vma, vma->vm_start, vma->vm_end - vma->vm_start);
		}
	}
	mutex_unlock(&mapping->filling);
	return result;
}

/* --- fault handlers --- */

vm_fault_t dw_watch_fault(struct dw_mapping *mapping, struct vm_fault *fault)
{
	struct dw_doorbell *doorbell = smp_load_acquire(&mapping->doorbell);
	vm_fault_t result;

	if (!dw_doorbell_covers(mapping, fault->address)) {
		return VM_FAULT_FALLBACK;
	}
	if (!dw_doorbell_is_ready(doorbell)) {
		return wait_for_doorbell(mapping, fault);
	}
	if (!test_bit(DW_DOORBELL_SHADOW, &doorbell->state)) {
		return VM_FAULT_FALLBACK;
	}
	/*
	 * dw_shadow_fault() refuses accesses by the kernel, so they do not wake the device.
	 */
	if (dw_mapping_is_users(fault) && test_bit(DW_DOORBELL_REVOKED, &doorbell->state)) {
		result = wake_device(mapping, fault);
		if (result) {
			return result;
		}
	}
	return dw_shadow_fault(doorbell, fault);
}

/*
 * Returns whether pages that the driver maps in a VMA need inspection. They need none once
 * the doorbell's page has been unmapped, or once its page frame is known and all threads
 * have breakpoints.
 */
static bool may_matter(const struct dw_mapping *mapping, const struct vm_area_struct *vma)
{
	const struct dw_doorbell *doorbell = smp_load_acquire(&mapping->doorbell);
	unsigned long page = mapping->doorbell_page;

	/* A driver with huge_fault() can map pages without this module's fault handler. */
	if (dw_mode == DW_MODE_OFF || !(vma->vm_flags & VM_PFNMAP) ||
	    !(vma->vm_flags & VM_SHARED) || mapping->inner->huge_fault) {
		return false;
	}
	if (!page) {
		return !doorbell && dw_doorbell_is_any();
	}
	return page >= vma->vm_start && page < vma->vm_end &&
	       (dw_doorbell_keeps_closed(mapping, page) || has_no_page(doorbell));
}

/*
 * Lets the driver map pages that need no inspection. If another thread is in map_closed()
 * meanwhile, the new pages may be inaccessible, and that thread may have inspected the VMA
 * before they were mapped. They are therefore inspected here, which makes them accessible.
 */
static vm_fault_t map_open(struct dw_mapping *mapping, struct vm_fault *fault)
{
	struct filling filling = {.mapping = mapping, .fault = fault};
	struct vm_area_struct *vma = fault->vma;
	int before = atomic_read_acquire(&mapping->fillings);
	vm_fault_t result = mapping->inner->fault(fault);

	if (result & NOT_MAPPED) {
		return result; /* the VMA may not exist any more */
	}
	smp_mb();
	if (before % 2 || atomic_read(&mapping->fillings) != before) {
		mutex_lock(&mapping->filling);
		inspect_all(&filling, vma);
		mutex_unlock(&mapping->filling);
	}
	return result;
}

vm_fault_t dw_watch_fill(struct dw_mapping *mapping, struct vm_fault *fault)
{
	struct filling filling = {.mapping = mapping, .fault = fault};
	vm_fault_t result;
	vm_fault_t waits;

	if (!may_matter(mapping, fault->vma)) {
		return map_open(mapping, fault);
	}
	mutex_lock(&mapping->filling);
	/*
	 * Call dw_watch_fault() again, because another thread's fault may have opened the
	 * doorbell meanwhile. The doorbell has no shadow yet, because creating a shadow
	 * needs mmap_lock for writing. dw_watch_fault() therefore does not lock
	 * mapping->filling a second time.
	 */
	result = dw_watch_fault(mapping, fault);
	if (result != VM_FAULT_FALLBACK) {
		mutex_unlock(&mapping->filling);
		return result;
	}
	result = map_closed(&filling, fault);
	if (!(result & NOT_MAPPED)) {
		if (dw_doorbell_covers(mapping, fault->address) &&
		    !dw_doorbell_is_ready(mapping->doorbell)) {
			waits = wait_for_doorbell(mapping, fault);
			result = waits == VM_FAULT_FALLBACK ? result : waits;
		} else if (filling.is_noted) {
			open_soon(mapping);
		}
	}
	mutex_unlock(&mapping->filling);
	return result;
}
