/* SPDX-License-Identifier: MIT */
/*
 * The product of two machines: the pairs of states that one word leads to, breadth first
 * with letters in order, so that pairs are found in order of their least words (shorter
 * ones first, then by letters).
 */
#ifndef KTAIL_ENGINE_PRODUCT_H
#define KTAIL_ENGINE_PRODUCT_H

#include <stdbool.h>

#include "base/hash-index.h"
#include "infer/compare/joint.h"

#define KT_PRODUCT_NONE UINT32_MAX

struct kt_product_pair {
	uint32_t state[2];
	uint32_t before; /* the pair that the last letter of the least word leaves */
	uint32_t letter; /* that letter; the first pair has the empty word */
};

/* A transition that only one machine has where one word leads in both. */
struct kt_product_way {
	uint32_t pair;     /* where its least word, but for the last letter, leads */
	uint32_t version;  /* whose it is */
	size_t transition; /* of that machine */
	uint64_t length;   /* letters of that word, the transition's own included */
};

struct kt_product {
	struct kt_product_pair *pairs; /* Owned by this, in order of their least words */
	size_t n_pairs;
	size_t capacity;
	struct kt_hash_index by_states; /* Owned by this: the pairs */
	struct kt_product_way
		*ways; /* Owned by this, each transition once, in order of words
			*/
	size_t n_ways;
	bool complete;        /* false: there are more pairs than allowed */
	uint64_t sure_length; /* then: all ways whose words are as long as this are there */
};

/*
 * Finds all pairs, `most` of them at most. joint must outlive it. Time and memory: by the
 * pairs, 32 to 48 bytes each, and the transitions. On failure *out needs no
 * kt_product_clear().
 */
int kt_product_init(struct kt_product *out, const struct kt_joint *joint, uint32_t most);

/* Does nothing on a zeroed one. */
void kt_product_clear(struct kt_product *product);

/* The index of a pair, KT_PRODUCT_NONE if no word leads to it. */
uint32_t kt_product_find(const struct kt_product *product, uint32_t old, uint32_t new);

/*
 * Writes the last n letters of the least word to a pair, all of them if that is its length,
 * to letters[0..n). It is no shorter.
 */
void kt_product_word(uint32_t *letters, uint64_t n, const struct kt_product *product,
		     uint32_t pair);

/*
 * The product of two machines as a graph: which pairs follow a pair, and what becomes of
 * each machine's transitions where words lead that both can read. A link is one letter that
 * both machines have after a pair.
 */
struct kt_link {
	uint32_t to;          /* the pair it leads to; KT_PRODUCT_NONE: was cut off */
	size_t transition[2]; /* of either machine */
};

struct kt_links {
	struct kt_link *list; /* Owned by this, by the pair they leave, then by letter */
	size_t n;
	size_t capacity;
	size_t *first; /* Owned by this: pair i has links first[i]..first[i + 1] */
	bool *exact;   /* Owned by this, by pair: the same letters can follow in both */
	uint64_t n_exact;
	uint64_t n_letters[2]; /* that either machine has, over all pairs; both: n */
	bool *taken[2];        /* Owned by this, by transition: is in a link */
	bool *lacked[2]; /* Owned by this, by transition: the other lacks it at a pair */
};

/* On failure *out needs no kt_links_clear(). O(transitions of all pairs), expected. */
int kt_links_init(struct kt_links *out, const struct kt_joint *joint,
		  const struct kt_product *product);

/* Does nothing on a zeroed one. */
void kt_links_clear(struct kt_links *links);

#endif
