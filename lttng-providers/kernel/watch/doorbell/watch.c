// SPDX-License-Identifier: GPL-2.0
#include "watch/doorbell/watch.h"

#include <linux/moduleparam.h>
#include <linux/slab.h>

#include "watch/base/counters.h"
#include "watch/base/deferred.h"
#include "watch/base/plant.h"
#include "watch/doorbell/shadow.h"
#include "watch/doorbell/watchpoint.h"
#include "watch/state/door.h"

static char *mode = "watch";
module_param(mode, charp, 0444);
MODULE_PARM_DESC(
	mode, "watch (default: the real page stays mapped; the kernel's own stores go by "
	      "unseen), shadow (a page of memory stands for it, stores are forwarded, "
	      "the kernel's are refused) or off");

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

/* --- doors --- */

static void close_door(struct work_struct *work)
{
	struct dw_door *door = container_of(work, struct dw_door, closing);

	mutex_lock(&door->lock);
	dw_watchpoint_clear(door);
	mutex_unlock(&door->lock);
	if (!DW_PLANT_USE_AFTER_FREE) {
		dw_mapping_put(door->mapping);
	}
}

/* The number that is known of the real page, or 0. */
static unsigned long known_page(const struct dw_mapping *mapping)
{
	const struct dw_door *door = smp_load_acquire(&mapping->door);

	return door && door->pfn ? door->pfn : mapping->door_pfn;
}

/* The real page's number, 0: not known; what is mapped now may be our page of memory, or
 * none. */
static unsigned long real_page(struct dw_mapping *mapping, struct vm_area_struct *vma)
{
	unsigned long pfn = known_page(mapping);

	if (!pfn && dw_mapping_pfn(vma, mapping->door_page, &pfn)) {
		return 0;
	}
	return pfn;
}

/* NULL: its page is gone. */
static struct dw_door *create(struct dw_mapping *mapping)
{
	struct dw_door *door = kzalloc(sizeof(*door), GFP_KERNEL_ACCOUNT | __GFP_NOFAIL);
	struct vm_area_struct *vma;

	mutex_init(&door->lock);
	INIT_LIST_HEAD(&door->watchpoints);
	INIT_WORK(&door->closing, close_door);
	door->mapping = mapping;
	mmap_read_lock(mapping->mm);
	vma = mapping->door_page ? dw_mapping_vma(mapping, mapping->door_page) : NULL;
	if (!vma) {
		mmap_read_unlock(mapping->mm);
		kfree(door);
		return NULL;
	}
	door->page = mapping->door_page;
	door->at = door->page + dw_door_offset();
	door->pfn = real_page(mapping, vma);
	if (dw_mode != DW_MODE_SHADOW || !dw_shadow_is_possible(mapping, vma)) {
		set_bit(DW_DOOR_REAL, &door->state);
	}
	dw_door_open(door);
	smp_store_release(&mapping->door, door);
	mmap_read_unlock(mapping->mm);
	return door;
}

/* -EINTR: it must be tried again, when the thread has seen to its signal. Another error:
 * the door keeps its real page; -ESRCH: which has gone. */
static int try_shadow(struct dw_door *door)
{
	struct dw_mapping *mapping = door->mapping;
	struct vm_area_struct *vma;
	int error = dw_shadow_prepare(door);

	if (!error) {
		mmap_write_lock(mapping->mm);
		vma = dw_mapping_vma(mapping, door->page);
		if (vma) {
			dw_shadow_begin(door, vma);
		} else {
			error = -ESRCH;
		}
		mmap_write_unlock(mapping->mm);
	}
	if (!error) {
		return 0;
	}
	clear_bit(DW_DOOR_READY, &door->state);
	if (error == -EINTR) {
		/* The page faults, and its door is opened once more. */
		mmap_write_lock(mapping->mm);
		vma = dw_mapping_vma(mapping, door->page);
		if (vma) {
			dw_mapping_lock_vma(vma);
			dw_zap(vma, door->page, PAGE_SIZE);
		}
		mmap_write_unlock(mapping->mm);
		return error;
	}
	set_bit(DW_DOOR_REAL, &door->state);
	if (error != -ESRCH) {
		pr_warn_once("a doorbell's page could not be replaced: error %d, it is "
			     "watched by debug registers\n",
			     error);
	}
	return error;
}

/* It has had none, and its page is known. */
static bool can_get_shadow(const struct dw_door *door)
{
	return !test_bit(DW_DOOR_REAL, &door->state) && !door->shadow && door->pfn;
}

static void open_door(struct dw_mapping *mapping)
{
	struct dw_door *door = mapping->door;
	bool is_ready;

	if (!door) {
		door = create(mapping);
	}
	if (!door) {
		mapping->door_page = 0;
		return;
	}
	do {
		if (can_get_shadow(door) && try_shadow(door) == -EINTR) {
			return;
		}
		if (test_bit(DW_DOOR_REAL, &door->state) &&
		    !test_bit(DW_DOOR_READY, &door->state)) {
			dw_threads_arm(door);
			if (dw_mode == DW_MODE_SHADOW) {
				struct vm_area_struct *vma;

				/* It may have been taken away until now. */
				mmap_write_lock(mapping->mm);
				vma = dw_mapping_vma(mapping, door->page);
				if (vma) {
					dw_shadow_put_real(door, vma);
				}
				mmap_write_unlock(mapping->mm);
			}
		}
		/* Another thread's fault may have told its page meanwhile. */
		mutex_lock(&mapping->filling);
		is_ready = !can_get_shadow(door);
		if (is_ready) {
			set_bit(DW_DOOR_READY, &door->state);
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
	if (mapping->door_page && dw_mode != DW_MODE_OFF) {
		open_door(mapping);
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
	struct dw_door *door = mapping->door;

	mapping->door_page = 0;
	if (!door || test_and_set_bit(DW_DOOR_GONE, &door->state)) {
		return;
	}
	dw_door_end(door);
	dw_shadow_end(door);
	if (!DW_PLANT_USE_AFTER_FREE) {
		dw_mapping_get(mapping);
	}
	queue_work(dw_workers, &door->closing);
}

void dw_watch_free(struct dw_mapping *mapping)
{
	struct dw_door *door = mapping->door;

	if (!door) {
		return;
	}
	dw_door_end(door);
	set_bit(DW_DOOR_GONE, &door->state);
	mutex_lock(&door->lock);
	dw_watchpoint_clear(door);
	mutex_unlock(&door->lock);
	dw_shadow_free(door);
	mutex_destroy(&door->lock);
	kfree_rcu(door, rcu);
}

void dw_watch_moved(struct dw_mapping *from, struct dw_mapping *to,
		    struct vm_area_struct *vma)
{
	if (dw_mode == DW_MODE_SHADOW && (vma->vm_flags & VM_PFNMAP)) {
		/* It faults until its new door is open. */
		to->door_pfn = known_page(from);
		to->door_pfn = real_page(to, vma);
		dw_zap(vma, to->door_page, PAGE_SIZE);
	}
	dw_watch_close(from);
}

void dw_watch_copied(struct dw_mapping *from, struct dw_mapping *to)
{
	const struct dw_door *door = smp_load_acquire(&from->door);
	struct vm_area_struct *vma = dw_mapping_vma(from, from->door_page);

	to->door_pfn = known_page(from);
	if (vma && door && test_bit(DW_DOOR_SHADOW, &door->state)) {
		dw_mapping_lock_vma(vma);
		dw_zap(vma, from->door_page, PAGE_SIZE);
	}
}

void dw_watch_restore(struct dw_mapping *mapping, struct vm_area_struct *vma)
{
	struct dw_door *door = mapping->door;
	unsigned long there;
	unsigned long pfn;

	if (door && test_bit(DW_DOOR_SHADOW, &door->state)) {
		dw_shadow_put_real(door, vma);
	} else if (dw_mode == DW_MODE_SHADOW && !dw_door_is_ready(door)) {
		/* What was taken away until a door was open, which is not so, a driver may
		 * not bring back. */
		pfn = real_page(mapping, vma);
		if (pfn && !mapping->inner->fault && (vma->vm_flags & VM_PFNMAP) &&
		    dw_mapping_pfn(vma, mapping->door_page, &there)) {
			vmf_insert_pfn_prot(vma, mapping->door_page, pfn,
					    vma->vm_page_prot);
		}
	}
}

/* --- a shadow is left --- */

/* Threads that come meanwhile see that they are to have a breakpoint. */
static void leave_deferred(void *of, u64 unused)
{
	struct dw_door *door = of;
	struct dw_mapping *mapping = door->mapping;
	struct vm_area_struct *vma;

	if (current->mm == mapping->mm) {
		mutex_lock(&mapping->opening);
		dw_threads_arm(door);
		mmap_write_lock(mapping->mm);
		vma = dw_mapping_vma(mapping, door->page);
		if (vma && test_bit(DW_DOOR_SHADOW, &door->state)) {
			dw_shadow_put_real(door, vma);
		}
		mmap_write_unlock(mapping->mm);
		mutex_unlock(&mapping->opening);
	}
	dw_mapping_put(mapping);
}

bool dw_watch_leave_shadow_soon(struct dw_door *door)
{
	dw_mapping_get(door->mapping);
	if (dw_defer_call(current, GFP_ATOMIC, leave_deferred, door, 0)) {
		dw_mapping_put(door->mapping);
		return false;
	}
	if (!test_and_set_bit(DW_DOOR_REAL, &door->state)) {
		dw_count(left);
	}
	return true;
}

/* --- init and exit --- */

int dw_watch_init(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(mode_names); i++) {
		if (strcmp(mode, mode_names[i]) == 0) {
			dw_mode = i;
			return 0;
		}
	}
	pr_err("parameter mode: '%s' is neither watch nor shadow nor off\n", mode);
	return -EINVAL;
}

/* Mappings have gone; their doors went with them, by workers. */
void dw_watch_exit(void)
{
	flush_workqueue(dw_workers);
}
