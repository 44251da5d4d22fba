/* SPDX-License-Identifier: MIT */
/*
 * The prefix tree of a text's words: a node for each string that some word begins with.
 * Words whose beginning is cut are no part of it; each is a chain from a root of its own.
 *
 * Nodes are numbered in preorder, children in order of their letters: node 0 is the start,
 * a node's first child, if it has one, is the next number, and a parent's number is below
 * those of its children. The chains of fragments lie after, in the order of the words.
 */
#ifndef KTAIL_ENGINE_PREFIX_TREE_H
#define KTAIL_ENGINE_PREFIX_TREE_H

#include "infer/engine/canonicalise.h"
#include "infer/engine/determinise.h"
#include "infer/engine/text.h"

#define KT_NO_NODE UINT32_MAX

struct kt_prefix_node {
	uint32_t parent; /* KT_NO_NODE at a root */
	uint32_t letter; /* rank of the one that leads to it, 0 at a root */
};

struct kt_prefix_tree {
	uint32_t n;                   /* nodes, less than 2^31 */
	struct kt_prefix_node *nodes; /* Owned by this, as the others */
	uint32_t *next;               /* the next child of the same parent, or KT_NO_NODE */
	uint32_t *count;              /* words that lead to it or through it */
	uint32_t *known; /* letters down to the nearest cut end at or below it, KT_NO_NODE
			    where there is none: longer tails are unknown */
};

static inline uint32_t kt_prefix_tree_first_child(const struct kt_prefix_tree *tree,
						  uint32_t node)
{
	return node + 1 < tree->n && tree->nodes[node + 1].parent == node ? node + 1
									  : KT_NO_NODE;
}

/*
 * A prefix tree's nodes divided by equality of k-tails, for k = 0, 1, 2, ... in turn, each
 * round from what the one before changed (after Hopcroft, "An n log n algorithm for
 * minimizing states in a finite automaton", 1971, but that the rounds are kept apart).
 */
struct kt_partition {
	uint32_t *class_of; /* Owned by this: by node, for the largest k */
	uint32_t n_classes;
	struct kt_levels levels; /* the classes that become one for smaller k */
};

/*
 * Divides for lo <= k <= hi, 1 <= lo, hi at most one more than the letters of the longest
 * word. A node whose k-tail is unknown is a class of its own. Letters are ranks below
 * n_letters. O(nodes log nodes + hi), whatever the range; 16 bytes a node and 16 a class,
 * then 4 a node and 8 a class.
 */
int kt_refine(struct kt_partition *partition, const struct kt_prefix_tree *tree,
	      uint32_t n_letters, uint64_t lo, uint64_t hi);

void kt_partition_clear(struct kt_partition *partition);

#endif
