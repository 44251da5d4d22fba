/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "corpus/softgpu/driver/driver.h"

#define GRANULE UINT64_C(256)
/* A piece of this size or more has a memory object of its own. */
#define OWN_BYTES UINT64_C(0x100000)

/* Pieces of a slab are contiguous and sorted by address, free and used ones alike. */
struct piece {
	struct piece *next; /* Owned by the slab */
	uint64_t address;
	uint64_t bytes;
	bool used;
};

struct slab {
	struct slab *next;
	struct kt_memory memory;
	struct piece *pieces;
	bool own; /* holds one large piece */
};

struct kt_heap {
	pthread_mutex_t lock;
	struct slab *slabs;
};

static _Atomic uint64_t used_bytes; /* total size of the used pieces of all heaps */

static void free_slab(struct slab *slab)
{
	struct piece *next;

	for (struct piece *p = slab->pieces; p; p = next) {
		next = p->next;
		if (p->used) {
			used_bytes -= p->bytes;
		}
		free(p);
	}
	kt_memory_destroy(&slab->memory);
	free(slab);
}

/* Creates a slab of one free piece. Returns NULL and sets *result on failure. */
static struct slab *new_slab(uint64_t bytes, bool own, int *result)
{
	struct slab *slab = calloc(1, sizeof(*slab));
	struct piece *piece = calloc(1, sizeof(*piece));

	*result = slab && piece ? kt_memory_create(&slab->memory, KT_MEMORY_DEVICE, bytes)
				: KT_CU_OUT_OF_MEMORY;
	if (*result != KT_CU_OK) {
		free(piece);
		free(slab);
		return NULL;
	}
	piece->address = slab->memory.address;
	piece->bytes = bytes;
	slab->pieces = piece;
	slab->own = own;
	return slab;
}

int kt_heap_create(struct kt_heap **out)
{
	struct kt_heap *heap = calloc(1, sizeof(*heap));

	*out = heap;
	if (!heap) {
		return KT_CU_OUT_OF_MEMORY;
	}
	pthread_mutex_init(&heap->lock, NULL);
	return KT_CU_OK;
}

void kt_heap_destroy(struct kt_heap *heap)
{
	struct slab *next;

	if (!heap) {
		return;
	}
	for (struct slab *s = heap->slabs; s; s = next) {
		next = s->next;
		free_slab(s);
	}
	pthread_mutex_destroy(&heap->lock);
	free(heap);
}

/* --- pieces --- */

static struct piece *first_fit(const struct kt_heap *heap, uint64_t bytes)
{
	for (struct slab *s = heap->slabs; s; s = s->next) {
		for (struct piece *p = s->own ? NULL : s->pieces; p; p = p->next) {
			if (!p->used && p->bytes >= bytes) {
				return p;
			}
		}
	}
	return NULL;
}

static void join_with_next(struct piece *piece)
{
	struct piece *next = piece->next;

	if (next && !piece->used && !next->used) {
		piece->bytes += next->bytes;
		piece->next = next->next;
		free(next);
	}
}

static bool holds(const struct slab *slab, uint64_t address)
{
	return address - slab->memory.address < slab->memory.bytes;
}

int kt_heap_allocate(struct kt_heap *heap, uint64_t bytes, uint64_t *address)
{
	uint64_t rounded = (bytes + GRANULE - 1) & ~(GRANULE - 1);
	bool own = rounded >= OWN_BYTES;
	struct slab **at = &heap->slabs;
	struct piece *piece;
	int result = KT_CU_OK;

	if (bytes == 0) {
		return KT_CU_INVALID_VALUE;
	}
	if (rounded < bytes) {
		return KT_CU_OUT_OF_MEMORY;
	}
	pthread_mutex_lock(&heap->lock);
	piece = own ? NULL : first_fit(heap, rounded);
	if (!piece) {
		struct slab *slab = new_slab(own ? rounded : KT_ABI_BIG_PAGE, own, &result);

		if (!slab) {
			goto end;
		}
		/* Appends the slab, so that first_fit() fills older slabs first. */
		while (*at) {
			at = &(*at)->next;
		}
		*at = slab;
		piece = slab->pieces;
	}
	if (!own && piece->bytes > rounded) {
		struct piece *rest = calloc(1, sizeof(*rest));

		if (!rest) {
			result = KT_CU_OUT_OF_MEMORY;
			goto end;
		}
		rest->address = piece->address + rounded;
		rest->bytes = piece->bytes - rounded;
		rest->next = piece->next;
		piece->next = rest;
		piece->bytes = rounded;
	}
	piece->used = true;
	used_bytes += piece->bytes;
	*address = piece->address;
end:
	pthread_mutex_unlock(&heap->lock);
	return result;
}

int kt_heap_free(struct kt_heap *heap, uint64_t address)
{
	struct slab **at = &heap->slabs;
	struct piece *before = NULL;
	struct piece *piece = NULL;
	bool found;

	pthread_mutex_lock(&heap->lock);
	while (*at && !holds(*at, address)) {
		at = &(*at)->next;
	}
	for (piece = *at ? (*at)->pieces : NULL; piece; piece = piece->next) {
		if (piece->address == address && piece->used) {
			break;
		}
		before = piece;
	}
	found = piece != NULL;
	if (found) {
		struct slab *slab = *at;

		piece->used = false;
		used_bytes -= piece->bytes;
		join_with_next(piece);
		if (before) {
			join_with_next(before);
		}
		if (slab->own) {
			*at = slab->next;
			free_slab(slab);
		}
	}
	pthread_mutex_unlock(&heap->lock);
	return found ? KT_CU_OK : KT_CU_INVALID_VALUE;
}

bool kt_heap_find(struct kt_heap *heap, uint64_t address, struct kt_memory *object,
		  uint64_t *piece_address, uint64_t *piece_bytes)
{
	const struct piece *piece = NULL;

	pthread_mutex_lock(&heap->lock);
	for (struct slab *s = heap->slabs; s && !piece; s = s->next) {
		if (holds(s, address)) {
			piece = s->pieces;
			while (piece &&
			       !(piece->used && address - piece->address < piece->bytes)) {
				piece = piece->next;
			}
			*object = s->memory;
		}
	}
	if (piece) {
		*piece_address = piece->address;
		*piece_bytes = piece->bytes;
	}
	pthread_mutex_unlock(&heap->lock);
	return piece != NULL;
}

uint64_t kt_heap_used(void)
{
	return used_bytes;
}
