/* SPDX-License-Identifier: MIT */
/*
 * The prefix tree of a text's words: a node for each string that some word begins with.
 * Words whose beginning is cut are no part of it; each is a chain from a root of its own.
 *
 * Nodes are numbered in preorder, children in order of their letters: node 0 is the start,
 * a node's first child, if it has one, is the next number, and a parent's number is below
 * those of its children. The chains of fragments lie behind, in the order of the words.
 */
#ifndef KTAIL_ENGINE_PREFIX_TREE_H
#define KTAIL_ENGINE_PREFIX_TREE_H

#include "infer/engine/canonicalise.h"
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

/*
 * Builds the tree, and says of each word in which nodes it begins and ends: places[i] for
 * the i-th, which the caller gives. If no word begins at the start, what can follow it is
 * unknown, as if it were a cut end. O(text), but for sorting the words; 20 bytes a node and
 * 16 a word.
 */
int kt_prefix_tree_build(struct kt_prefix_tree *tree, struct kt_word_place *places,
			 const struct kt_text *text);

void kt_prefix_tree_clear(struct kt_prefix_tree *tree);

static inline uint32_t kt_prefix_tree_first_child(const struct kt_prefix_tree *tree,
						  uint32_t node)
{
	return node + 1 < tree->n && tree->nodes[node + 1].parent == node ? node + 1
									  : KT_NO_NODE;
}

#endif
