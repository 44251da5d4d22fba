/* SPDX-License-Identifier: MIT */
/* Internals of kt_words, for the engine only. */
#ifndef KTAIL_ENGINE_WORD_SET_H
#define KTAIL_ENGINE_WORD_SET_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <ktail/words.h>

#include "base/hash-index.h"

struct kt_name {
	char *text;      /* Owned by this */
	uint32_t length; /* in bytes, without the NUL */
};

/* A zeroed table is empty. */
struct kt_intern {
	struct kt_name *names; /* Owned by this */
	size_t n_names;
	size_t names_capacity;
	struct kt_hash_index index; /* keyed by the low half of a name's XXH3-64 */
};

struct kt_word {
	char *name;       /* Owned by this */
	size_t recording; /* index in `recordings`, or KT_NO_RECORDING */
	uint64_t begin;   /* index of its first letter in the store */
	uint64_t n;       /* letters */
	uint64_t lost;
	bool cut_begin;
	bool cut_end;
};

#define KT_NO_RECORDING SIZE_MAX

struct kt_words {
	struct kt_intern letters;
	/*
	 * Owned by this, and each item too: the distinct lists of versions that words were
	 * recorded with
	 */
	struct kt_versions **recordings;
	size_t n_recordings;
	size_t recordings_capacity;
	struct kt_word *words; /* Owned by this; the store has their letters in the same
				* order */
	size_t n_words;
	size_t words_capacity;
	unsigned char *store;  /* Owned by this: letter numbers, `width` bytes each */
	size_t store_capacity; /* in bytes */
	uint64_t total;        /* letters in the store */
	unsigned width;        /* 1, 2 or 4: the smallest width that holds all letter
				* numbers in the store */
};

/* Returns the letter at an index of the store. */
static inline uint32_t kt_word_set_letter(const struct kt_words *words, uint64_t index)
{
	uint16_t half;
	uint32_t full;

	if (words->width == 1) {
		return words->store[index];
	}
	if (words->width == 2) {
		memcpy(&half, words->store + index * 2, sizeof(half));
		return half;
	}
	memcpy(&full, words->store + index * 4, sizeof(full));
	return full;
}

#endif
