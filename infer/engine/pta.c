/* SPDX-License-Identifier: MIT */
#include "infer/engine/pta.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/try.h"
#include "infer/engine/prefix-tree.h"
#include "infer/engine/refine.h"
#include "infer/engine/word-set.h"

#define NO_CLASS UINT32_MAX

/*
 * A class of nodes, all of which have the same letters, is that many classes of the fold,
 * or one if there is none: the numbers from its head on. The i-th child of each of its
 * nodes is reached by the i-th of them.
 */

static uint32_t count_heads(const struct kt_prefix_tree *tree, uint32_t node)
{
	uint32_t n = 0;

	for (uint32_t c = kt_prefix_tree_first_child(tree, node); c != KT_NO_NODE;
	     c = tree->next[c]) {
		n++;
	}
	return n ? n : 1;
}

/*
 * Puts heads in the place of classes, in the partition and its pairs. In order of the tree,
 * the start first, so that what comes later is near in memory.
 */
static int number_heads(struct kt_partition *partition, uint32_t *n_heads,
			const struct kt_prefix_tree *tree)
{
	struct kt_levels *levels = &partition->levels;
	size_t n_pairs = kt_levels_until(levels, levels->lo);
	uint32_t *head = malloc(partition->n_classes * sizeof(*head));
	uint64_t n = 0;

	if (!head) {
		return kt_no_memory("fold prefix tree");
	}
	memset(head, 0xff, partition->n_classes * sizeof(*head));
	for (uint32_t node = 0; node < tree->n; node++) {
		uint32_t class = partition->class_of[node];

		if (head[class] == NO_CLASS) {
			head[class] = (uint32_t)n;
			n += count_heads(tree, node);
		}
		partition->class_of[node] = head[class];
	}
	for (size_t i = 0; i < n_pairs; i++) {
		levels->pairs[i].a = head[levels->pairs[i].a];
		levels->pairs[i].b = head[levels->pairs[i].b];
	}
	free(head);
	*n_heads = (uint32_t)n;
	return n < KT_FOLD_ROOT ? KT_OK
				: kt_error(KT_E_USAGE,
					   "fold prefix tree: %" PRIu64
					   " letters of classes are more than the engine "
					   "can number",
					   n);
}

int kt_pta_fold(struct kt_fold *fold, struct kt_levels *levels,
		struct kt_word_place *places, const struct kt_text *text, uint64_t lo,
		uint64_t hi)
{
	struct kt_partition partition = {0};
	struct kt_prefix_tree tree;
	uint32_t *head_of;
	uint32_t n_heads = 0;
	uint32_t seen = 0;
	int code;

	KT_TRY_END(kt_prefix_tree_build(&tree, places, text));
	KT_TRY_END(kt_refine(&partition, &tree, text->n_letters, lo, hi));
	KT_TRY_END(number_heads(&partition, &n_heads, &tree));
	KT_TRY_END(kt_fold_begin(fold, n_heads));
	head_of = partition.class_of;
	for (uint32_t node = 0; node < tree.n; node++) {
		uint32_t class = head_of[node];
		uint32_t c = kt_prefix_tree_first_child(&tree, node);

		for (; c != KT_NO_NODE; c = tree.next[c]) {
			kt_fold_add(fold, class ++, tree.nodes[c].letter, head_of[c],
				    tree.count[c]);
		}
	}
	kt_fold_settle(fold);

	/* The letters of a class are one state's: heads are met in order of their numbers.
	 */
	for (uint32_t node = 0; node < tree.n; node++) {
		uint32_t end_of_class;

		if (head_of[node] != seen) {
			continue;
		}
		end_of_class = seen + count_heads(&tree, node);
		for (uint32_t class = seen + 1; class < end_of_class; class ++) {
			KT_TRY_END(kt_fold_unite(fold, seen, class));
		}
		seen = end_of_class;
	}
	/* What a class leads to by a letter besides its first target is the same state. */
	for (uint32_t node = 0; node < tree.n; node++) {
		uint32_t class = head_of[node];
		uint32_t c = kt_prefix_tree_first_child(&tree, node);

		for (; c != KT_NO_NODE; c = tree.next[c]) {
			uint32_t target = fold->target[class ++];

			if (target != head_of[c]) {
				KT_TRY_END(kt_fold_unite(fold, target, head_of[c]));
			}
		}
	}

	for (size_t i = 0; i < text->words->n_words; i++) {
		places[i].entry = head_of[places[i].entry];
		places[i].exit = head_of[places[i].exit];
	}
	*levels = partition.levels;
	partition.levels = (struct kt_levels){0};
end:
	kt_partition_clear(&partition);
	kt_prefix_tree_clear(&tree);
	return code;
}
