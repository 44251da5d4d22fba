/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Mode shadow: in place of the doorbell's page the process has a page of memory; what it
 * stores there is forwarded to the device. The page's other registers that programs read
 * (the timer) are copied into it, at each fault and now and then.
 */
#ifndef DW_SHADOW_H
#define DW_SHADOW_H

#include <linux/mm.h>

struct dw_door;

int dw_shadow_init(void);
void dw_shadow_exit(void);

/*
 * Makes what a door needs. Process context without locks; current is a task of the door's
 * mm. 0, or a negative errno; -EINTR: a signal is in the way.
 */
int dw_shadow_prepare(struct dw_door *door);

/*
 * Takes the real page away; from now on dw_shadow_fault() puts ours there. The VMA is that
 * of the door's page; mmap_lock is held for writing. 0, or a negative errno: nothing has
 * changed.
 */
int dw_shadow_begin(struct dw_door *door, struct vm_area_struct *vma);

/* Whatever is mapped there, the real page is put there, unless the driver has taken it
 * away. mmap_lock is held for writing. */
void dw_shadow_put_real(struct dw_door *door, struct vm_area_struct *vma);

/* The VMA goes, and nobody can store there any more: what was is forwarded, and the device
 * is not touched after this. Process context; may sleep. */
void dw_shadow_end(struct dw_door *door);

/* With the door. May sleep. */
void dw_shadow_free(struct dw_door *door);

/*
 * An access to the page: the kernel's are refused. If the driver has taken its page away it
 * is asked for it first.
 */
vm_fault_t dw_shadow_fault(struct dw_door *door, struct vm_fault *fault);

/* The page can be read, and is about to be written to: 0, or what the fault handler is to
 * return. */
vm_fault_t dw_shadow_write(struct dw_door *door, struct vm_fault *fault);

/* The order in which values are forwarded is that of whoever has this. Any context. */
unsigned long dw_shadow_lock(struct dw_door *door);
void dw_shadow_unlock(struct dw_door *door, unsigned long flags);

/* Stores the value in the doorbell of the device, when that is awake. With the lock. */
void dw_shadow_forward(struct dw_door *door, u32 value);
/* What the page of memory holds in the doorbell's place. false: nothing; another's handler
 * has forwarded it. With the lock. */
bool dw_shadow_word(struct dw_door *door, u32 *value);
/* Closes the page, so that the next access faults, and wakes the device if a value waits.
 * Process context without locks; current is a task of the door's mm. */
void dw_shadow_close(struct dw_door *door);

#endif
