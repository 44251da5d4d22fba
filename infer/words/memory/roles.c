/* SPDX-License-Identifier: MIT */
#include "infer/words/memory/roles.h"

#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/try.h"
#include "infer/words/memory/addresses.h"
#include "infer/words/memory/number-map.h"
#include "infer/words/memory/ranges.h"

/*
 * Sizes in bytes. In mappings larger than SMALL_MAPPING, except mappings of device memory,
 * note_role() gives roles to single pages.
 */
#define SMALL_MAPPING 65536
#define PAGE          4096

/*
 * Offsets of registers in the usermode region: NVC361_TIME_0 and _1 (clc361.h), and
 * NV_VIRTUAL_FUNCTION_ERR_CONT, the register for the containment of errors.
 */
#define USERMODE_TIMER     0x80
#define USERMODE_TIMER_END 0x88
#define USERMODE_ERRORS    0x94
/*
 * Size of an NvNotification in bytes, and the index of the one in which the resource
 * manager puts the work-submit token; the error notifier has index 0. The driver reads the
 * token right before its doorbell. Source: NV_CHANNELGPFIFO_NOTIFICATION_TYPE_* in nvos.h
 * of open-gpu-kernel-modules.
 */
#define NOTIFICATION 16
#define TOKEN_INDEX  1
/* RM_USER_SHARED_DATA, and the offset of shadowErrCont in NV00DE_SHARED_DATA. */
#define SHARED_DATA        0xde
#define SHARED_DATA_ERRORS 0x28

struct mapping {
	uint64_t instance;
	uint32_t number;
	uint32_t class_number;
	uint64_t address;
	uint64_t length;
	uint64_t left; /* bytes that are still mapped */
	char space[12];
};

/* The last store of a thread and the reads after it, kept for a doorbell that may follow.
 */
struct thread {
	uint64_t instance;
	bool stored;            /* the thread has stored since its last doorbell or ioctl */
	struct kt_range store;  /* the last store, if `stored` */
	struct kt_range *reads; /* Owned by this: the first reads after `store` */
	size_t n_reads;
	size_t capacity;
};

struct kt_roles {
	struct mapping
		*mappings; /* Owned by this; in the order in which they were mapped */
	size_t n_mappings;
	size_t mappings_capacity;
	struct kt_number_map numbers; /* process instance and number -> index in mappings */
	struct kt_addresses
		addresses;      /* address in a current mapping -> index in mappings */
	struct kt_ranges ends;  /* semaphores, by address instead of mapping */
	struct thread *threads; /* Owned by this */
	size_t n_threads;
	size_t threads_capacity;
	struct kt_number_map by_tid; /* process instance and thread -> index in threads */
	struct kt_ranges ranges[KT_ACCESS_ROLES];
};

static const char *const names[KT_ACCESS_USES] = {
	[KT_ACCESS_PUSHBUFFER] = "pushbuffer", [KT_ACCESS_RING] = "ring",
	[KT_ACCESS_SEMAPHORE] = "semaphore",   [KT_ACCESS_NOTIFIER] = "notifier",
	[KT_ACCESS_STAGING] = "staging",       [KT_ACCESS_TOKEN] = "token",
};

const char *kt_access_role_name(enum kt_access_role role)
{
	return names[role];
}

int kt_roles_new(kt_roles **out)
{
	*out = calloc(1, sizeof(**out));
	return *out ? KT_OK : kt_no_memory("find roles of memory");
}

void kt_roles_free(kt_roles *roles)
{
	if (!roles) {
		return;
	}
	for (size_t i = 0; i < roles->n_threads; i++) {
		free(roles->threads[i].reads);
	}
	for (size_t i = 0; i < KT_ACCESS_ROLES; i++) {
		kt_ranges_free(&roles->ranges[i]);
	}
	kt_ranges_free(&roles->ends);
	kt_number_map_free(&roles->numbers);
	kt_number_map_free(&roles->by_tid);
	kt_addresses_free(&roles->addresses);
	free(roles->threads);
	free(roles->mappings);
	free(roles);
}

/* --- mappings --- */

/*
 * The key is unique as long as there are fewer than 2^32 process instances, which are
 * numbered from 0.
 */
static uint64_t key_of(uint64_t instance, uint32_t number)
{
	return instance << 32 | number;
}

int kt_roles_map(kt_roles *roles, uint64_t instance, uint32_t number,
		 const struct kt_role_mapping *what)
{
	struct mapping *mapping;

	if (number == 0) {
		return KT_OK;
	}
	KT_TRY(kt_array_reserve(&roles->mappings, &roles->mappings_capacity,
				roles->n_mappings + 1));
	KT_TRY(kt_number_map_set(&roles->numbers, key_of(instance, number),
				 roles->n_mappings));
	KT_TRY(kt_addresses_add(&roles->addresses, instance, what->address, what->length,
				roles->n_mappings));
	mapping = &roles->mappings[roles->n_mappings++];
	*mapping = (struct mapping){.instance = instance,
				    .number = number,
				    .class_number = what->class_number,
				    .address = what->address,
				    .length = what->length,
				    .left = what->length};
	strncpy(mapping->space, what->space, sizeof(mapping->space) - 1);
	return KT_OK;
}

static struct mapping *find_number(const kt_roles *roles, uint64_t instance,
				   uint32_t number)
{
	size_t at = kt_number_map_get(&roles->numbers, key_of(instance, number));

	return at < roles->n_mappings ? &roles->mappings[at] : NULL;
}

void kt_roles_unmap(kt_roles *roles, uint64_t instance, uint32_t number, uint64_t length)
{
	struct mapping *mapping = find_number(roles, instance, number);

	if (!mapping || !mapping->left) {
		return;
	}
	mapping->left -= length && length < mapping->left ? length : mapping->left;
	if (!mapping->left) {
		kt_addresses_remove(&roles->addresses, mapping->instance, mapping->address,
				    mapping->length, (size_t)(mapping - roles->mappings));
	}
}

/*
 * Gives a role to `bytes` bytes at a GPU address, but not beyond the end of the mapping
 * that contains the address. If `of_system` is true, only mappings of system memory get the
 * role.
 */
static int note(kt_roles *roles, enum kt_access_role role, uint64_t instance,
		uint64_t address, uint64_t bytes, bool of_system)
{
	const size_t at = kt_addresses_find(&roles->addresses, instance, address);
	const struct mapping *mapping =
		at < roles->n_mappings ? &roles->mappings[at] : NULL;
	struct kt_range range;

	if (!mapping || (of_system && strcmp(mapping->space, "sys") != 0)) {
		return KT_OK;
	}
	range = (struct kt_range){.instance = instance,
				  .mapping = mapping->number,
				  .from = address - mapping->address};
	range.to =
		bytes < mapping->length - range.from ? range.from + bytes : mapping->length;
	KT_TRY(kt_ranges_add(&roles->ranges[role], &range));
	if (role == KT_ACCESS_SEMAPHORE) {
		const struct kt_range end = {
			.instance = instance,
			.from = address,
			.to = address + (range.to - range.from),
		};

		return kt_ranges_add(&roles->ends, &end);
	}
	return KT_OK;
}

/* --- submissions --- */

int kt_roles_entry(kt_roles *roles, uint64_t instance, uint64_t address, uint32_t words)
{
	return note(roles, KT_ACCESS_PUSHBUFFER, instance, address, (uint64_t)words * 4,
		    false);
}

int kt_roles_command(kt_roles *roles, uint64_t instance, const struct kt_command *command)
{
	if (command->releases || command->kind == KT_COMMAND_RELEASE ||
	    command->kind == KT_COMMAND_ACQUIRE) {
		KT_TRY(note(roles, KT_ACCESS_SEMAPHORE, instance,
			    command->address / KT_SEMAPHORE_BYTES * KT_SEMAPHORE_BYTES,
			    KT_SEMAPHORE_BYTES, false));
	}
	if (command->kind == KT_COMMAND_INLINE && command->bytes <= KT_SEMAPHORE_BYTES) {
		KT_TRY(note(roles, KT_ACCESS_SEMAPHORE, instance, command->to,
			    command->bytes, true));
	}
	if (command->kind == KT_COMMAND_COPY && command->from != 0) {
		KT_TRY(note(roles, KT_ACCESS_STAGING, instance, command->from,
			    command->bytes, true));
		KT_TRY(note(roles, KT_ACCESS_STAGING, instance, command->to, command->bytes,
			    true));
	}
	return KT_OK;
}

/* --- accesses before doorbells --- */

static int find_thread(struct thread **out, kt_roles *roles, uint64_t instance,
		       uint32_t tid)
{
	size_t i = kt_number_map_get(&roles->by_tid, key_of(instance, tid));

	if (i == KT_NOWHERE) {
		i = roles->n_threads;
		KT_TRY(kt_array_reserve(&roles->threads, &roles->threads_capacity, i + 1));
		KT_TRY(kt_number_map_set(&roles->by_tid, key_of(instance, tid), i));
		roles->threads[roles->n_threads++] = (struct thread){.instance = instance};
	}
	*out = &roles->threads[i];
	return KT_OK;
}

/* Maximum number of reads kept for a thread after a store; later reads are ignored. */
#define READS_KEPT 16

int kt_roles_access(kt_roles *roles, uint64_t instance, uint32_t tid, bool write,
		    uint32_t mapping, uint64_t offset)
{
	const struct kt_range range = {instance, mapping, offset, offset + 1};
	struct thread *thread;

	KT_TRY(find_thread(&thread, roles, instance, tid));
	if (write) {
		thread->stored = true;
		thread->store = range;
		thread->n_reads = 0;
	} else if (thread->stored && thread->n_reads < READS_KEPT) {
		KT_TRY(kt_array_reserve(&thread->reads, &thread->capacity,
					thread->n_reads + 1));
		thread->reads[thread->n_reads++] = range;
	}
	return KT_OK;
}

/*
 * Gives a role to the whole mapping that contains `range`, or only to the page in which
 * `range` begins if the mapping is large and not device memory. Registers get no role.
 */
static int note_role(kt_roles *roles, enum kt_access_role role, struct kt_range range)
{
	const struct mapping *mapping = find_number(roles, range.instance, range.mapping);

	if (!mapping || strcmp(mapping->space, "reg") == 0) {
		return KT_OK;
	}
	if (mapping->length <= SMALL_MAPPING || strcmp(mapping->space, "fb") == 0) {
		range.from = 0;
		range.to = mapping->length;
	} else {
		range.from = range.from / PAGE * PAGE;
		range.to = range.from + PAGE;
	}
	return kt_ranges_add(&roles->ranges[role], &range);
}

int kt_roles_doorbell(kt_roles *roles, uint64_t instance, uint32_t tid)
{
	struct thread *thread;

	KT_TRY(find_thread(&thread, roles, instance, tid));
	if (!thread->stored) {
		return KT_OK;
	}
	KT_TRY(note_role(roles, KT_ACCESS_RING, thread->store));
	for (size_t i = 0; i < thread->n_reads; i++) {
		KT_TRY(note_role(roles, KT_ACCESS_NOTIFIER, thread->reads[i]));
	}
	thread->stored = false;
	thread->n_reads = 0;
	return KT_OK;
}

/*
 * Forgets the thread's last store, because a store before an ioctl does not belong to a
 * doorbell after the ioctl.
 */
int kt_roles_ioctl(kt_roles *roles, uint64_t instance, uint32_t tid)
{
	struct thread *thread;

	KT_TRY(find_thread(&thread, roles, instance, tid));
	thread->stored = false;
	return KT_OK;
}

void kt_roles_gap(kt_roles *roles, uint64_t instance)
{
	for (size_t i = 0; i < roles->n_threads; i++) {
		if (roles->threads[i].instance == instance) {
			roles->threads[i].stored = false;
		}
	}
}

/* --- queries --- */

void kt_roles_settle(kt_roles *roles)
{
	for (size_t i = 0; i < KT_ACCESS_ROLES; i++) {
		kt_ranges_settle(&roles->ranges[i]);
	}
	kt_ranges_settle(&roles->ends);
}

bool kt_roles_release_inline(const kt_roles *roles, uint64_t instance, uint64_t address)
{
	return kt_ranges_hold(&roles->ends, instance, 0, address);
}

bool kt_roles_mapping(struct kt_role_mapping *out, const kt_roles *roles, uint64_t instance,
		      uint32_t mapping)
{
	const struct mapping *found = find_number(roles, instance, mapping);

	if (!found) {
		return false;
	}
	*out = (struct kt_role_mapping){found->space, found->class_number, found->address,
					found->length};
	return true;
}

enum kt_access_role kt_roles_of(const kt_roles *roles, uint64_t instance, uint32_t mapping,
				uint64_t offset)
{
	/* Roles with narrow ranges come first: a page of notifiers may contain a semaphore.
	 */
	static const enum kt_access_role order[] = {
		KT_ACCESS_SEMAPHORE, KT_ACCESS_PUSHBUFFER, KT_ACCESS_NOTIFIER,
		KT_ACCESS_RING,      KT_ACCESS_STAGING,
	};

	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
		if (kt_ranges_hold(&roles->ranges[order[i]], instance, mapping, offset)) {
			return order[i] == KT_ACCESS_NOTIFIER &&
					       offset % PAGE / NOTIFICATION == TOKEN_INDEX
				       ? KT_ACCESS_TOKEN
				       : order[i];
		}
	}
	return KT_ACCESS_UNKNOWN;
}

/* Returns the role of a register, or of memory whose role follows from its class alone. */
static enum kt_access_role role_of_class(const struct mapping *mapping, uint64_t offset)
{
	if (mapping->class_number == SHARED_DATA && offset == SHARED_DATA_ERRORS) {
		return KT_ACCESS_NOTIFIER;
	}
	if (strcmp(mapping->space, "reg") != 0) {
		return KT_ACCESS_UNKNOWN;
	}
	return offset == USERMODE_ERRORS ? KT_ACCESS_NOTIFIER
	       : offset >= USERMODE_TIMER && offset < USERMODE_TIMER_END
		       ? KT_ACCESS_TIMER
		       : KT_ACCESS_UNKNOWN;
}

enum kt_access_role kt_roles_use(const kt_roles *roles, uint64_t instance, uint32_t mapping,
				 uint64_t offset, const char *recorded)
{
	static const struct {
		const char *name;
		enum kt_access_role role;
	} known[] = {
		{"ring", KT_ACCESS_RING},
		{"GP_PUT", KT_ACCESS_GP_PUT},
		{"GP_GET", KT_ACCESS_GP_GET},
		{"timer", KT_ACCESS_TIMER},
	};
	const struct mapping *found = find_number(roles, instance, mapping);
	enum kt_access_role role = KT_ACCESS_UNKNOWN;

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (strcmp(known[i].name, recorded) == 0) {
			return known[i].role;
		}
	}
	role = found ? role_of_class(found, offset) : KT_ACCESS_UNKNOWN;
	return role != KT_ACCESS_UNKNOWN ? role
					 : kt_roles_of(roles, instance, mapping, offset);
}
