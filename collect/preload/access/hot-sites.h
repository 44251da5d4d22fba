/* SPDX-License-Identifier: MIT */
/*
 * Counts the faults of each instruction, to choose those that are worth a patch
 * (collect/preload/access/patch.h): a patch costs three membarriers. The caller holds the
 * lock.
 */
#ifndef KTAIL_COLLECT_HOT_SITES_H
#define KTAIL_COLLECT_HOT_SITES_H

#include <stdbool.h>
#include <stdint.h>

/* Faults after which a patch is worth its cost, from 1 on. Set once, before any fault. */
extern unsigned kt_hot_site_faults;

/* Notes a fault of the instruction at ip. Returns whether it is worth a patch. O(1). */
bool kt_hot_site_fault(uintptr_t ip);

/*
 * Notes that the patch of the instruction cost more than it saved: it needs four times as
 * many faults as before, up to a limit, to be worth another one.
 */
void kt_hot_site_cool(uintptr_t ip);

#endif
