/* SPDX-License-Identifier: MIT */
/*
 * A hash table of numbers of items: open addressing, linear probing, at most half full. The
 * caller stores, hashes and compares the items. The index stores the hashes with the
 * numbers, so that it can grow without the items.
 *
 * 	uint32_t number;
 * 	struct kt_hash_probe probe = kt_hash_probe(&index, hash);
 *
 * 	while (kt_hash_next(&index, &probe, &number)) {
 * 		if (items[number].key == key) {
 * 			return number;
 * 		}
 * 	}
 * 	KT_TRY(kt_hash_add(&index, hash, n_items));
 *
 * The index allocates memory, so it must not be used in signal handlers; collect/preload has
 * its own table for signal handlers. Lookup and insertion take O(1) expected, growth O(1)
 * amortised.
 */
#ifndef KTAIL_BASE_HASH_INDEX_H
#define KTAIL_BASE_HASH_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

struct kt_hash_slot {
	uint32_t hash;
	uint32_t next_number; /* number + 1; 0: the slot is free */
};

/* An index; a zeroed one is empty. Free it with kt_hash_free(). */
struct kt_hash_index {
	struct kt_hash_slot *slots; /* Owned by this */
	size_t n_slots;             /* a power of two, or 0 */
	size_t n;                   /* used slots */
};

/* Position of a search. */
struct kt_hash_probe {
	uint32_t hash;
	size_t slot;
};

/* Hashes a number: upper 32 bits of key * (2^64 / phi) mod 2^64 (Fibonacci hashing). */
static inline uint32_t kt_hash_number(uint64_t key)
{
	return (uint32_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 32);
}

/*
 * Hashes bytes: the two halves of 64-bit FNV-1a, XORed. xxhash is faster for long inputs.
 */
static inline uint32_t kt_hash_bytes(const void *bytes, size_t length)
{
	const unsigned char *at = bytes;
	uint64_t h = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < length; i++) {
		h = (h ^ at[i]) * UINT64_C(0x100000001b3);
	}
	return (uint32_t)(h ^ h >> 32);
}

static inline struct kt_hash_probe kt_hash_probe(const struct kt_hash_index *index,
						 uint32_t hash)
{
	return (struct kt_hash_probe){hash,
				      index->n_slots ? hash & (index->n_slots - 1) : 0};
}

/*
 * Sets *number to the next number that was added with the hash of the probe. Returns false
 * if there is no other such number.
 */
static inline bool kt_hash_next(const struct kt_hash_index *index,
				struct kt_hash_probe *probe, uint32_t *number)
{
	const struct kt_hash_slot *slot;

	if (!index->n_slots) {
		return false;
	}
	do {
		slot = &index->slots[probe->slot];
		if (!slot->next_number) {
			return false;
		}
		probe->slot = (probe->slot + 1) & (index->n_slots - 1);
	} while (slot->hash != probe->hash);
	*number = slot->next_number - 1;
	return true;
}

/* Inserts a number below UINT32_MAX; kt_hash_reserve() must have reserved a slot for it. */
static inline void kt_hash_put(struct kt_hash_index *index, uint32_t hash, uint32_t number)
{
	size_t i = hash & (index->n_slots - 1);

	while (index->slots[i].next_number) {
		i = (i + 1) & (index->n_slots - 1);
	}
	index->slots[i] = (struct kt_hash_slot){hash, number + 1};
	index->n++;
}

/* Reserves space for n numbers in total. On failure (KT_E_MEMORY) nothing changes. */
static inline int kt_hash_reserve(struct kt_hash_index *index, size_t n)
{
	struct kt_hash_index grown = {.n_slots = index->n_slots ? index->n_slots : 64};

	if (2 * n <= index->n_slots) {
		return KT_OK;
	}
	if (n >= UINT32_MAX) {
		return kt_error(KT_E_MEMORY, "grow hash table: too many entries");
	}
	while (grown.n_slots < 2 * n) {
		grown.n_slots *= 2;
	}
	grown.slots = calloc(grown.n_slots, sizeof(*grown.slots));
	if (!grown.slots) {
		return kt_no_memory("grow hash table");
	}
	for (size_t i = 0; i < index->n_slots; i++) {
		if (index->slots[i].next_number) {
			kt_hash_put(&grown, index->slots[i].hash,
				    index->slots[i].next_number - 1);
		}
	}
	free(index->slots);
	*index = grown;
	return KT_OK;
}

/*
 * Adds a number below UINT32_MAX without checking for duplicates. On failure (KT_E_MEMORY)
 * nothing changes.
 */
static inline int kt_hash_add(struct kt_hash_index *index, uint32_t hash, size_t number)
{
	int code = number < UINT32_MAX
			   ? kt_hash_reserve(index, index->n + 1)
			   : kt_error(KT_E_MEMORY, "grow hash table: too many entries");

	if (!code) {
		kt_hash_put(index, hash, (uint32_t)number);
	}
	return code;
}

/* Removes all numbers and keeps the memory. O(slots). */
static inline void kt_hash_clear(struct kt_hash_index *index)
{
	if (index->n) {
		memset(index->slots, 0, index->n_slots * sizeof(*index->slots));
		index->n = 0;
	}
}

static inline void kt_hash_free(struct kt_hash_index *index)
{
	free(index->slots);
	*index = (struct kt_hash_index){0};
}

#endif
