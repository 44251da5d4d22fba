/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "collect/preload/mappings/gpu-addresses.h"

#include <string.h>
#include <sys/mman.h>

#include "collect/preload/mappings/mappings.h"
#include "collect/preload/process/memory.h"

static struct {
	struct kt_gpu_item *items; /* Owned by this; in the order of addition */
	size_t n;
	size_t capacity;
	uint64_t changes;
} table;

/* --- ranges --- */

static void add(const struct kt_gpu_range *range, bool pinned)
{
	if (range->length == 0 || range->address + range->length < range->address ||
	    !kt_table_reserve((void **)&table.items, &table.capacity, table.n + 1,
			      sizeof(*table.items))) {
		return;
	}
	table.items[table.n++] = (struct kt_gpu_item){.gpu = *range, .pinned = pinned};
	table.changes++;
}

void kt_gpu_map(const struct kt_gpu_range *range)
{
	add(range, false);
}

void kt_gpu_pin(const struct kt_gpu_range *range)
{
	add(range, true);
}

static bool begins_in(const struct kt_gpu_item *range,
		      const struct kt_gpu_range *unmapped_range)
{
	return !range->pinned && range->gpu.address >= unmapped_range->address &&
	       range->gpu.address - unmapped_range->address < unmapped_range->length;
}

static bool is_of(const struct kt_gpu_item *range, const struct kt_gpu_range *object)
{
	return range->gpu.client == object->client && range->gpu.object == object->object;
}

/* Removes the items for which goes() returns true; the others keep their order. */
static void remove_all(bool (*goes)(const struct kt_gpu_item *,
				    const struct kt_gpu_range *),
		       const struct kt_gpu_range *what)
{
	size_t kept = 0;

	for (size_t i = 0; i < table.n; i++) {
		if (!goes(&table.items[i], what)) {
			table.items[kept++] = table.items[i];
		}
	}
	table.changes += kept != table.n;
	table.n = kept;
}

void kt_gpu_unmap(uint64_t address, uint64_t length)
{
	const struct kt_gpu_range what = {.address = address, .length = length};

	remove_all(begins_in, &what);
}

void kt_gpu_forget_object(uint32_t client, uint32_t object)
{
	const struct kt_gpu_range what = {.client = client, .object = object};

	remove_all(is_of, &what);
}

void kt_gpu_after_fork(void)
{
	table.n = 0;
	table.changes++;
}

uint64_t kt_gpu_changes(void)
{
	return table.changes;
}

/* --- lookup of an address --- */

const struct kt_gpu_item *kt_gpu_find(uint64_t address)
{
	for (size_t i = table.n; i-- > 0;) {
		const struct kt_gpu_range *gpu = &table.items[i].gpu;

		if (address >= gpu->address && address - gpu->address < gpu->length) {
			return &table.items[i];
		}
	}
	return NULL;
}

const struct kt_gpu_item *kt_gpu_find_pinned(const struct kt_gpu_range *object)
{
	for (size_t i = table.n; i-- > 0;) {
		if (table.items[i].pinned && is_of(&table.items[i], object)) {
			return &table.items[i];
		}
	}
	return NULL;
}

bool kt_gpu_object_at(uint64_t address, struct kt_gpu_range *out)
{
	const struct kt_mapping *m = kt_mapping_find(address);
	const struct kt_gpu_item *range;

	if (m && !m->pinned) {
		*out = (struct kt_gpu_range){
			.address = address,
			.length = m->length - (address - m->start),
			.client = m->memory.client,
			.object = m->memory.object,
			.offset = m->memory.offset + (address - m->start),
		};
		return true;
	}
	range = kt_gpu_find(address);
	if (!range || range->pinned) {
		return false;
	}
	*out = range->gpu;
	out->address = address;
	out->offset += address - range->gpu.address;
	out->length -= address - range->gpu.address;
	return true;
}
