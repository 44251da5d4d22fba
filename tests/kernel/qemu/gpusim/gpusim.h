/* SPDX-License-Identifier: GPL-2.0 */
/* Interfaces between the files of gpusim, and to gpusim_snapshot. */
#ifndef GPUSIM_H
#define GPUSIM_H

#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/version.h>

#include "gpusim-bare.h"

int gpusim_bare_init(void);
void gpusim_bare_exit(void);

/* gpusim-trap.c: debug exceptions without a cause. Both return 0 or a negative errno. */
int gpusim_trap_init(void);
long gpusim_trap(struct bare_trap __user *at);

/* Global, so that hooks find the driver's mmap by name. */
int gpusim_mmap(struct file *file, struct vm_area_struct *vma);

/*
 * For gpusim_snapshot: a channel's ring, and the physical address of the first doorbell
 * page.
 */
struct bare_ring *gpusim_ring(unsigned int channel);
u64 gpusim_doorbells(void);

/* Sets the function that adds gpusim_snapshot's counts to BARE_STATE; NULL: none. */
void gpusim_set_observer(void (*observe)(struct bare_state *state));

#endif
