/* SPDX-License-Identifier: MIT */
/*
 * The product of two machines as a graph: which pairs follow a pair, and what becomes of
 * each machine's transitions where words lead that both can read.
 */
#ifndef KTAIL_ENGINE_LINK_H
#define KTAIL_ENGINE_LINK_H

#include "infer/compare/joint.h"
#include "infer/compare/product.h"

/* One letter that both machines have behind a pair. */
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
