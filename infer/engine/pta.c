/* SPDX-License-Identifier: MIT */
#include "infer/engine/pta.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "infer/engine/prefix-tree.h"
#include "infer/engine/refine.h"
#include "infer/engine/word-set.h"

#define NO_CLASS UINT32_MAX

/*
 * A class of nodes, all of which have the same letters, is that many classes of the fold,
 * or one if there is none: the numbers from its head on. The i-th child of each of its
 * nodes is reached by the i-th of them.
 */

static int out_of_memory(void)
{
	return kt_error(KT_E_MEMORY, "fold prefix tree: out of memory");
}

static uint32_t count_children(const struct kt_prefix_tree *tree, uint32_t node)
{
	uint32_t n = 0;

	for (uint32_t c = kt_prefix_tree_first_child(tree, node); c != KT_NO_NODE;
	     c = tree->next[c]) {
		n++;
	}
	return n;
}

static uint32_t count_heads(const struct kt_prefix_tree *tree, uint32_t node)
{
	uint32_t n = count_children(tree, node);

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
		return out_of_memory();
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

static void read_transitions(struct kt_fold *fold, const uint32_t *head_of,
			     const struct kt_prefix_tree *tree)
{
	for (uint32_t node = 0; node < tree->n; node++) {
		uint32_t class = head_of[node];
		uint32_t c = kt_prefix_tree_first_child(tree, node);

		for (; c != KT_NO_NODE; c = tree->next[c]) {
			kt_fold_add(fold, class ++, tree->nodes[c].letter, head_of[c],
				    tree->count[c]);
		}
	}
	kt_fold_settle(fold);
}

/* The letters of a class are one state's: heads are met in order of their numbers. */
static int unite_letters(struct kt_fold *fold, const uint32_t *head_of,
			 const struct kt_prefix_tree *tree)
{
	uint32_t seen = 0;
	int code = KT_OK;

	for (uint32_t node = 0; !code && node < tree->n; node++) {
		uint32_t end;

		if (head_of[node] != seen) {
			continue;
		}
		end = seen + count_heads(tree, node);
		for (uint32_t class = seen + 1; !code && class < end; class ++) {
			code = kt_fold_unite(fold, seen, class);
		}
		seen = end;
	}
	return code;
}

/* What a class leads to by a letter besides its first target is the same state. */
static int unite_targets(struct kt_fold *fold, const uint32_t *head_of,
			 const struct kt_prefix_tree *tree)
{
	int code = KT_OK;

	for (uint32_t node = 0; !code && node < tree->n; node++) {
		uint32_t class = head_of[node];
		uint32_t c = kt_prefix_tree_first_child(tree, node);

		for (; !code && c != KT_NO_NODE; c = tree->next[c]) {
			uint32_t target = fold->target[class ++];

			if (target != head_of[c]) {
				code = kt_fold_unite(fold, target, head_of[c]);
			}
		}
	}
	return code;
}

static void find_places(struct kt_word_place *places, size_t n, const uint32_t *head_of)
{
	for (size_t i = 0; i < n; i++) {
		places[i].entry = head_of[places[i].entry];
		places[i].exit = head_of[places[i].exit];
	}
}

/* The classes' transitions, and the states they make by themselves. */
static int fold_classes(struct kt_fold *fold, struct kt_partition *partition,
			const struct kt_prefix_tree *tree)
{
	uint32_t n_heads = 0;
	int code = number_heads(partition, &n_heads, tree);

	code = code ? code : kt_fold_begin(fold, n_heads);
	if (code) {
		return code;
	}
	read_transitions(fold, partition->class_of, tree);
	code = unite_letters(fold, partition->class_of, tree);
	return code ? code : unite_targets(fold, partition->class_of, tree);
}

int kt_pta_fold(struct kt_fold *fold, struct kt_levels *levels,
		struct kt_word_place *places, const struct kt_text *text, uint64_t lo,
		uint64_t hi)
{
	struct kt_partition partition = {0};
	struct kt_prefix_tree tree;
	int code = kt_prefix_tree_build(&tree, places, text);

	code = code ? code : kt_refine(&partition, &tree, text->n_letters, lo, hi);
	code = code ? code : fold_classes(fold, &partition, &tree);
	if (!code) {
		find_places(places, text->words->n_words, partition.class_of);
		*levels = partition.levels;
		partition.levels = (struct kt_levels){0};
	}
	kt_partition_clear(&partition);
	kt_prefix_tree_clear(&tree);
	return code;
}
