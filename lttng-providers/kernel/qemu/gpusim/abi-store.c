// SPDX-License-Identifier: GPL-2.0
/* The device's own memory: the kernel's heap. */
#include <linux/mm.h>
#include <linux/slab.h>

#include "corpus/softgpu/device/store.h"

#define MOST ((size_t)1 << 30) /* bytes of a piece */

/* Before what the caller has. */
struct kt_store_piece {
	size_t bytes; /* without this */
	size_t unused;
};

void *kt_store_pages(size_t bytes)
{
	return kvzalloc(bytes, GFP_KERNEL_ACCOUNT);
}

void kt_store_give_pages(void *pages, size_t bytes)
{
	kvfree(pages);
}

void *kt_store_take(struct kt_store *store, size_t bytes)
{
	struct kt_store_piece *piece;

	if (bytes > MOST) {
		return NULL;
	}
	piece = kvzalloc(sizeof(*piece) + bytes, GFP_KERNEL_ACCOUNT);
	if (!piece) {
		return NULL;
	}
	piece->bytes = bytes;
	return piece + 1;
}

void kt_store_give(struct kt_store *store, void *given)
{
	if (given) {
		kvfree((struct kt_store_piece *)given - 1);
	}
}

void *kt_store_resize(struct kt_store *store, void *old, size_t bytes)
{
	size_t had = old ? ((struct kt_store_piece *)old)[-1].bytes : 0;
	void *made;

	if (old && had >= bytes) {
		return old;
	}
	made = kt_store_take(store, bytes);
	if (made && old) {
		memcpy(made, old, had);
		kt_store_give(store, old);
	}
	return made;
}

/* Every piece was given back by itself. */
void kt_store_end(struct kt_store *store)
{
}
