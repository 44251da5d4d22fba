/* SPDX-License-Identifier: MIT */
/* The pairs of states that one word reaches in two machines. */
#ifndef KTAIL_ENGINE_PAIRS_H
#define KTAIL_ENGINE_PAIRS_H

#include <ktail/score.h>

#include "infer/engine/walk.h"

struct kt_pair {
	uint32_t a;
	uint32_t b;
};

/* What the pairs say of one machine's transitions; by index, each owned by kt_pairs. */
struct kt_pairs_seen {
	bool *taken;  /* a word took it that the other machine can read as well */
	bool *lacked; /* a word came to it, and the other machine lacks it there */
};

struct kt_pairs {
	struct kt_pair *list; /* Owned by this: breadth first, the pair of starts first */
	size_t n;
	size_t capacity;
	bool complete; /* no pair was left out */
	/* Owned by this, if complete: the pairs that follow pair i are followers[first[i]]
	 * to followers[first[i + 1] - 1], in the order of the letters that both have. */
	uint32_t *followers;
	size_t *first;
	size_t n_followers;
	size_t followers_capacity;
	size_t first_capacity;
	uint32_t *slots; /* Owned by this: pairs by their hash, plus one; 0 is free */
	size_t n_slots;
	uint64_t exact; /* pairs after which the same letters can come */
	struct kt_pairs_seen in_a;
	struct kt_pairs_seen in_b;
};

/*
 * Finds pairs, max at most. The caller clears *out, also after a failure.
 * O(pairs * letters), expected.
 */
int kt_pairs_find(struct kt_pairs *out, const struct kt_walk_side *a,
		  const struct kt_walk_side *b, uint64_t max);

void kt_pairs_clear(struct kt_pairs *pairs);

#endif
