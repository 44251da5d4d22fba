/* SPDX-License-Identifier: MIT */
/*
 * The prefix tree of a text's words: one node per distinct prefix. Words whose beginning is
 * truncated are not part of the tree; each is a chain from a root of its own.
 *
 * Nodes are numbered in preorder, children in order of their letters: node 0 is the start,
 * the first child of a node has the next number, and a parent has a lower number than its
 * children. The chains of truncated words follow, in the order of the words.
 */
#ifndef KTAIL_ENGINE_PREFIX_TREE_H
#define KTAIL_ENGINE_PREFIX_TREE_H

#include "infer/engine/canonicalise.h"
#include "infer/engine/determinise.h"
#include "infer/engine/text.h"

#define KT_NO_NODE UINT32_MAX

struct kt_prefix_node {
	uint32_t parent; /* KT_NO_NODE at a root */
	uint32_t letter; /* rank (text.h) of the letter that leads to the node, 0 at a
			  * root */
};

struct kt_prefix_tree {
	uint32_t n;                   /* number of nodes, less than 2^31 */
	struct kt_prefix_node *nodes; /* Owned by this, as are the other arrays */
	uint32_t *next;               /* the next child of the same parent, or KT_NO_NODE */
	uint32_t *count;              /* words that end at the node or pass through it */
	uint32_t *known; /* number of letters from the node down to the nearest truncated
			  * end; tails longer than that are unknown. KT_NO_NODE: no
			  * truncated end below */
};

static inline uint32_t kt_prefix_tree_first_child(const struct kt_prefix_tree *tree,
						  uint32_t node)
{
	return node + 1 < tree->n && tree->nodes[node + 1].parent == node ? node + 1
									  : KT_NO_NODE;
}

/*
 * The nodes of a prefix tree divided by equality of k-tails, for k = 0, 1, 2, ... in turn.
 * Each round examines only the parents of nodes in classes that the previous round created
 * (after Hopcroft, "An n log n algorithm for minimizing states in a finite automaton",
 * 1971, whose algorithm does not keep rounds apart).
 */
struct kt_partition {
	uint32_t *class_of; /* Owned by this: the class of each node for the largest k */
	uint32_t n_classes;
	struct kt_levels levels; /* the classes that merge for smaller k */
};

/*
 * Divides the nodes for lo <= k <= hi. Requires that 1 <= lo, that hi is at most one more
 * than the number of letters of the longest word, and that letters are ranks below
 * n_letters. A node with an unknown k-tail is a class of its own.
 *
 * O(nodes log nodes + hi) for any range. Takes 16 bytes per node and 16 per class while it
 * runs; the result has 4 per node and 8 per class.
 */
int kt_refine(struct kt_partition *partition, const struct kt_prefix_tree *tree,
	      uint32_t n_letters, uint64_t lo, uint64_t hi);

void kt_partition_clear(struct kt_partition *partition);

#endif
