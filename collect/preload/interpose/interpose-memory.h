/* SPDX-License-Identifier: MIT */
/* What the interposed calls that change mappings have in common. The lock is held. */
#ifndef KTAIL_COLLECT_INTERPOSE_MEMORY_H
#define KTAIL_COLLECT_INTERPOSE_MEMORY_H

#include <stddef.h>
#include <stdint.h>

#include "collect/preload/mappings/mappings.h"

/*
 * What was mapped at [start, start + length) is about to go: a last look at the channels
 * there, and no watchpoint on addresses of somebody else.
 */
void kt_before_unmap(uintptr_t start, size_t length);

/* It has gone: one event for each mapping touched, by address. */
void kt_emit_unmaps(uintptr_t start, size_t length);

/* The call failed: what kt_before_unmap() took away is put back. */
void kt_still_mapped(uintptr_t start, size_t length);

/* A mapping was made of that device ("" if it was made of another mapping), or failed. */
void kt_emit_mapped(const struct kt_mapping *mapping, const char *device, int error);

/* In a forked child: what was not copied (MADV_DONTFORK, some drivers) is no mapping. */
void kt_forget_uncopied(void);

#endif
