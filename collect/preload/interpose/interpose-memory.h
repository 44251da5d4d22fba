/* SPDX-License-Identifier: MIT */
/* Functions for the interposed calls that change mappings. The caller holds the lock. */
#ifndef KTAIL_COLLECT_INTERPOSE_MEMORY_H
#define KTAIL_COLLECT_INTERPOSE_MEMORY_H

#include <stddef.h>
#include <stdint.h>

#include "collect/preload/mappings/mappings.h"

/*
 * Call before [start, start + length) is unmapped. Reads the channels there a last time,
 * and removes watchpoints, because the addresses may be reused.
 */
void kt_before_unmap(uintptr_t start, size_t length);

/*
 * Call when the range was unmapped, before kt_mapping_cut(): emits one event for each
 * mapping in it, in the order of addresses.
 */
void kt_emit_unmaps(uintptr_t start, size_t length);

/* Watches the mappings in the range, for example again after a failed munmap(2). */
void kt_still_mapped(uintptr_t start, size_t length);

/*
 * Emits the event of a mapping that was created or, if `error` is not 0, could not be
 * created. `device` is the device's name; it is "" if mremap(2) created the mapping.
 */
void kt_emit_mapped(const struct kt_mapping *mapping, const char *device, int error);

/*
 * Call in a forked child: removes mappings that the fork has not copied, because of
 * MADV_DONTFORK or of the driver.
 */
void kt_forget_uncopied(void);

#endif
