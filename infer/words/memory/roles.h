/* SPDX-License-Identifier: MIT */
/*
 * Infers the roles of mapped memory from how a trace uses the memory. A separate pass over
 * the trace does this, because the use that reveals a role often comes late. The caller
 * passes, in order, all events of the trace for which there is a function below, then asks
 * for roles.
 *
 * - pushbuffer: a segment of commands to which a ring entry points.
 * - ring: ring entries and GP_PUT, in the mapping to which a thread stores last before a
 *   doorbell.
 * - semaphore: the 16 bytes that a submission releases or acquires, or up to 16 bytes in
 *   system memory that an inline copy writes: drivers mark the end of launches in this way.
 * - notifier: errors of a channel, in a mapping that a thread reads between its store to
 *   the ring and its doorbell.
 * - token: the second notification of a notifier's page, a channel's work-submit token.
 * - staging: system memory that is the source or target of a copy by the copy engine.
 *
 * GPU addresses are treated as CPU addresses, because the two are equal for memory that the
 * driver maps (docs/internals/annotate.md).
 */
#ifndef KTAIL_WORDS_ROLES_H
#define KTAIL_WORDS_ROLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/commands.h"

/* Size and alignment, in bytes, of a semaphore with its timestamp. */
#define KT_SEMAPHORE_BYTES 16

enum kt_access_role {
	KT_ACCESS_UNKNOWN = 0,
	KT_ACCESS_PUSHBUFFER,
	KT_ACCESS_RING,
	KT_ACCESS_SEMAPHORE,
	KT_ACCESS_NOTIFIER,
	KT_ACCESS_STAGING,
	KT_ACCESS_ROLES, /* the number of roles that are inferred */
	/* Roles that kt_roles_use() alone returns, except KT_ACCESS_TOKEN. */
	KT_ACCESS_GP_PUT = KT_ACCESS_ROLES,
	KT_ACCESS_GP_GET,
	KT_ACCESS_TOKEN, /* a channel's work-submit token, beside its error notifier */
	KT_ACCESS_TIMER,
	KT_ACCESS_USES,
};

/*
 * Returns the name of a role, such as "ring"; NULL for KT_ACCESS_UNKNOWN and roles that
 * kt_roles_use() alone returns. Static storage.
 */
const char *kt_access_role_name(enum kt_access_role role);

typedef struct kt_roles kt_roles;

struct kt_role_mapping {
	const char *space; /* Weak; in results, owned by the kt_roles */
	uint32_t class_number;
	uint64_t address; /* in the address space of the process */
	uint64_t length;  /* bytes */
};

/* The caller owns *out. KT_E_MEMORY. */
int kt_roles_new(kt_roles **out);

/* NULL is allowed. */
void kt_roles_free(kt_roles *roles);

/*
 * `instance` is the ordinal of a process instance, `mapping` the number of a mapping in it.
 * All functions that take events fail with KT_E_MEMORY alone; expected amortised O(1), or
 * O(threads) if they take a `tid`.
 */

/* A mapping in a process. A mapping with number 0 failed and is ignored. */
int kt_roles_map(kt_roles *roles, uint64_t instance, uint32_t mapping,
		 const struct kt_role_mapping *what);
/* `length` bytes of the mapping are unmapped; 0: all that is left of it. */
void kt_roles_unmap(kt_roles *roles, uint64_t instance, uint32_t mapping, uint64_t length);
int kt_roles_access(kt_roles *roles, uint64_t instance, uint32_t tid, bool write,
		    uint32_t mapping, uint64_t offset);
int kt_roles_ioctl(kt_roles *roles, uint64_t instance, uint32_t tid);
/*
 * Events of the process are missing. A store before the missing events belongs to no
 * doorbell after them.
 */
void kt_roles_gap(kt_roles *roles, uint64_t instance);
int kt_roles_doorbell(kt_roles *roles, uint64_t instance, uint32_t tid);
/* A ring entry with a segment of `words` dwords at a GPU address. */
int kt_roles_entry(kt_roles *roles, uint64_t instance, uint64_t address, uint32_t words);
int kt_roles_command(kt_roles *roles, uint64_t instance, const struct kt_command *command);

/* Prepares for the queries below. Call once, after the trace was read. */
void kt_roles_settle(kt_roles *roles);

/* Describes a mapping; returns false if the trace has no such mapping. O(1), expected. */
bool kt_roles_mapping(struct kt_role_mapping *out, const kt_roles *roles, uint64_t instance,
		      uint32_t mapping);

/*
 * Returns whether a GPU address is in a semaphore. If so, an inline copy of at most 16
 * bytes to this address marks the end of work. O(log ranges).
 */
bool kt_roles_release_inline(const kt_roles *roles, uint64_t instance, uint64_t address);

/* Returns the role of the memory at a byte offset in a mapping. O(log ranges). */
enum kt_access_role kt_roles_of(const kt_roles *roles, uint64_t instance, uint32_t mapping,
				uint64_t offset);

/*
 * Returns what an access is for: the role that the recorder knew (field `role` of the event
 * `access`, "" if missing), else the role of the register, else the role of the memory, as
 * kt_roles_of() returns it. O(log ranges).
 */
enum kt_access_role kt_roles_use(const kt_roles *roles, uint64_t instance, uint32_t mapping,
				 uint64_t offset, const char *recorded);

#endif
