/* SPDX-License-Identifier: MIT */
#include "annotate/meaning/roles.h"

#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "annotate/events/addresses.h"
#include "annotate/events/number-map.h"
#include "annotate/events/ranges.h"
#include "base/array.h"
#include "base/try.h"

/* Size and alignment, in bytes, of a semaphore with its timestamp. */
#define SEMAPHORE_BYTES 16
/*
 * In bytes. In larger mappings, except those of device memory, note_role() gives roles to
 * single pages.
 */
#define SMALL_MAPPING 65536
#define PAGE          4096

struct mapping {
	uint64_t instance;
	uint32_t number;
	uint32_t class_number;
	uint64_t address;
	uint64_t length;
	uint64_t left; /* bytes that are still mapped */
	char space[12];
};

/* The last store of a thread and the reads after it, kept for a doorbell that may follow. */
struct thread {
	uint64_t instance;
	uint32_t tid;
	bool stored;            /* the thread has stored since its last doorbell or ioctl */
	struct kt_range store;  /* the last store, if `stored` */
	struct kt_range *reads; /* Owned by this: the first reads after `store` */
	size_t n_reads;
	size_t capacity;
};

struct kt_roles {
	struct mapping *mappings; /* Owned by this; in the order in which they were mapped */
	size_t n_mappings;
	size_t mappings_capacity;
	struct kt_number_map numbers; /* process instance and number -> index in mappings */
	struct kt_addresses addresses; /* address in a current mapping -> index in mappings */
	struct kt_ranges ends;         /* semaphores, by address instead of mapping */
	struct thread *threads;        /* Owned by this */
	size_t n_threads;
	size_t threads_capacity;
	struct kt_ranges ranges[KT_ACCESS_ROLES];
};

static const char *const names[KT_ACCESS_ROLES] = {
	[KT_ACCESS_PUSHBUFFER] = "pushbuffer", [KT_ACCESS_RING] = "ring",
	[KT_ACCESS_SEMAPHORE] = "semaphore",   [KT_ACCESS_NOTIFIER] = "notifier",
	[KT_ACCESS_STAGING] = "staging",
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
	kt_addresses_free(&roles->addresses);
	free(roles->threads);
	free(roles->mappings);
	free(roles);
}

/* --- mappings --- */

/* The key is unique while process instances, numbered from 0, are fewer than 2^32. */
static uint64_t key_of(uint64_t instance, uint32_t number)
{
	return instance << 32 | number;
}

static int on_map(void *context, const struct kt_moment *moment,
		  const struct kt_map_fields *fields)
{
	kt_roles *roles = context;
	struct mapping *mapping;

	if (fields->mapping == 0) {
		return KT_OK;
	}
	KT_TRY(kt_array_reserve(&roles->mappings, &roles->mappings_capacity,
				roles->n_mappings + 1));
	KT_TRY(kt_number_map_set(&roles->numbers, key_of(moment->instance, fields->mapping),
				 roles->n_mappings));
	KT_TRY(kt_addresses_add(&roles->addresses, moment->instance, fields->address,
				fields->length, roles->n_mappings));
	mapping = &roles->mappings[roles->n_mappings++];
	*mapping = (struct mapping){.instance = moment->instance,
				    .number = fields->mapping,
				    .class_number = fields->class_number,
				    .address = fields->address,
				    .length = fields->length,
				    .left = fields->length};
	strncpy(mapping->space, fields->space, sizeof(mapping->space) - 1);
	return KT_OK;
}

static struct mapping *find_number(const kt_roles *roles, uint64_t instance,
				   uint32_t number)
{
	size_t at = kt_number_map_get(&roles->numbers, key_of(instance, number));

	return at < roles->n_mappings ? &roles->mappings[at] : NULL;
}

/* An event with length 0 unmaps the rest of the mapping. */
static int on_unmap(void *context, const struct kt_moment *moment,
		    const struct kt_unmap_fields *fields)
{
	kt_roles *roles = context;
	struct mapping *mapping = find_number(roles, moment->instance, fields->mapping);

	if (!mapping || !mapping->left) {
		return KT_OK;
	}
	mapping->left -= fields->length && fields->length < mapping->left ? fields->length
									  : mapping->left;
	if (!mapping->left) {
		kt_addresses_remove(&roles->addresses, mapping->instance, mapping->address,
				    mapping->length, (size_t)(mapping - roles->mappings));
	}
	return KT_OK;
}

/*
 * Gives a role to `bytes` bytes at a GPU address, but not beyond the end of the mapping that
 * contains the address. If `of_system` is true, only mappings of system memory get the role.
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

static int on_entry(void *context, const struct kt_moment *moment,
		    const struct kt_submission *submission,
		    const struct kt_submitted_entry *entry)
{
	(void)submission;
	return note(context, KT_ACCESS_PUSHBUFFER, moment->instance, entry->address,
		    (uint64_t)entry->words * 4, false);
}

static int on_method(void *context, const struct kt_moment *moment,
		     const struct kt_submission *submission,
		     const struct kt_submitted_entry *entry,
		     const struct kt_decoded *decoded)
{
	const struct kt_command *command = &decoded->command;

	(void)submission;
	(void)entry;
	if (command->releases || command->kind == KT_COMMAND_RELEASE ||
	    command->kind == KT_COMMAND_ACQUIRE) {
		KT_TRY(note(context, KT_ACCESS_SEMAPHORE, moment->instance,
			    command->address / SEMAPHORE_BYTES * SEMAPHORE_BYTES,
			    SEMAPHORE_BYTES, false));
	}
	if (command->kind == KT_COMMAND_INLINE && command->bytes <= SEMAPHORE_BYTES) {
		KT_TRY(note(context, KT_ACCESS_SEMAPHORE, moment->instance, command->to,
			    command->bytes, true));
	}
	if (command->kind == KT_COMMAND_COPY && command->from != 0) {
		KT_TRY(note(context, KT_ACCESS_STAGING, moment->instance, command->from,
			    command->bytes, true));
		KT_TRY(note(context, KT_ACCESS_STAGING, moment->instance, command->to,
			    command->bytes, true));
	}
	return KT_OK;
}

/* --- accesses before doorbells --- */

static int find_thread(struct thread **out, kt_roles *roles, const struct kt_moment *moment)
{
	for (size_t i = roles->n_threads; i > 0; i--) {
		*out = &roles->threads[i - 1];
		if ((*out)->instance == moment->instance && (*out)->tid == moment->tid) {
			return KT_OK;
		}
	}
	KT_TRY(kt_array_reserve(&roles->threads, &roles->threads_capacity,
				roles->n_threads + 1));
	*out = &roles->threads[roles->n_threads++];
	**out = (struct thread){.instance = moment->instance, .tid = moment->tid};
	return KT_OK;
}

/* Maximum number of reads kept for a thread after a store; later reads are ignored. */
#define READS_KEPT 16

static int on_access(void *context, const struct kt_moment *moment,
		     const struct kt_access_fields *fields)
{
	const struct kt_range range = {moment->instance, fields->mapping, fields->offset,
				       fields->offset + 1};
	kt_roles *roles = context;
	struct thread *thread;

	KT_TRY(find_thread(&thread, roles, moment));
	if (fields->write) {
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

static int on_doorbell(void *context, const struct kt_moment *moment,
		       const struct kt_doorbell_fields *fields)
{
	kt_roles *roles = context;
	struct thread *thread;

	(void)fields;
	KT_TRY(find_thread(&thread, roles, moment));
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
static int on_ioctl(void *context, const struct kt_moment *moment,
		    const struct kt_call *call)
{
	struct thread *thread;

	(void)call;
	KT_TRY(find_thread(&thread, context, moment));
	thread->stored = false;
	return KT_OK;
}

const struct kt_activity_visitor kt_roles_visitor = {
	.map = on_map,
	.unmap = on_unmap,
	.access = on_access,
	.ioctl = on_ioctl,
	.doorbell = on_doorbell,
	.entry = on_entry,
	.method = on_method,
};

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
	/* Roles with narrow ranges come first: a page of notifiers may contain a semaphore. */
	static const enum kt_access_role order[] = {
		KT_ACCESS_SEMAPHORE, KT_ACCESS_PUSHBUFFER, KT_ACCESS_NOTIFIER,
		KT_ACCESS_RING,      KT_ACCESS_STAGING,
	};

	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
		if (kt_ranges_hold(&roles->ranges[order[i]], instance, mapping, offset)) {
			return order[i];
		}
	}
	return KT_ACCESS_UNKNOWN;
}
