/* SPDX-License-Identifier: MIT */
/* Comparison functions for qsort() and bsearch(), and grouping of items by a number. */
#ifndef KTAIL_BASE_ORDER_H
#define KTAIL_BASE_ORDER_H

#include <stddef.h>
#include <stdint.h>

static inline int kt_compare_u32(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a;
	uint32_t y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

static inline int kt_compare_u64(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a;
	uint64_t y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static inline int kt_compare_double(const void *a, const void *b)
{
	double x = *(const double *)a;
	double y = *(const double *)b;

	return (x > y) - (x < y);
}

/*
 * Items grouped by key: the group of key k is member[first[k]] to member[first[k + 1] - 1].
 */
struct kt_groups {
	size_t *first;    /* Owned by this */
	uint32_t *member; /* Owned by this: indices of items */
};

/*
 * Groups items[0..n) by their member `key`, a uint32_t below n_keys. Within a group, items
 * are in the order of the array, or, if `order` is not NULL, in the order of their indices
 * in `order`, a permutation of the n indices. KT_E_MEMORY with "WHAT: out of memory", also
 * if n is 2^32 or more; *out then needs no kt_groups_clear(). O(n + n_keys).
 */
#define kt_group(out, items, key, n, n_keys, order, what)                                  \
	kt_group_((out), (items), sizeof(*(items)), offsetof(__typeof__(*(items)), key),   \
		  (n), (n_keys), (order), (what))

int kt_group_(struct kt_groups *out, const void *items, size_t size, size_t key, size_t n,
	      size_t n_keys, const uint32_t *order, const char *what);

/* Does nothing if *groups is zeroed. */
void kt_groups_clear(struct kt_groups *groups);

#endif
