/* SPDX-License-Identifier: MIT */
/*
 * Counts the faults of each instruction, to choose those that are worth a patch
 * (collect/preload/access/patch.h). A patch costs three membarriers, so an instruction is
 * chosen after HOT faults. Instructions that access memory in a loop (a memset, a poll) are
 * left out: a window (collect/preload/mappings/pages.h) makes the rest of their loop free,
 * whereas a patch costs each turn. The caller holds the lock.
 */
#ifndef KTAIL_COLLECT_HOT_SITES_H
#define KTAIL_COLLECT_HOT_SITES_H

#include <stdbool.h>
#include <stdint.h>

/* Notes a fault of the instruction at ip. Returns whether it is worth a patch. O(1). */
bool kt_hot_site_fault(uintptr_t ip);

/*
 * Notes that a fault of the instruction at ip opened a window. If the last faults were all
 * its own, it is left out from now on.
 */
void kt_hot_site_opened_window(uintptr_t ip);

#endif
