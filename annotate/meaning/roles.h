/* SPDX-License-Identifier: MIT */
/*
 * Roles of mapped memory, inferred from how a trace uses it. They are found in a pass of
 * their own, because the use that reveals a role often comes late.
 *
 * - pushbuffer: commands, within the segment of a ring entry.
 * - ring: ring entries and GP_PUT, in the mapping that a thread stores to last before its
 *   doorbell.
 * - semaphore: the 16 bytes in system memory that a submission releases or acquires, or
 *   writes by an inline copy of at most 16 bytes: drivers mark the end of launches by it.
 * - notifier: errors of a channel, in the mapping that is read between the store to the
 *   ring and the doorbell.
 * - staging: source or target in system memory of a copy by the copy engine.
 *
 * A GPU address is treated as a CPU address: the two are equal for memory that the driver
 * maps (docs/internals/annotate.md).
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

/* Returns "pushbuffer", ...; NULL for KT_ACCESS_UNKNOWN. Static. */
const char *kt_access_role_name(enum kt_access_role role);

typedef struct kt_roles kt_roles;

/* The caller owns *out. KT_E_MEMORY. */
int kt_roles_new(kt_roles **out);

/* NULL is allowed. */
void kt_roles_free(kt_roles *roles);

/* Learns the roles from a trace. Its context is the kt_roles, one for each trace. */
extern const struct kt_activity_visitor kt_roles_visitor;

/* Prepares for queries, after the trace. */
void kt_roles_settle(kt_roles *roles);

/*
 * Describes a mapping; false if it is not in the trace. Its space belongs to the roles.
 * O(1), expected.
 */
struct kt_role_mapping {
	const char *space;
	uint32_t class_number;
	uint64_t address;
	uint64_t length;
};
bool kt_roles_mapping(struct kt_role_mapping *out, const kt_roles *roles, uint64_t instance,
		      uint32_t mapping);

/*
 * Returns whether an inline copy of at most 16 bytes to a GPU address marks the end of
 * work. O(log ranges).
 */
bool kt_roles_release_inline(const kt_roles *roles, uint64_t instance, uint64_t address);

/* Returns the role of the memory at an offset in a mapping of a process. O(log ranges). */
enum kt_access_role kt_roles_of(const kt_roles *roles, uint64_t instance, uint32_t mapping,
				uint64_t offset);

#endif
