/* SPDX-License-Identifier: MIT */
/*
 * Determines the roles of parts of mapped memory from ioctls: rings, GP_PUTs and GP_GETs of
 * channels, and the timer. The caller holds the lock.
 */
#ifndef KTAIL_COLLECT_ROLES_H
#define KTAIL_COLLECT_ROLES_H

#include <stdbool.h>
#include <stdint.h>

#include "collect/preload/mappings/channel.h"
#include "collect/preload/mappings/mappings.h"

/* Addresses [lo, hi) that have one role. */
struct kt_role_range {
	uintptr_t lo;
	uintptr_t hi;
	const char *role; /* static: "ring", "GP_PUT", "GP_GET", "timer", "other" */
};

/* Not signal-safe. When out of memory, the channel's memory gets no roles. */
void kt_roles_add(const struct kt_channel_alloc *alloc);
void kt_roles_remove(uint32_t client, uint32_t object);
void kt_roles_clear(void);

/* Returns how often channels were added or removed, which can change all roles. */
uint64_t kt_roles_changes(void);

/*
 * Returns the role of an address in the mapping, and a range around the address with the
 * same role. O(channels), or O(1) for one of the ranges found last. Signal-safe.
 */
struct kt_role_range kt_role_at(const struct kt_mapping *mapping, uintptr_t address);

#endif
