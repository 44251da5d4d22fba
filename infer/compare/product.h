/* SPDX-License-Identifier: MIT */
/*
 * The product of two machines: the pairs of states that one word leads to. Pairs are
 * explored breadth first, in the order of letters, and are thus found in the order of their
 * least words: by length, then by letters.
 */
#ifndef KTAIL_ENGINE_PRODUCT_H
#define KTAIL_ENGINE_PRODUCT_H

#include <stdbool.h>

#include "base/hash-index.h"
#include "infer/compare/joint.h"

#define KT_PRODUCT_NONE UINT32_MAX

struct kt_product_pair {
	uint32_t state[2];
	uint32_t before; /* the pair that the least word reaches without its last letter */
	uint32_t letter; /* the last letter of the least word; unused for the empty word */
};

/* A transition that only one machine has after a word that both can read. */
struct kt_product_way {
	uint32_t pair;     /* the pair that the least word before the transition reaches */
	uint32_t version;  /* the machine that has the transition: 0: old, 1: new */
	size_t transition; /* index in that machine */
	uint64_t length;   /* number of letters of the least word and of the transition
			    * together */
};

struct kt_product {
	struct kt_product_pair *pairs; /* Owned by this, in order of their least words */
	size_t n_pairs;
	size_t capacity;
	struct kt_hash_index by_states; /* Owned by this: index of the pairs by their
					 * states */
	struct kt_product_way
		*ways; /* Owned by this, each transition once, in order of least words */
	size_t n_ways;
	bool complete;        /* false: there are more pairs than allowed */
	uint64_t sure_length; /* if not complete: all diverging transitions with words of up
			       * to this length are listed */
};

/*
 * Finds at most `most` pairs. Time and memory grow with the number of transitions and of
 * pairs; each pair takes 32 to 48 bytes. On failure *out needs no kt_product_clear().
 */
int kt_product_init(struct kt_product *out, const struct kt_joint *joint, uint32_t most);

/* Does nothing if *product is zeroed. */
void kt_product_clear(struct kt_product *product);

/* Returns the index of a pair, or KT_PRODUCT_NONE if the search did not reach the pair. */
uint32_t kt_product_find(const struct kt_product *product, uint32_t old, uint32_t new);

/*
 * Writes to letters[0..n) the last n letters of the least word that leads to a pair. n must
 * not exceed the length of the word.
 */
void kt_product_word(uint32_t *letters, uint64_t n, const struct kt_product *product,
		     uint32_t pair);

/*
 * The product as a graph: the successors of each pair. A link stands for one letter that
 * both states of a pair have. For each transition of a machine, the graph also says whether
 * the other machine has the same letter after words that both machines can read.
 */
struct kt_link {
	uint32_t to;          /* the pair that the link leads to; KT_PRODUCT_NONE: not
			       * explored */
	size_t transition[2]; /* index in each machine */
};

struct kt_links {
	struct kt_link *list; /* Owned by this: sorted by source pair, then by letter */
	size_t n;
	size_t capacity;
	size_t *first; /* Owned by this: pair i has links first[i] to first[i + 1] - 1 */
	/* Owned by this: for each pair, whether both states have the same letters */
	bool *exact;
	uint64_t n_exact;
	/*
	 * for each machine: the number of letters of its state in a pair, summed over all
	 * pairs; n is the sum for the letters that both states of a pair have
	 */
	uint64_t n_letters[2];
	/* Owned by this: for each transition, whether it is part of a link */
	bool *taken[2];
	/*
	 * Owned by this: for each transition, whether its letter is missing from the other
	 * machine's state in some pair
	 */
	bool *lacked[2];
};

/* On failure *out needs no kt_links_clear(). O(transitions of all pairs), expected. */
int kt_links_init(struct kt_links *out, const struct kt_joint *joint,
		  const struct kt_product *product);

/* Does nothing if *links is zeroed. */
void kt_links_clear(struct kt_links *links);

#endif
