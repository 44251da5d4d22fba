/* SPDX-License-Identifier: MIT */
/*
 * A prefix tree's nodes divided by equality of k-tails, for k = 0, 1, 2, ... in turn, each
 * round from what the one before changed (after Hopcroft, "An n log n algorithm for
 * minimizing states in a finite automaton", 1971, but that the rounds are kept apart).
 */
#ifndef KTAIL_ENGINE_REFINE_H
#define KTAIL_ENGINE_REFINE_H

#include "infer/engine/levels.h"
#include "infer/engine/prefix-tree.h"

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
