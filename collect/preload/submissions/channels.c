/* SPDX-License-Identifier: MIT */
#include "collect/preload/submissions/channels.h"

#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>

#include "collect/preload/instructions/guard.h"
#include "collect/preload/mappings/mappings.h"
#include "collect/preload/mappings/roles.h"
#include "collect/preload/process/counters.h"
#include "collect/preload/process/memory.h"
#include "collect/preload/submissions/ring-stores.h"
#include "decode/gpfifo.h"

struct channel {
	struct kt_channel_alloc alloc;
	bool has_token;
	bool looked; /* gp_put holds a value that was read */
	bool lagging;
	bool moved;     /* GP_PUT has moved since the last walk */
	bool as_stored; /* gp_put comes from an observed store */
	bool found;     /* it is unknown which doorbell submitted the new entries */
	uint32_t token;
	uint32_t gp_put;
	bool get_known; /* gp_get was read with gp_put */
	uint32_t gp_get;
	uint32_t at; /* index of the ring entry to walk next */
	uint64_t extended_base;
	struct kt_ring_copy *copy; /* Owned by this; or NULL */
};

static struct {
	struct channel *items; /* Owned by this; freed channels are removed */
	size_t n;
	size_t capacity;
	uint32_t readable; /* channels whose GP_PUT could be read, freed ones included */
	uint32_t lagging;
} table;

static struct channel *find(uint32_t client, uint32_t object)
{
	for (size_t i = 0; i < table.n; i++) {
		if (table.items[i].alloc.object == object &&
		    table.items[i].alloc.client == client) {
			return &table.items[i];
		}
	}
	return NULL;
}

/*
 * Gets GP_PUT from the last observed store or, if none is known, from memory. The load is
 * guarded, because the program may have unmapped the memory without the recorder's
 * knowledge. The load includes GP_GET, the dword before GP_PUT, because a load of eight
 * bytes takes as long as one of four.
 */
_Static_assert(KT_USERD_GP_PUT == KT_USERD_GP_GET + 4 && KT_USERD_GP_GET % 8 == 0,
	       "one load gives GP_GET and GP_PUT");

static bool read_gp_put(struct channel *channel, uint32_t *out)
{
	const struct kt_channel_alloc *a = &channel->alloc;
	uint64_t offset = a->userd_offset + KT_USERD_GP_GET;
	struct kt_guard_values values = {0};
	const struct kt_mapping *m;
	uintptr_t base;
	bool on_bus;

	channel->get_known = false;
	channel->as_stored = kt_ring_take_put(channel->copy, out);
	if (channel->as_stored) {
		return true;
	}
	m = kt_mapping_of_object(a->client, a->userd_memory, offset);
	if (!m || m->length - (offset - m->memory.offset) < sizeof(uint64_t) ||
	    (!m->alias && (m->watch == KT_WATCH_ALL || m->protection == PROT_NONE))) {
		return false;
	}
	on_bus = strcmp(kt_mapping_space(m), "sys") != 0;
	base = m->alias ? (uintptr_t)m->alias : m->start;
	if (!kt_guard_do(KT_LOAD, sizeof(uint64_t),
			 (void *)(base + (offset - m->memory.offset)), &values)) {
		return false;
	}
	kt_count_many(&kt_counters->bus_reads, on_bus);
	channel->get_known = true;
	channel->gp_get = (uint32_t)values.value;
	*out = (uint32_t)(values.value >> 32);
	channel->as_stored = kt_ring_put_was_read(channel->copy, *out);
	return true;
}

enum seen { UNREADABLE, STILL, MOVED };

/*
 * Reads GP_PUT and compares it with the value read before. The first value is compared with
 * 0, the GP_PUT of a new ring.
 */
static enum seen read_put(struct channel *channel)
{
	uint32_t now;

	if (!read_gp_put(channel, &now)) {
		return UNREADABLE;
	}
	if (!channel->looked) {
		channel->looked = true;
		table.readable++;
		kt_count(&kt_counters->channels);
	}
	if (now == channel->gp_put) {
		return STILL;
	}
	channel->gp_put = now;
	channel->moved = true;
	return MOVED;
}

/*
 * Reads GP_PUT although no doorbell was written. The next doorbell reports the entries that
 * are found here, and marks them as entries whose doorbell is unknown.
 */
static void read_last_put(struct channel *channel)
{
	bool moved = read_put(channel) == MOVED;

	channel->found = channel->found || moved;
	if (moved && !channel->lagging) {
		channel->lagging = true;
		table.lagging++;
		kt_count(&kt_counters->lagging);
	}
}

void kt_channel_add(const struct kt_channel_alloc *alloc)
{
	struct channel *slot = find(alloc->client, alloc->object);

	if (!slot) {
		if (!kt_table_reserve((void **)&table.items, &table.capacity, table.n + 1,
				      sizeof(*table.items))) {
			return;
		}
		slot = &table.items[table.n++];
		slot->copy = NULL;
	}
	kt_ring_unfollow(slot->copy);
	memset(slot, 0, sizeof(*slot));
	slot->alloc = *alloc;
	kt_roles_add(alloc);
	slot->copy = kt_ring_follow(alloc);
}

void kt_channel_set_token(uint32_t client, uint32_t object, uint32_t token)
{
	struct channel *channel = find(client, object);

	if (channel) {
		channel->token = token;
		channel->has_token = true;
	}
}

static void add_moved(struct kt_ring *ring, const struct channel *channel)
{
	if (ring->moved++ == 0) {
		ring->channel = channel->alloc.object;
		ring->gp_put = channel->gp_put;
		ring->get_known = channel->get_known;
		ring->gp_get = channel->gp_get;
		ring->as_stored = true;
	}
	ring->as_stored = ring->as_stored && channel->as_stored;
}

struct kt_ring kt_channel_doorbell(int known, uint32_t token)
{
	struct kt_ring ring = {0};

	for (size_t i = 0; known && i < table.n; i++) {
		struct channel *c = &table.items[i];

		if (c->has_token && c->token == token) {
			enum seen seen = read_put(c);

			if (seen == MOVED) {
				add_moved(&ring, c);
			}
			c->found = c->found || seen == UNREADABLE;
		}
	}
	bool found = ring.moved != 0;

	for (size_t i = 0; !found && i < table.n; i++) {
		if (read_put(&table.items[i]) == MOVED) {
			add_moved(&ring, &table.items[i]);
		}
	}
	if (ring.as_stored) {
		kt_count(&kt_counters->doorbells_stored);
	}
	return ring;
}

void kt_channel_each_moved(void (*visit)(const struct kt_channel_work *work, void *context),
			   void *context)
{
	for (size_t i = 0; i < table.n; i++) {
		struct channel *c = &table.items[i];
		struct kt_channel_work work = {
			.alloc = &c->alloc,
			.from = c->at,
			.to = c->gp_put,
			.found = c->found,
			.extended_base = &c->extended_base,
			.copy = c->copy,
		};

		if (!c->moved) {
			continue;
		}
		c->moved = false;
		c->found = false;
		visit(&work, context);
		if (work.to < c->alloc.entries) {
			c->at = work.to;
		}
	}
}

void kt_channel_read_last(uint32_t client, uint32_t object)
{
	struct channel *channel = find(client, object);

	if (channel) {
		read_last_put(channel);
	}
}

void kt_channel_remove(uint32_t client, uint32_t object)
{
	struct channel *channel = find(client, object);

	if (channel) {
		kt_ring_unfollow(channel->copy);
		kt_roles_remove(client, object);
		*channel = table.items[--table.n];
	}
}

void kt_channel_after_fork(void)
{
	while (table.n) {
		kt_ring_unfollow(table.items[--table.n].copy);
	}
	table.readable = 0;
	table.lagging = 0;
	kt_roles_clear();
}

void kt_channel_forget_mapping(uintptr_t start, size_t length)
{
	for (size_t i = 0; i < table.n; i++) {
		struct channel *c = &table.items[i];
		uint64_t offset = c->alloc.userd_offset + KT_USERD_GP_PUT;
		const struct kt_mapping *m = kt_mapping_of_object(
			c->alloc.client, c->alloc.userd_memory, offset);

		if (m && m->start < start + length && m->start + m->length > start) {
			read_last_put(c);
		}
	}
}

void kt_channel_finish(uint32_t *readable, uint32_t *lagging)
{
	for (size_t i = 0; i < table.n; i++) {
		read_last_put(&table.items[i]);
	}
	*readable = table.readable;
	*lagging = table.lagging;
}
