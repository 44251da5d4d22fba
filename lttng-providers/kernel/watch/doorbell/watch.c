// SPDX-License-Identifier: GPL-2.0
#include "watch/doorbell/watch.h"

#include <linux/moduleparam.h>
#include <linux/slab.h>

#include "watch/base/counters.h"
#include "watch/base/deferred.h"
#include "watch/base/plant.h"
#include "watch/doorbell/shadow.h"
#include "watch/doorbell/watchpoint.h"
#include "watch/state/doorbells.h"

static char *mode = "watch";
module_param(mode, charp, 0444);
MODULE_PARM_DESC(
	mode,
	"watch (default: the device page stays mapped; stores by the kernel itself are "
	"not observed), shadow (a page of memory replaces it; stores are forwarded, "
	"stores by the kernel are refused) or off");

enum dw_mode dw_mode;
static const char *const mode_names[] = {
	[DW_MODE_OFF] = "off",
	[DW_MODE_WATCH] = "watch",
	[DW_MODE_SHADOW] = "shadow",
};

const char *dw_mode_name(void)
{
	return mode_names[dw_mode];
}

/* --- doorbells --- */

static void close_doorbell(struct work_struct *work)
{
	struct dw_doorbell *doorbell = container_of(work, struct dw_doorbell, closing);

	mutex_lock(&doorbell->lock);
	dw_watchpoint_clear(doorbell);
	mutex_unlock(&doorbell->lock);
	if (!DW_PLANT_USE_AFTER_FREE) {
		dw_mapping_put(doorbell->mapping);
	}
}

/* Returns the recorded page frame of the device page, or 0. */
static unsigned long known_page(const struct dw_mapping *mapping)
{
	const struct dw_doorbell *doorbell = smp_load_acquire(&mapping->doorbell);

	return doorbell && doorbell->pfn ? doorbell->pfn : mapping->doorbell_pfn;
}

/*
 * Returns the page frame of the device page, or 0 if it is not known. A recorded frame
 * takes precedence, because the page tables may contain the shadow page or nothing.
 */
static unsigned long real_page(struct dw_mapping *mapping, struct vm_area_struct *vma)
{
	unsigned long pfn = known_page(mapping);

	if (!pfn && dw_mapping_pfn(vma, mapping->doorbell_page, &pfn)) {
		return 0;
	}
	return pfn;
}

/* Creates and opens the mapping's doorbell, or returns NULL if its page is unmapped. */
static struct dw_doorbell *create(struct dw_mapping *mapping)
{
	struct dw_doorbell *doorbell =
		kzalloc(sizeof(*doorbell), GFP_KERNEL_ACCOUNT | __GFP_NOFAIL);
	struct vm_area_struct *vma;

	mutex_init(&doorbell->lock);
	INIT_LIST_HEAD(&doorbell->watchpoints);
	INIT_WORK(&doorbell->closing, close_doorbell);
	doorbell->mapping = mapping;
	mmap_read_lock(mapping->mm);
	vma = mapping->doorbell_page ? dw_mapping_vma(mapping, mapping->doorbell_page)
				     : NULL;
	if (!vma) {
		mmap_read_unlock(mapping->mm);
		kfree(doorbell);
		return NULL;
	}
	doorbell->page = mapping->doorbell_page;
	doorbell->at = doorbell->page + dw_doorbell_offset();
	doorbell->pfn = real_page(mapping, vma);
	if (dw_mode != DW_MODE_SHADOW || !dw_shadow_is_possible(mapping, vma)) {
		set_bit(DW_DOORBELL_REAL, &doorbell->state);
	}
	dw_doorbell_open(doorbell);
	smp_store_release(&mapping->doorbell, doorbell);
	mmap_read_unlock(mapping->mm);
	return doorbell;
}

/*
 * Replaces the device page by a shadow. Returns 0; -EINTR if it must be retried after the
 * thread has handled its signal; -ESRCH if the page is unmapped; or another negative errno
 * if the device page stays.
 */
static int try_shadow(struct dw_doorbell *doorbell)
{
	struct dw_mapping *mapping = doorbell->mapping;
	struct vm_area_struct *vma;
	int error = dw_shadow_prepare(doorbell);

	if (!error) {
		mmap_write_lock(mapping->mm);
		vma = dw_mapping_vma(mapping, doorbell->page);
		if (vma) {
			dw_shadow_begin(doorbell, vma);
		} else {
			error = -ESRCH;
		}
		mmap_write_unlock(mapping->mm);
	}
	if (!error) {
		return 0;
	}
	clear_bit(DW_DOORBELL_READY, &doorbell->state);
	if (error == -EINTR) {
		/* Unmap the page: the next access faults and opens the doorbell again. */
		mmap_write_lock(mapping->mm);
		vma = dw_mapping_vma(mapping, doorbell->page);
		if (vma) {
			dw_mapping_lock_vma(vma);
			dw_zap(vma, doorbell->page, PAGE_SIZE);
		}
		mmap_write_unlock(mapping->mm);
		return error;
	}
	set_bit(DW_DOORBELL_REAL, &doorbell->state);
	if (error != -ESRCH) {
		pr_warn_once("cannot replace a doorbell page: error %d; debug registers "
			     "watch it instead\n",
			     error);
	}
	return error;
}

/*
 * Returns whether the doorbell can get its first shadow: it has none yet, its page frame is
 * known, and the device page need not stay.
 */
static bool can_get_shadow(const struct dw_doorbell *doorbell)
{
	return !test_bit(DW_DOORBELL_REAL, &doorbell->state) && !doorbell->shadow &&
	       doorbell->pfn;
}

static void open_doorbell(struct dw_mapping *mapping)
{
	struct dw_doorbell *doorbell = mapping->doorbell;
	bool is_ready;

	if (!doorbell) {
		doorbell = create(mapping);
	}
	if (!doorbell) {
		mapping->doorbell_page = 0;
		return;
	}
	do {
		if (can_get_shadow(doorbell) && try_shadow(doorbell) == -EINTR) {
			return;
		}
		if (test_bit(DW_DOORBELL_REAL, &doorbell->state) &&
		    !test_bit(DW_DOORBELL_READY, &doorbell->state)) {
			dw_threads_arm(doorbell);
			if (dw_mode == DW_MODE_SHADOW) {
				struct vm_area_struct *vma;

				/*
				 * Maps the device page, which may have been kept unmapped
				 * until now.
				 */
				mmap_write_lock(mapping->mm);
				vma = dw_mapping_vma(mapping, doorbell->page);
				if (vma) {
					dw_shadow_put_real(doorbell, vma);
				}
				mmap_write_unlock(mapping->mm);
			}
		}
		/*
		 * Try again if another thread's fault has found the page frame meanwhile.
		 */
		mutex_lock(&mapping->filling);
		is_ready = !can_get_shadow(doorbell);
		if (is_ready) {
			set_bit(DW_DOORBELL_READY, &doorbell->state);
		}
		mutex_unlock(&mapping->filling);
	} while (!is_ready);
}

void dw_watch_open(struct dw_mapping *mapping)
{
	struct dw_mapping *origin;

	if (current->mm != mapping->mm) {
		return;
	}
	mutex_lock(&mapping->opening);
	if (mapping->doorbell_page && dw_mode != DW_MODE_OFF) {
		open_doorbell(mapping);
	}
	origin = mapping->origin;
	mapping->origin = NULL;
	mutex_unlock(&mapping->opening);
	if (origin) {
		dw_mapping_put(origin);
	}
}

void dw_watch_close(struct dw_mapping *mapping)
{
	struct dw_doorbell *doorbell = mapping->doorbell;

	mapping->doorbell_page = 0;
	if (!doorbell || test_and_set_bit(DW_DOORBELL_UNMAPPED, &doorbell->state)) {
		return;
	}
	dw_doorbell_end(doorbell);
	dw_shadow_end(doorbell);
	if (!DW_PLANT_USE_AFTER_FREE) {
		dw_mapping_get(mapping);
	}
	queue_work(dw_workers, &doorbell->closing);
}

void dw_watch_free(struct dw_mapping *mapping)
{
	struct dw_doorbell *doorbell = mapping->doorbell;

	if (!doorbell) {
		return;
	}
	dw_doorbell_end(doorbell);
	set_bit(DW_DOORBELL_UNMAPPED, &doorbell->state);
	mutex_lock(&doorbell->lock);
	dw_watchpoint_clear(doorbell);
	mutex_unlock(&doorbell->lock);
	dw_shadow_free(doorbell);
	mutex_destroy(&doorbell->lock);
	kfree_rcu(doorbell, rcu);
}

void dw_watch_moved(struct dw_mapping *from, struct dw_mapping *to,
		    struct vm_area_struct *vma)
{
	if (dw_mode == DW_MODE_SHADOW && (vma->vm_flags & VM_PFNMAP)) {
		/* The page faults until its new doorbell is open. */
		to->doorbell_pfn = known_page(from);
		to->doorbell_pfn = real_page(to, vma);
		dw_zap(vma, to->doorbell_page, PAGE_SIZE);
	}
	dw_watch_close(from);
}

void dw_watch_copied(struct dw_mapping *from, struct dw_mapping *to)
{
	const struct dw_doorbell *doorbell = smp_load_acquire(&from->doorbell);
	struct vm_area_struct *vma = dw_mapping_vma(from, from->doorbell_page);

	to->doorbell_pfn = known_page(from);
	if (vma && doorbell && test_bit(DW_DOORBELL_SHADOW, &doorbell->state)) {
		dw_mapping_lock_vma(vma);
		dw_zap(vma, from->doorbell_page, PAGE_SIZE);
	}
}

void dw_watch_restore(struct dw_mapping *mapping, struct vm_area_struct *vma)
{
	struct dw_doorbell *doorbell = mapping->doorbell;
	unsigned long there;
	unsigned long pfn;

	if (doorbell && test_bit(DW_DOORBELL_SHADOW, &doorbell->state)) {
		dw_shadow_put_real(doorbell, vma);
	} else if (dw_mode == DW_MODE_SHADOW && !dw_doorbell_is_ready(doorbell)) {
		/*
		 * The page is kept unmapped until its doorbell is ready. If the driver has
		 * no fault handler, it cannot map the page again, so the page is mapped
		 * here.
		 */
		pfn = real_page(mapping, vma);
		if (pfn && !mapping->inner->fault && (vma->vm_flags & VM_PFNMAP) &&
		    dw_mapping_pfn(vma, mapping->doorbell_page, &there)) {
			vmf_insert_pfn_prot(vma, mapping->doorbell_page, pfn,
					    vma->vm_page_prot);
		}
	}
}

/* --- leaving a shadow --- */

/* Threads that start while this runs see DW_DOORBELL_REAL and set their own breakpoint. */
static void leave_deferred(void *of, u64 unused)
{
	struct dw_doorbell *doorbell = of;
	struct dw_mapping *mapping = doorbell->mapping;
	struct vm_area_struct *vma;

	if (current->mm == mapping->mm) {
		mutex_lock(&mapping->opening);
		dw_threads_arm(doorbell);
		mmap_write_lock(mapping->mm);
		vma = dw_mapping_vma(mapping, doorbell->page);
		if (vma && test_bit(DW_DOORBELL_SHADOW, &doorbell->state)) {
			dw_shadow_put_real(doorbell, vma);
		}
		mmap_write_unlock(mapping->mm);
		mutex_unlock(&mapping->opening);
	}
	dw_mapping_put(mapping);
}

bool dw_watch_leave_shadow_soon(struct dw_doorbell *doorbell)
{
	dw_mapping_get(doorbell->mapping);
	if (dw_defer_call(current, GFP_ATOMIC, leave_deferred, doorbell, 0)) {
		dw_mapping_put(doorbell->mapping);
		return false;
	}
	if (!test_and_set_bit(DW_DOORBELL_REAL, &doorbell->state)) {
		dw_count(left);
	}
	return true;
}

/* --- load and unload --- */

int dw_watch_init(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(mode_names); i++) {
		if (strcmp(mode, mode_names[i]) == 0) {
			dw_mode = i;
			return 0;
		}
	}
	pr_err("parameter mode: '%s' is not watch, shadow or off\n", mode);
	return -EINVAL;
}

/* All mappings have been released; workers free their doorbells. */
void dw_watch_exit(void)
{
	flush_workqueue(dw_workers);
}
