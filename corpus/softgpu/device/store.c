/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "corpus/softgpu/device/store.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "corpus/softgpu/device/system.h"

#ifdef KT_SANITIZED

/*
 * Under a sanitizer, each piece is an allocation of its own, so that the sanitizer knows
 * the bounds of the piece and where it was allocated.
 */

void *kt_store_pages(size_t bytes)
{
	return calloc(1, bytes);
}

void kt_store_give_pages(void *pages, size_t bytes)
{
	(void)bytes;
	free(pages);
}

void *kt_store_take(struct kt_store *store, size_t bytes)
{
	(void)store;
	return calloc(1, bytes);
}

void *kt_store_resize(struct kt_store *store, void *old, size_t bytes)
{
	(void)store;
	return realloc(old, bytes);
}

void kt_store_give(struct kt_store *store, void *piece)
{
	(void)store;
	free(piece);
}

void kt_store_end(struct kt_store *store)
{
	(void)store;
}

#else

#define SMALLEST   64
#define SLAB_BYTES ((size_t)1 << 20)

void *kt_store_pages(size_t bytes)
{
	long at = KT_KERNEL(SYS_mmap, 0, (long)bytes, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return at < 0 && at > -4096 ? NULL : (void *)(uintptr_t)at;
}

void kt_store_give_pages(void *pages, size_t bytes)
{
	kt_system_unmap(pages, bytes);
}

struct kt_store_slab {
	struct kt_store_slab *next;
};

/* Header before each piece. */
struct kt_store_piece {
	size_t bytes; /* including this header */
	struct kt_store_piece *next;
};

_Static_assert(sizeof(struct kt_store_piece) == 16, "pieces are aligned");
_Static_assert(SLAB_BYTES / 2 >= (size_t)SMALLEST << (KT_STORE_CLASSES - 1), "they fit");

static void lock(struct kt_store *store)
{
	while (__atomic_exchange_n(&store->lock, 1, __ATOMIC_ACQUIRE)) {
		kt_system_yield();
	}
}

static void unlock(struct kt_store *store)
{
	__atomic_store_n(&store->lock, 0, __ATOMIC_RELEASE);
}

static unsigned class_of(size_t bytes)
{
	unsigned class = 0;

	while (class < KT_STORE_CLASSES && (size_t)SMALLEST << class < bytes) {
		class ++;
	}
	return class;
}

static struct kt_store_piece *take(struct kt_store *store, size_t bytes)
{
	size_t all = bytes + sizeof(struct kt_store_piece);
	unsigned class = class_of(all);
	struct kt_store_piece *piece = NULL;

	if (bytes > PTRDIFF_MAX / 2) {
		return NULL;
	}
	if (class == KT_STORE_CLASSES) {
		all = (all + 4095) / 4096 * 4096;
		piece = kt_store_pages(all);
		if (piece) {
			piece->bytes = all;
		}
		return piece;
	}
	all = (size_t)SMALLEST << class;
	lock(store);
	piece = store->free[class];
	if (piece) {
		store->free[class] = piece->next;
		goto end;
	}
	/*
	 * If the rest of the slab is too small for a piece of this size, starts a new slab;
	 * the rest remains unused.
	 */
	if (store->left < all) {
		struct kt_store_slab *slab = kt_store_pages(SLAB_BYTES);

		if (!slab) {
			goto end;
		}
		slab->next = store->slabs;
		store->slabs = slab;
		store->next = (unsigned char *)slab + SMALLEST;
		store->left = SLAB_BYTES - SMALLEST;
	}
	piece = (void *)store->next;
	piece->bytes = all;
	store->next += all;
	store->left -= all;
end:
	unlock(store);
	return piece;
}

void *kt_store_take(struct kt_store *store, size_t bytes)
{
	struct kt_store_piece *piece = take(store, bytes);

	return piece ? memset(piece + 1, 0, bytes) : NULL;
}

void kt_store_give(struct kt_store *store, void *given)
{
	struct kt_store_piece *piece = given;
	unsigned class = KT_STORE_CLASSES;

	if (!piece) {
		return;
	}
	piece--;
	class = class_of(piece->bytes);
	if (class == KT_STORE_CLASSES) {
		kt_store_give_pages(piece, piece->bytes);
		return;
	}
	lock(store);
	piece->next = store->free[class];
	store->free[class] = piece;
	unlock(store);
}

void *kt_store_resize(struct kt_store *store, void *old, size_t bytes)
{
	size_t had = old ? ((struct kt_store_piece *)old)[-1].bytes -
				     sizeof(struct kt_store_piece)
			 : 0;
	struct kt_store_piece *piece = NULL;

	if (old && had >= bytes) {
		return old;
	}
	piece = take(store, bytes);
	if (!piece) {
		return NULL;
	}
	if (old) {
		memcpy(piece + 1, old, had);
		kt_store_give(store, old);
	}
	return piece + 1;
}

void kt_store_end(struct kt_store *store)
{
	while (store->slabs) {
		struct kt_store_slab *slab = store->slabs;

		store->slabs = slab->next;
		kt_store_give_pages(slab, SLAB_BYTES);
	}
	memset(store->free, 0, sizeof(store->free));
	store->left = 0;
}

#endif
