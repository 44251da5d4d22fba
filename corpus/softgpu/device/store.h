/* SPDX-License-Identifier: MIT */
/*
 * Memory for what the device and the KMD keep for themselves. Not the program's heap: a
 * program may register a part of that, and then a recorder closes its pages, neighbours
 * on them included. The device's thread takes no signals, so a closed page would kill it.
 *
 * Any thread may call these, no signal handler. A forked child makes a store of its own.
 */
#ifndef KTAIL_SOFTGPU_STORE_H
#define KTAIL_SOFTGPU_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define KT_STORE_CLASSES                                                                   \
	12 /* pieces of 64 bytes to 128 KiB; what is larger has its own pages */

struct kt_store_piece;
struct kt_store_slab;

/* All zero: an empty one. */
struct kt_store {
	unsigned lock;                                 /* by store.c's atomics */
	struct kt_store_slab *slabs;                   /* Owned by this */
	struct kt_store_piece *free[KT_STORE_CLASSES]; /* lists, in the slabs */
	unsigned char *next;                           /* what no piece was made of yet */
	size_t left;
};

/* Zeroed; NULL: no memory. O(bytes). */
void *kt_store_take(struct kt_store *store, size_t bytes);
/* As realloc; what is new is not zeroed. NULL: no memory, and the old one stays. */
void *kt_store_resize(struct kt_store *store, void *old, size_t bytes);
/* NULL is fine. */
void kt_store_give(struct kt_store *store, void *piece);
/* All small pieces go. */
void kt_store_end(struct kt_store *store);

/* Room for one more of `size` bytes in *items, of which there are n. False: no memory. */
static inline bool kt_store_reserve(struct kt_store *store, void *items, size_t n,
				    size_t *capacity, size_t size)
{
	size_t more = *capacity ? *capacity * 2 : 64;
	void **array = items;
	void *grown;

	if (n < *capacity) {
		return true;
	}
	grown = kt_store_resize(store, *array, more * size);
	if (grown) {
		*array = grown;
		*capacity = more;
	}
	return grown;
}

/*
 * In an array of n items of `size` bytes that begin with an address and a number of bytes,
 * sorted and apart: the first that ends after the address. O(log n).
 */
static inline size_t kt_store_find(const void *items, size_t n, size_t size,
				   uint64_t address)
{
	size_t lo = 0;
	size_t hi = n;

	while (lo < hi) {
		size_t middle = lo + (hi - lo) / 2;
		const uint64_t *item =
			(const void *)((const unsigned char *)items + middle * size);

		if (item[0] + item[1] <= address) {
			lo = middle + 1;
		} else {
			hi = middle;
		}
	}
	return lo;
}

/* Whole pages, for what a store itself lies in. */
void *kt_store_pages(size_t bytes);
void kt_store_give_pages(void *pages, size_t bytes);

#endif
