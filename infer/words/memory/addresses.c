/* SPDX-License-Identifier: MIT */
#include "infer/words/memory/addresses.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/try.h"

/*
 * Smallest and largest block size, as exponents of two. The smallest is a page, because no
 * mapping is smaller.
 */
#define SMALLEST 12
#define LARGEST  63

/*
 * Returns the exponent of the smallest block size that is at least `length`, or LARGEST if
 * no block is that large.
 */
static unsigned size_of(uint64_t length)
{
	unsigned size = SMALLEST;

	while (size < LARGEST && length > UINT64_C(1) << size) {
		size++;
	}
	return size;
}

/*
 * Different blocks may have equal keys and then share a list, so a lookup compares the
 * ranges as well.
 */
static uint64_t key_of(uint64_t instance, unsigned size, uint64_t block)
{
	uint64_t key = (block ^ (uint64_t)size << 56) * UINT64_C(0x9e3779b97f4a7c15);

	return (key ^ key >> 29) + instance * UINT64_C(0xbf58476d1ce4e5b9);
}

static uint64_t last_of(uint64_t from, uint64_t length)
{
	return length - 1 > UINT64_MAX - from ? UINT64_MAX : from + length - 1;
}

static void give_slot(struct kt_addresses *a, size_t at)
{
	a->ranges[at].older = a->unused;
	a->unused = at + 1;
}

int kt_addresses_add(struct kt_addresses *a, uint64_t instance, uint64_t from,
		     uint64_t length, size_t value)
{
	struct kt_address_range range = {
		.instance = instance, .from = from, .value = value, .order = a->added};
	const unsigned size = size_of(length);

	if (length == 0) {
		return KT_OK;
	}
	range.last = last_of(from, length);
	a->sizes |= UINT64_C(1) << size;
	a->added++;
	for (uint64_t block = from >> size; block <= range.last >> size; block++) {
		const uint64_t key = key_of(instance, size, block);
		const size_t newest = kt_number_map_get(&a->blocks, key);
		size_t at = a->n;
		int code;

		if (a->unused) {
			at = a->unused - 1;
			a->unused = a->ranges[at].older;
		} else {
			KT_TRY(kt_array_reserve(&a->ranges, &a->capacity, a->n + 1));
			a->n++;
		}
		code = kt_number_map_set(&a->blocks, key, at);
		if (code) {
			give_slot(a, at);
			return code;
		}
		a->ranges[at] = range;
		a->ranges[at].older = newest == KT_NOWHERE ? 0 : newest + 1;
	}
	return KT_OK;
}

static bool is_same(const struct kt_address_range *x, const struct kt_address_range *y)
{
	return x->instance == y->instance && x->from == y->from && x->last == y->last &&
	       x->value == y->value;
}

void kt_addresses_remove(struct kt_addresses *a, uint64_t instance, uint64_t from,
			 uint64_t length, size_t value)
{
	struct kt_address_range range = {
		.instance = instance, .from = from, .value = value};
	const unsigned size = size_of(length);

	if (length == 0) {
		return;
	}
	range.last = last_of(from, length);
	for (uint64_t block = from >> size; block <= range.last >> size; block++) {
		size_t at = kt_number_map_get(&a->blocks, key_of(instance, size, block));
		struct kt_address_range *newest;
		size_t *link;

		if (at == KT_NOWHERE) {
			continue;
		}
		newest = &a->ranges[at];
		for (link = &newest->older; *link;) {
			at = *link - 1;
			if (is_same(&a->ranges[at], &range)) {
				*link = a->ranges[at].older;
				give_slot(a, at);
			} else {
				link = &a->ranges[at].older;
			}
		}
		/*
		 * a->blocks keeps the index of the newest range. So the next older range
		 * moves to that index or, if there is none, the newest range becomes empty.
		 */
		if (is_same(newest, &range) && newest->older) {
			at = newest->older - 1;
			*newest = a->ranges[at];
			give_slot(a, at);
		} else if (is_same(newest, &range)) {
			newest->from = 1;
			newest->last = 0;
		}
	}
}

size_t kt_addresses_find(const struct kt_addresses *a, uint64_t instance, uint64_t address)
{
	const struct kt_address_range *newest = NULL;

	for (unsigned size = SMALLEST; size <= LARGEST && a->sizes >> size; size++) {
		size_t at = KT_NOWHERE;

		if (a->sizes >> size & 1) {
			at = kt_number_map_get(&a->blocks,
					       key_of(instance, size, address >> size));
		}
		/* A list is ordered newest first, so the first match is the newest. */
		for (at = at == KT_NOWHERE ? 0 : at + 1; at; at = a->ranges[at - 1].older) {
			const struct kt_address_range *range = &a->ranges[at - 1];

			if (range->instance == instance && address >= range->from &&
			    address <= range->last) {
				newest = newest && newest->order > range->order ? newest
										: range;
				break;
			}
		}
	}
	return newest ? newest->value : KT_NOWHERE;
}

void kt_addresses_free(struct kt_addresses *addresses)
{
	free(addresses->ranges);
	kt_number_map_free(&addresses->blocks);
	memset(addresses, 0, sizeof(*addresses));
}
