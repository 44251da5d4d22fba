/* SPDX-License-Identifier: MIT */
/*
 * What places in mapped memory are for, from what a trace does with them. Found in a pass
 * of its own, as a place often shows only later what it is for.
 *
 * - pushbuffer: commands, within what a ring entry points to.
 * - ring: ring entries and GP_PUT; the mapping in device memory that is stored to last
 *   before a doorbell, by its thread.
 * - semaphore: the 16 bytes in system memory that a submission releases (or an acquire
 * waits for), or what it writes there by an inline copy of at most 16 bytes: so drivers
 * mark the end of launches.
 * - notifier: errors of a channel; the mapping that is read between the store to the ring
 *   and the doorbell.
 * - staging: what a copy of the copy engine reads, or writes, in system memory.
 *
 * GPU addresses are taken for the CPU's: so they are for what the driver maps
 * (docs/internals/annotate.md).
 */
#ifndef KTAIL_ANNOTATE_ROLES_H
#define KTAIL_ANNOTATE_ROLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "annotate/events/activity.h"

enum kt_access_role {
	KT_ACCESS_UNKNOWN = 0,
	KT_ACCESS_PUSHBUFFER,
	KT_ACCESS_RING,
	KT_ACCESS_SEMAPHORE,
	KT_ACCESS_NOTIFIER,
	KT_ACCESS_STAGING,
	KT_ACCESS_ROLES,
};

/* "pushbuffer", ...; NULL for KT_ACCESS_UNKNOWN. Static. */
const char *kt_access_role_name(enum kt_access_role role);

typedef struct kt_roles kt_roles;

/* The caller owns *out. KT_E_MEMORY. */
int kt_roles_new(kt_roles **out);

/* NULL is allowed. */
void kt_roles_free(kt_roles *roles);

/* Told of a trace, it learns; its context is the kt_roles. One for each trace. */
extern const struct kt_activity_visitor kt_roles_visitor;

/* After the trace, before anything is asked. */
void kt_roles_settle(kt_roles *roles);

/* A mapping; false: the trace does not tell of it. Its space is the roles'. O(1). */
struct kt_role_mapping {
	const char *space;
	uint32_t class_number;
	uint64_t address;
	uint64_t length;
};
bool kt_roles_mapping(struct kt_role_mapping *out, const kt_roles *roles, uint64_t instance,
		      uint32_t mapping);

/* Whether an inline copy of at most 16 bytes to that GPU address marks an end.
 * O(log places). */
bool kt_roles_release_inline(const kt_roles *roles, uint64_t instance, uint64_t address);

/* What a place is for: an offset into a mapping of a process. O(log places). */
enum kt_access_role kt_roles_of(const kt_roles *roles, uint64_t instance, uint32_t mapping,
				uint64_t offset);

#endif
