// SPDX-License-Identifier: GPL-2.0
#include "watch/faults/shadow-faults.h"

#include <linux/sched/task_stack.h>

#include "watch/access/run.h"
#include "watch/base/counters.h"
#include "watch/base/zap.h"
#include "watch/doorbell/shadow.h"
#include "watch/doorbell/watch.h"
#include "watch/store/user-code.h"

/*
 * The store that the current task is about to make, of which a fault has told this address.
 * false: it is one that cannot be made for it, for its value or its place is not told by
 * its instruction, or it must be at once; or the task is to stop behind it (TF), by which
 * uprobes and debuggers run one instruction somewhere else.
 */
static bool find_store(struct dw_store *out, const struct dw_door *door,
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
	/* In the page, and as the device can get it: in pieces that are aligned. */
	offset = out->to - door->page;
	if (out->to < door->page || offset + out->size > PAGE_SIZE ||
	    offset % min_t(unsigned int, out->size, 4) != 0) {
		return false;
	}
	/* All of the doorbell's word, or nothing. */
	return dw_shadow_is_doorbell(door, out) || out->to >= door->at + 4 ||
	       out->to + out->size <= door->at;
}

static vm_fault_t forward_store(struct dw_door *door, struct vm_fault *fault)
{
	struct pt_regs *regs = task_pt_regs(current);
	struct dw_store store;
	vm_fault_t result;

	if (!find_store(&store, door, regs, fault->real_address)) {
		return dw_watch_leave_shadow_soon(door) ? VM_FAULT_NOPAGE : VM_FAULT_OOM;
	}
	if (!dw_shadow_store(door, &store, regs->ip + store.length)) {
		if (!dw_mapping_needs_mmap_lock(fault, &result)) {
			/* It comes again, and must find no page. */
			dw_zap(fault->vma, door->page, PAGE_SIZE);
			result = VM_FAULT_NOPAGE;
		}
		return result;
	}
	/* As if the instruction had been carried out. */
	regs->ip += store.length;
	regs->di = store.rdi;
	regs->flags &= ~X86_EFLAGS_RF;
	dw_run_note(door->mapping, fault);
	if (dw_shadow_is_doorbell(door, &store)) {
		dw_run_end_soon(door->mapping->process);
	}
	return VM_FAULT_NOPAGE;
}

vm_fault_t dw_shadow_fault(struct dw_door *door, struct vm_fault *fault)
{
	struct vm_area_struct *vma = fault->vma;
	vm_fault_t result;

	if (!dw_mapping_is_users(fault)) {
		dw_count(refused);
		return VM_FAULT_SIGBUS;
	}
	if (fault->flags & FAULT_FLAG_WRITE) {
		return forward_store(door, fault);
	}
	dw_shadow_refresh(door);
	dw_run_note(door->mapping, fault);
	/* Who has the right to write alone may read as well, on this processor. */
	result = vmf_insert_pfn_prot(
		vma, door->page, dw_shadow_page(door),
		vm_get_page_prot((vma->vm_flags | VM_READ) & ~VM_WRITE));
	if (test_bit(DW_DOOR_REVOKED, &door->state)) {
		dw_zap(vma, door->page, PAGE_SIZE); /* it was not there when he took it */
	}
	return result;
}
