/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Mode shadow: the process gets a read-only page of memory instead of the doorbell's device
 * page. Each store faults; the fault handler performs the store on the device and the
 * program continues after the instruction. Other registers of the page that programs read
 * (the timer) are copied to the shadow page from time to time.
 */
#ifndef DW_SHADOW_H
#define DW_SHADOW_H

#include "watch/state/doorbells.h"
#include "watch/store/store-decode.h"

int dw_shadow_init(void);
void dw_shadow_exit(void);

/* Returns whether pages of the VMA can be replaced by shadow pages. */
bool dw_shadow_is_possible(const struct dw_mapping *mapping,
			   const struct vm_area_struct *vma);

/*
 * Creates the doorbell's shadow and its notifier. Process context without locks; current is
 * a task of the doorbell's mm. Returns 0, or a negative errno (-EINTR: a signal is
 * pending).
 */
int dw_shadow_prepare(struct dw_doorbell *doorbell);

/*
 * Unmaps the device page; from now on faults go to dw_shadow_fault() (faults.h). `vma`
 * holds the doorbell page; mmap_lock is held for writing.
 */
void dw_shadow_begin(struct dw_doorbell *doorbell, struct vm_area_struct *vma);

/*
 * Maps the device page instead of the shadow page, unless the driver has unmapped the
 * device page. mmap_lock is held for writing.
 */
void dw_shadow_put_real(struct dw_doorbell *doorbell, struct vm_area_struct *vma);

/*
 * Called when the VMA is being unmapped and no thread can store to it any more. The device
 * is not accessed after this. Process context; may sleep.
 */
void dw_shadow_end(struct dw_doorbell *doorbell);

/* Frees the shadow of a doorbell that is being freed. May sleep. */
void dw_shadow_free(struct dw_doorbell *doorbell);

/* Returns whether a store writes the whole doorbell register. */
static inline bool dw_shadow_is_doorbell(const struct dw_doorbell *doorbell,
					 const struct dw_store *store)
{
	return store->to <= doorbell->at && store->to + store->size >= doorbell->at + 4;
}

/*
 * Performs a store on the device; stores and their events have the same order. The store
 * lies within the page and is aligned. `ip_after` is the address of the next instruction.
 * Returns false, without storing, if the driver has unmapped the page meanwhile.
 */
bool dw_shadow_store(struct dw_doorbell *doorbell, const struct dw_store *store,
		     unsigned long ip_after);

/* Copies to the shadow page the registers that programs read, if the device is awake. */
void dw_shadow_refresh(struct dw_doorbell *doorbell);

/*
 * Returns how many times the driver has unmapped the device page, after waiting for an
 * unmapping that is under way. May sleep.
 */
unsigned int dw_shadow_revokes(struct dw_doorbell *doorbell);

/*
 * Records that the driver has mapped the device page again. Returns false if the driver has
 * unmapped the page since dw_shadow_revokes() returned `revokes`: then the device must not
 * be accessed.
 */
bool dw_shadow_came_back(struct dw_doorbell *doorbell, unsigned int revokes);

/* Return the page frame of the shadow page, and whether `pfn` is that frame. */
unsigned long dw_shadow_page(const struct dw_doorbell *doorbell);
bool dw_shadow_has_page(const struct dw_doorbell *doorbell, unsigned long pfn);

#endif
