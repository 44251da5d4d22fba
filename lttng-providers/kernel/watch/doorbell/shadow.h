/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Mode shadow: in place of the doorbell's page the process has a page of memory which it
 * can read, and not write to. Each store faults; it is made for the program, on the device,
 * and the program goes on after it. The page's other registers that programs read (the
 * timer) are copied into it now and then.
 */
#ifndef DW_SHADOW_H
#define DW_SHADOW_H

#include "watch/state/doorbells.h"
#include "watch/store/store-decode.h"

int dw_shadow_init(void);
void dw_shadow_exit(void);

/* Whether such a VMA's pages can be replaced. */
bool dw_shadow_is_possible(const struct dw_mapping *mapping,
			   const struct vm_area_struct *vma);

/*
 * Makes what a door needs. Process context without locks; current is a task of the door's
 * mm. 0, or a negative errno; -EINTR: a signal is in the way.
 */
int dw_shadow_prepare(struct dw_doorbell *doorbell);

/*
 * Takes the real page away; from now on faults are dw_shadow_fault()'s (faults.h).
 * The VMA is that of the door's page; mmap_lock is held for writing.
 */
void dw_shadow_begin(struct dw_doorbell *doorbell, struct vm_area_struct *vma);

/* Whatever is mapped there, the real page is put there, unless the driver has taken it
 * away. mmap_lock is held for writing. */
void dw_shadow_put_real(struct dw_doorbell *doorbell, struct vm_area_struct *vma);

/* The VMA goes, and nobody can store there any more: the device is not touched after this.
 * Process context; may sleep. */
void dw_shadow_end(struct dw_doorbell *doorbell);

/* With the door. May sleep. */
void dw_shadow_free(struct dw_doorbell *doorbell);

/* Whether a store is one to all of the doorbell's word. */
static inline bool dw_shadow_is_doorbell(const struct dw_doorbell *doorbell,
					 const struct dw_store *store)
{
	return store->to <= doorbell->at && store->to + store->size >= doorbell->at + 4;
}

/*
 * The device gets a store, in the order of the events; it lies in the page, and is aligned.
 * `behind`: the address of the next instruction. false: the device has been taken away
 * meanwhile.
 */
bool dw_shadow_store(struct dw_doorbell *doorbell, const struct dw_store *store,
		     unsigned long ip_after);

/* The page of memory gets the registers that are read, of a device that is awake. */
void dw_shadow_refresh(struct dw_doorbell *doorbell);

/* How often the driver has taken its pages away. One that it is about to take away is gone
 * when this returns; may sleep. */
unsigned int dw_shadow_revokes(struct dw_doorbell *doorbell);

/*
 * The driver has mapped its page after this many revokes. false: it has taken it away
 * again, and the device must not be touched.
 */
bool dw_shadow_came_back(struct dw_doorbell *doorbell, unsigned int revokes);

/* The number of the page of memory; whether it is that one. */
unsigned long dw_shadow_page(const struct dw_doorbell *doorbell);
bool dw_shadow_has_page(const struct dw_doorbell *doorbell, unsigned long pfn);

#endif
