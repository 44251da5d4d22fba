/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Mode shadow: in place of the doorbell's page the process has a page of memory which it
 * can read, and not write to. Each store faults; it is made for the program, on the device,
 * and the program goes on behind it. The page's other registers that programs read (the
 * timer) are copied into it now and then.
 */
#ifndef DW_SHADOW_H
#define DW_SHADOW_H

#include <linux/mm.h>

struct dw_door;
struct dw_mapping;

int dw_shadow_init(void);
void dw_shadow_exit(void);

/* Whether such a VMA's pages can be replaced. */
bool dw_shadow_is_possible(const struct dw_mapping *mapping,
			   const struct vm_area_struct *vma);

/*
 * Makes what a door needs. Process context without locks; current is a task of the door's
 * mm. 0, or a negative errno; -EINTR: a signal is in the way.
 */
int dw_shadow_prepare(struct dw_door *door);

/*
 * Takes the real page away; from now on faults are dw_shadow_fault()'s. The VMA is that of
 * the door's page; mmap_lock is held for writing.
 */
void dw_shadow_begin(struct dw_door *door, struct vm_area_struct *vma);

/* Whatever is mapped there, the real page is put there, unless the driver has taken it
 * away. mmap_lock is held for writing. */
void dw_shadow_put_real(struct dw_door *door, struct vm_area_struct *vma);

/* The VMA goes, and nobody can store there any more: the device is not touched after this.
 * Process context; may sleep. */
void dw_shadow_end(struct dw_door *door);

/* With the door. May sleep. */
void dw_shadow_free(struct dw_door *door);

/*
 * An access to the page, or a store where it can be read, of a device that is awake; the
 * kernel's are refused. A store that cannot be made for the program gets the real page for
 * good.
 */
vm_fault_t dw_shadow_fault(struct dw_door *door, struct vm_fault *fault);

/* How often the driver has taken its pages away. One that it is about to take away is gone
 * when this returns; may sleep. */
unsigned int dw_shadow_revokes(struct dw_door *door);

/*
 * The driver has mapped its page after so many revokes. false: it has taken it away again,
 * and the device must not be touched.
 */
bool dw_shadow_came_back(struct dw_door *door, unsigned int revokes);

/* Whether it is that of memory. */
bool dw_shadow_has_page(const struct dw_door *door, unsigned long pfn);

#endif
