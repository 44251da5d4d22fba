/* SPDX-License-Identifier: MIT */
/*
 * A text of many kinds of letters in fewer bytes, for sorting: the frequent symbols take
 * one byte, the others two. No code is the beginning of another, so texts that agree on
 * their first symbols agree on the bytes of these, and the order of the bytes is an order
 * of the symbols: not that of their numbers, but a suffix order as good as any.
 */
#ifndef KTAIL_ENGINE_COMPACT_H
#define KTAIL_ENGINE_COMPACT_H

#include "infer/engine/text.h"

struct kt_compact {
	unsigned char *bytes; /* Owned by this */
	size_t n;             /* bytes */
	uint64_t *begins;     /* Owned by this: a bit a byte, set where a symbol begins */
	uint32_t *before;     /* Owned by this: symbols that begin before each 64 bytes */
};

/* Whether there are few enough kinds of symbols for this, but too many for one byte each.
 */
bool kt_compact_is_possible(const struct kt_text *text);

/* Encodes the text. O(text); 1.2 to 2.4 bytes a symbol. */
int kt_compact_encode(struct kt_compact *compact, const struct kt_text *text);

void kt_compact_clear(struct kt_compact *compact);

static inline bool kt_compact_begins(const struct kt_compact *compact, size_t byte)
{
	return compact->begins[byte / 64] >> (byte % 64) & 1;
}

/* The position in the text of the symbol that begins at a byte. */
static inline uint32_t kt_compact_position(const struct kt_compact *compact, size_t byte)
{
	uint64_t below = compact->begins[byte / 64] & (((uint64_t)1 << (byte % 64)) - 1);

	return compact->before[byte / 64] + (uint32_t)__builtin_popcountll(below);
}

#endif
