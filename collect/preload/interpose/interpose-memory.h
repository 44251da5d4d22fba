/* SPDX-License-Identifier: MIT */
/* Shared by the interposed calls that change mappings. The caller holds the lock. */
#ifndef KTAIL_COLLECT_INTERPOSE_MEMORY_H
#define KTAIL_COLLECT_INTERPOSE_MEMORY_H

#include <stddef.h>
#include <stdint.h>

#include "collect/preload/mappings/mappings.h"

/*
 * Call before [start, start + length) is unmapped. Reads the channels there once more, and
 * removes watchpoints, so that no watchpoint stays on an address that may be reused.
 */
void kt_before_unmap(uintptr_t start, size_t length);

/* The range is unmapped: emits one event for each mapping touched, by address. */
void kt_emit_unmaps(uintptr_t start, size_t length);

/* The call failed: undoes kt_before_unmap(). */
void kt_still_mapped(uintptr_t start, size_t length);

/*
 * Emits the event of a mapping that was created or, if `error` is not 0, could not be
 * created. `device` is the device's name; it is "" if mremap(2) created the mapping.
 */
void kt_emit_mapped(const struct kt_mapping *mapping, const char *device, int error);

/*
 * In a forked child: removes mappings that were not copied (MADV_DONTFORK, some drivers).
 */
void kt_forget_uncopied(void);

#endif
