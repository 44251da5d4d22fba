/* SPDX-License-Identifier: MIT */
/*
 * Growing arrays, amortised O(1) per element and checked for overflow, and functions for
 * sorted arrays.
 */
#ifndef KTAIL_BASE_ARRAY_H
#define KTAIL_BASE_ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

/*
 * Reserves space for `need` elements in total, of `size` bytes each, in *items, whose
 * capacity is *capacity elements. New elements are uninitialised. On failure (KT_E_MEMORY)
 * nothing changes.
 */
static inline int kt_array_reserve_(void **items, size_t *capacity, size_t need,
				    size_t size)
{
	size_t target = *capacity < 8 ? 8 : *capacity;
	void *grown;

	if (need <= *capacity) {
		return KT_OK;
	}
	while (target < need) {
		if (target > SIZE_MAX / 3) {
			return kt_error(KT_E_MEMORY, "grow array: too many elements");
		}
		target += target / 2;
	}
	if (target > SIZE_MAX / size) {
		return kt_error(KT_E_MEMORY, "grow array: too many elements");
	}
	grown = realloc(*items, target * size);
	if (!grown) {
		return kt_error(KT_E_MEMORY, "grow array to %zu bytes: out of memory",
				target * size);
	}
	*items = grown;
	*capacity = target;
	return KT_OK;
}

#define kt_array_reserve(items, capacity, need)                                            \
	kt_array_reserve_((void **)(items), (capacity), (need), sizeof(**(items)))

/*
 * Searches items[0..n), which must be sorted by `compare`, for an item equal to key;
 * `compare` receives the key and an item. Returns whether an equal item was found, and
 * sets *at to the index of the first item that is not below key, or to n. O(log n).
 */
static inline bool kt_array_find_(size_t *at, const void *key, const void *items, size_t n,
				  size_t size, int (*compare)(const void *, const void *))
{
	const char *first = items;
	size_t high = n;

	*at = 0;
	while (*at < high) {
		size_t middle = *at + (high - *at) / 2;

		if (compare(key, first + middle * size) > 0) {
			*at = middle + 1;
		} else {
			high = middle;
		}
	}
	return *at < n && compare(key, first + *at * size) == 0;
}

#define kt_array_find(at, key, items, n, compare)                                          \
	kt_array_find_((at), (key), (items), (n), sizeof(*(items)), (compare))

/*
 * Inserts a zeroed element at items[at], and increments *n. O(n). KT_E_MEMORY; the elements
 * are then unchanged.
 */
static inline int kt_array_insert_(void **items, size_t *capacity, size_t *n, size_t at,
				   size_t size)
{
	int code = kt_array_reserve_(items, capacity, *n + 1, size);
	char *slot;

	if (!code) {
		slot = (char *)*items + at * size;
		memmove(slot + size, slot, (*n - at) * size);
		memset(slot, 0, size);
		++*n;
	}
	return code;
}

#define kt_array_insert(items, capacity, n, at)                                            \
	kt_array_insert_((void **)(items), (capacity), (n), (at), sizeof(**(items)))

#endif
