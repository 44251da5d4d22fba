/* SPDX-License-Identifier: GPL-2.0 */
/* What the files of gpusim, and gpusim_snapshot, say to each other. */
#ifndef GPUSIM_H
#define GPUSIM_H

#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/version.h>

#include "gpusim-bare.h"

int gpusim_bare_init(void);
void gpusim_bare_exit(void);

/* What the kernel asks when a debug exception comes (gpusim-trap.c). */
int gpusim_trap_init(void);
long gpusim_trap(struct bare_trap __user *at);

/* Global, so that who looks for a driver's mmap finds it by name. */
int gpusim_mmap(struct file *file, struct vm_area_struct *vma);

/* For the second module: the rings, as the device sees them; where the doorbells are. */
struct bare_ring *gpusim_ring(unsigned int channel);
u64 gpusim_doorbells(void);

/* Counts of the second module; NULL: none. */
void gpusim_set_observer(void (*observe)(struct bare_state *state));

#endif
