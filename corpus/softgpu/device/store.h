/* SPDX-License-Identifier: MIT */
/*
 * Allocator for the state of the device and the KMD. It avoids the program's heap: if a
 * program registers a part of its heap, a recorder protects the whole pages, with all other
 * data on them. If the device's thread accessed such a page, the kernel would kill the
 * process, because the thread blocks the signal that reports the fault.
 *
 * Functions may be called from any thread, but not from signal handlers. A forked child
 * creates its own store.
 */
#ifndef KTAIL_SOFTGPU_STORE_H
#define KTAIL_SOFTGPU_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Number of piece sizes: powers of two from 64 bytes to 128 KiB, headers included. A larger
 * piece has pages of its own.
 */
#define KT_STORE_CLASSES 12

struct kt_store_piece;
struct kt_store_slab;

/* All zeros is an empty store. */
struct kt_store {
	unsigned lock;                                 /* accessed by store.c's atomics */
	struct kt_store_slab *slabs;                   /* Owned by this */
	struct kt_store_piece *free[KT_STORE_CLASSES]; /* free lists, in the slabs */
	unsigned char *next; /* unused part of the newest slab, `left` bytes */
	size_t left;
};

/* Returns zeroed memory; NULL if no memory is available. O(bytes). */
void *kt_store_take(struct kt_store *store, size_t bytes);
/*
 * Like realloc; added bytes are not zeroed. If no memory is available, returns NULL, and
 * `old` stays valid.
 */
void *kt_store_resize(struct kt_store *store, void *old, size_t bytes);
/* Frees a piece; NULL is allowed. */
void kt_store_give(struct kt_store *store, void *piece);
/* Frees the slabs with all pieces in them; kt_store_give must free the larger pieces. */
void kt_store_end(struct kt_store *store);

/*
 * Reserves space for one more item of `size` bytes in the array *items, which holds n
 * items. Returns false if no memory is available.
 */
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
 * Returns the index of the first item whose range ends after `address`; n if there is no
 * such item. The n items of `size` bytes are sorted; each begins with the range, which is a
 * 64-bit address and a 64-bit number of bytes, and ranges do not overlap. O(log n).
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

/* Returns zeroed whole pages, for the struct that contains the store; NULL on failure. */
void *kt_store_pages(size_t bytes);
void kt_store_give_pages(void *pages, size_t bytes);

#endif
