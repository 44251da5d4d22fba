// SPDX-License-Identifier: GPL-2.0
/* Faults in a page with a doorbell: it is mapped when it is watched, and not before. */
#include <linux/slab.h>

#include "watch/access.h"
#include "watch/counters.h"
#include "watch/deferred.h"
#include "watch/door.h"
#include "watch/mapping.h"
#include "watch/shadow.h"
#include "watch/watch.h"
#include "watch/zap.h"

struct opening {
	struct dw_deferred work;
	struct dw_mapping *mapping; /* a reference */
};

static void open_deferred(struct dw_deferred *work)
{
	struct opening *opening = container_of(work, struct opening, work);

	dw_watch_open(opening->mapping);
	dw_mapping_put(opening->mapping);
	kfree(opening);
}

/* Before the current task goes on. false: it cannot. */
static bool open_soon(struct dw_mapping *mapping)
{
	struct opening *opening = kzalloc(sizeof(*opening), GFP_KERNEL);

	if (!opening) {
		return false;
	}
	dw_mapping_get(mapping);
	opening->mapping = mapping;
	if (dw_defer(current, &opening->work, open_deferred)) {
		dw_mapping_put(mapping);
		kfree(opening);
		return false;
	}
	return true;
}

/*
 * The page is not yet watched: a thread in user space is sent back to the same instruction,
 * and the door is opened on the way. The kernel would not come by there.
 */
static vm_fault_t wait_for_door(struct dw_mapping *mapping, const struct vm_fault *fault)
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

vm_fault_t dw_watch_fault(struct dw_mapping *mapping, struct vm_fault *fault)
{
	struct dw_door *door = smp_load_acquire(&mapping->door);

	if (!dw_watch_covers(mapping, fault->address)) {
		return VM_FAULT_FALLBACK;
	}
	if (!door || !test_bit(DW_DOOR_ARMED, &door->state)) {
		return wait_for_door(mapping, fault);
	}
	if (test_bit(DW_DOOR_SHADOW, &door->state)) {
		dw_access_note(mapping, fault);
		return dw_shadow_fault(door, fault);
	}
	return VM_FAULT_FALLBACK;
}

/* What the driver has just mapped is taken away until the door is open, or has its shadow.
 */
static vm_fault_t close_again(struct dw_mapping *mapping, const struct vm_fault *fault)
{
	dw_zap(fault->vma, fault->address & PAGE_MASK, PAGE_SIZE);
	return wait_for_door(mapping, fault) == VM_FAULT_SIGBUS ? VM_FAULT_SIGBUS
								: VM_FAULT_NOPAGE;
}

vm_fault_t dw_watch_faulted(struct dw_mapping *mapping, struct vm_fault *fault,
			    vm_fault_t result)
{
	unsigned long address = fault->address & PAGE_MASK;
	struct dw_door *door;
	unsigned long pfn;

	/* Of some of these the driver has given mmap_lock back: the VMA may be gone. */
	if (dw_mode == DW_MODE_OFF || (result & NOT_MAPPED) ||
	    !(fault->vma->vm_flags & VM_PFNMAP) || !(fault->vma->vm_flags & VM_SHARED)) {
		return result;
	}
	door = smp_load_acquire(&mapping->door);
	if (door && address == door->page && !door->pfn && dw_mode == DW_MODE_SHADOW &&
	    dw_mapping_pfn(fault->vma, address, &pfn) == 0) {
		door->pfn = pfn;
		return close_again(mapping, fault);
	}
	if (!mapping->door_page && !door &&
	    dw_mapping_pfn(fault->vma, address, &pfn) == 0 && dw_door_is(pfn)) {
		mapping->door_page = address;
		return close_again(mapping, fault);
	}
	/* Another thread's fault has recognised it while the driver was at work for this one. */
	if ((fault->flags & FAULT_FLAG_USER) && dw_watch_covers(mapping, address) &&
	    (!door || !test_bit(DW_DOOR_ARMED, &door->state))) {
		return close_again(mapping, fault);
	}
	return result;
}
