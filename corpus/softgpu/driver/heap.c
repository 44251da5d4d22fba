/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "corpus/softgpu/driver/driver.h"

#define GRANULE   UINT64_C(256)
#define OWN_BYTES UINT64_C(0x100000) /* from here on a piece has an object of its own */

/* Pieces of a slab lie side by side, in order, free and used ones. */
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
	bool own; /* one large piece */
};

struct kt_heap {
	pthread_mutex_t lock;
	struct slab *slabs;
};

static _Atomic uint64_t used_bytes; /* of used pieces in all heaps */

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

/* A slab that is one free piece; NULL with *result. */
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
	piece->bytes = slab->memory.bytes;
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

/* Takes the first `bytes` of a free piece. */
static int take_piece(struct piece *piece, uint64_t bytes, uint64_t *address)
{
	if (piece->bytes > bytes) {
		struct piece *rest = calloc(1, sizeof(*rest));

		if (!rest) {
			return KT_CU_OUT_OF_MEMORY;
		}
		rest->address = piece->address + bytes;
		rest->bytes = piece->bytes - bytes;
		rest->next = piece->next;
		piece->next = rest;
		piece->bytes = bytes;
	}
	piece->used = true;
	used_bytes += piece->bytes;
	*address = piece->address;
	return KT_CU_OK;
}

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

/* The oldest come first: what is new can get empty. */
static void append_slab(struct kt_heap *heap, struct slab *slab)
{
	struct slab **at = &heap->slabs;

	while (*at) {
		at = &(*at)->next;
	}
	*at = slab;
}

static int allocate(struct kt_heap *heap, uint64_t bytes, uint64_t *address)
{
	bool own = bytes >= OWN_BYTES;
	struct piece *piece = own ? NULL : first_fit(heap, bytes);
	int result = KT_CU_OK;

	if (!piece) {
		struct slab *slab = new_slab(own ? bytes : KT_ABI_BIG_PAGE, own, &result);

		if (!slab) {
			return result;
		}
		append_slab(heap, slab);
		piece = slab->pieces;
	}
	return take_piece(piece, own ? piece->bytes : bytes, address);
}

int kt_heap_allocate(struct kt_heap *heap, uint64_t bytes, uint64_t *address)
{
	uint64_t rounded = (bytes + GRANULE - 1) & ~(GRANULE - 1);
	int result;

	if (bytes == 0) {
		return KT_CU_INVALID_VALUE;
	}
	if (rounded < bytes) {
		return KT_CU_OUT_OF_MEMORY;
	}
	pthread_mutex_lock(&heap->lock);
	result = allocate(heap, rounded, address);
	pthread_mutex_unlock(&heap->lock);
	return result;
}

/* The slab's used piece that begins at the address is free then. */
static int free_piece(struct slab *slab, uint64_t address)
{
	struct piece *before = NULL;

	for (struct piece *p = slab->pieces; p; before = p, p = p->next) {
		if (p->address == address && p->used) {
			p->used = false;
			used_bytes -= p->bytes;
			join_with_next(p);
			if (before) {
				join_with_next(before);
			}
			return KT_CU_OK;
		}
	}
	return KT_CU_INVALID_VALUE;
}

static int free_in(struct kt_heap *heap, uint64_t address)
{
	for (struct slab **at = &heap->slabs; *at; at = &(*at)->next) {
		struct slab *slab = *at;

		if (holds(slab, address)) {
			int result = free_piece(slab, address);

			if (result == KT_CU_OK && slab->own) {
				*at = slab->next;
				free_slab(slab);
			}
			return result;
		}
	}
	return KT_CU_INVALID_VALUE;
}

int kt_heap_free(struct kt_heap *heap, uint64_t address)
{
	int result;

	pthread_mutex_lock(&heap->lock);
	result = free_in(heap, address);
	pthread_mutex_unlock(&heap->lock);
	return result;
}

static const struct piece *find_piece(const struct slab *slab, uint64_t address)
{
	for (const struct piece *p = slab->pieces; p; p = p->next) {
		if (p->used && address - p->address < p->bytes) {
			return p;
		}
	}
	return NULL;
}

bool kt_heap_find(struct kt_heap *heap, uint64_t address, struct kt_memory *object,
		  uint64_t *piece_address, uint64_t *piece_bytes)
{
	const struct piece *piece = NULL;

	pthread_mutex_lock(&heap->lock);
	for (struct slab *s = heap->slabs; s && !piece; s = s->next) {
		if (holds(s, address)) {
			piece = find_piece(s, address);
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
