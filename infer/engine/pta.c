/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* qsort_r */
#include "infer/engine/canonicalise.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/try.h"
#include "infer/engine/prefix-tree.h"
#include "infer/engine/word-set.h"

/* A word that begins at the start, in the sorted order of such words. */
struct branch {
	uint32_t word;
	uint32_t length;
	uint32_t shared; /* letters shared with the previous word in that order */
};

static const unsigned char *letters_of(const struct kt_text *text, size_t word)
{
	return text->bytes + kt_text_begin(text, word) * text->width;
}

/* --- sorting the words --- */

static int compare_branches(const void *a, const void *b, void *argument)
{
	const struct branch *x = a;
	const struct branch *y = b;
	const struct kt_text *text = argument;
	uint32_t n = x->length < y->length ? x->length : y->length;
	int order = memcmp(letters_of(text, x->word), letters_of(text, y->word),
			   (size_t)n * text->width);

	if (order != 0) {
		return order;
	}
	if (x->length != y->length) {
		return x->length < y->length ? -1 : 1;
	}
	return (x->word > y->word) - (x->word < y->word);
}

/* Sorts the words that begin at the start. The caller owns *branches. */
static int sort_words(struct branch **branches, uint32_t *n, const struct kt_text *text)
{
	const struct kt_words *words = text->words;
	struct branch *branch;

	*n = 0;
	*branches = branch = malloc((words->n_words + 1) * sizeof(*branch));
	if (!branch) {
		return kt_no_memory("build prefix tree");
	}
	for (size_t i = 0; i < words->n_words; i++) {
		if (!words->words[i].cut_begin) {
			branch[(*n)++] = (struct branch){(uint32_t)i,
							 (uint32_t)words->words[i].n, 0};
		}
	}
	qsort_r(branch, *n, sizeof(*branch), compare_branches, (void *)(uintptr_t)text);
	for (uint32_t i = 1; i < *n; i++) {
		uint32_t shorter = branch[i - 1].length < branch[i].length
					   ? branch[i - 1].length
					   : branch[i].length;
		size_t bytes = (size_t)shorter * text->width;
		const unsigned char *x = letters_of(text, branch[i - 1].word);
		const unsigned char *y = letters_of(text, branch[i].word);
		size_t same = 0;

		while (same < bytes && x[same] == y[same]) {
			same++;
		}
		branch[i].shared = (uint32_t)(same / text->width);
	}
	return KT_OK;
}

/* --- nodes --- */

static uint32_t add_node(struct kt_prefix_tree *tree, uint32_t parent, uint32_t letter)
{
	uint32_t node = tree->n++;

	tree->nodes[node] = (struct kt_prefix_node){parent, letter};
	tree->next[node] = KT_NO_NODE;
	tree->known[node] = KT_NO_NODE;
	return node;
}

/*
 * Adds a path below a node: a word's letters without the first `from` letters. Returns the
 * last node of the path.
 */
static uint32_t add_letters(struct kt_prefix_tree *tree, const struct kt_text *text,
			    size_t word, uint32_t from, uint32_t node)
{
	size_t end = kt_text_begin(text, word + 1) - 1;

	for (size_t p = kt_text_begin(text, word) + from; p < end; p++) {
		node = add_node(tree, node, kt_text_symbol(text, p) - KT_SYMBOL_LETTER);
	}
	return node;
}

static void end_word(struct kt_prefix_tree *tree, const struct kt_word *word, uint32_t node)
{
	tree->count[node]++;
	if (word->cut_end) {
		tree->known[node] = 0;
	}
}

/*
 * Adds the words in sorted order. Each word branches off the path of the previous word
 * where the two differ: that path is climbed from its last node until only the shared
 * letters are left.
 */
static void add_branches(struct kt_prefix_tree *tree, struct kt_word_span *spans,
			 const struct kt_text *text, const struct branch *branches,
			 uint32_t n_branches)
{
	uint32_t last = add_node(tree, KT_NO_NODE, 0);
	uint32_t depth = 0;

	for (uint32_t i = 0; i < n_branches; i++) {
		const struct branch *branch = &branches[i];
		uint32_t below = KT_NO_NODE;

		for (; depth > branch->shared; depth--) {
			below = last;
			last = tree->nodes[last].parent;
		}
		if (below != KT_NO_NODE) {
			tree->next[below] = tree->n;
		}
		last = add_letters(tree, text, branch->word, branch->shared, last);
		depth = branch->length;
		spans[branch->word] = (struct kt_word_span){.entry = 0, .exit = last};
		end_word(tree, &text->words->words[branch->word], last);
	}
	if (!n_branches) {
		tree->known[0] = 0;
	}
}

static void clear_tree(struct kt_prefix_tree *tree)
{
	free(tree->nodes);
	free(tree->next);
	free(tree->count);
	free(tree->known);
	*tree = (struct kt_prefix_tree){0};
}

/*
 * Builds the tree, and writes to spans[i], which the caller provides, the nodes in which
 * the i-th word begins and ends. If no word begins at the start, the tail of the start is
 * unknown, as at a truncated end. O(text), plus sorting the words; 20 bytes per node and 16
 * per word.
 */
static int build_tree(struct kt_prefix_tree *tree, struct kt_word_span *spans,
		      const struct kt_text *text)
{
	const struct kt_words *words = text->words;
	struct branch *branches;
	uint32_t n_branches;
	uint32_t n = 1;
	int code;

	*tree = (struct kt_prefix_tree){0};
	KT_TRY(sort_words(&branches, &n_branches, text));

	/*
	 * The tree has at most one node more than the text has symbols. The limit on the
	 * text's size allows for that node, so n does not overflow.
	 */
	for (uint32_t i = 0; i < n_branches; i++) {
		n += branches[i].length - branches[i].shared;
	}
	for (size_t i = 0; i < words->n_words; i++) {
		n += words->words[i].cut_begin ? (uint32_t)words->words[i].n + 1 : 0;
	}
	tree->nodes = malloc(n * sizeof(*tree->nodes));
	tree->next = malloc(n * sizeof(*tree->next));
	tree->count = calloc(n, sizeof(*tree->count));
	tree->known = malloc(n * sizeof(*tree->known));
	code = tree->nodes && tree->next && tree->count && tree->known
		       ? KT_OK
		       : kt_no_memory("build prefix tree");
	if (code) {
		clear_tree(tree);
		goto end;
	}

	add_branches(tree, spans, text, branches, n_branches);
	for (size_t i = 0; i < words->n_words; i++) {
		if (words->words[i].cut_begin) {
			spans[i].entry = add_node(tree, KT_NO_NODE, 0);
			spans[i].exit = add_letters(tree, text, i, 0, spans[i].entry);
			end_word(tree, &words->words[i], spans[i].exit);
		}
	}
	/*
	 * Children have higher numbers than their parents, so propagate `count` and
	 * `known` from the last node to the first.
	 */
	for (uint32_t node = tree->n; node-- > 0;) {
		uint32_t parent = tree->nodes[node].parent;

		if (parent == KT_NO_NODE) {
			continue;
		}
		tree->count[parent] += tree->count[node];
		if (tree->known[node] != KT_NO_NODE &&
		    tree->known[node] + 1 < tree->known[parent]) {
			tree->known[parent] = tree->known[node] + 1;
		}
	}
end:
	free(branches);
	return code;
}

/* --- from classes of nodes to states --- */

#define NO_CLASS UINT32_MAX

/*
 * The nodes of a class all have children for the same letters. A class of the fold has only
 * one letter, so a class of nodes becomes several classes of the fold: one per letter, or a
 * single one if the nodes have no children. The first of them is called the head; the i-th
 * leads to the i-th child of each node.
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
 * Replaces classes of nodes by their heads, in the partition and its pairs. The classes of
 * the fold are numbered in order of the tree, the start first, so that classes used
 * together are close in memory.
 */
static int number_heads(struct kt_partition *partition, uint32_t *n_heads,
			const struct kt_prefix_tree *tree)
{
	struct kt_levels *levels = &partition->levels;
	size_t n_pairs = kt_levels_until(levels, levels->lo);
	uint32_t *head = malloc(partition->n_classes * sizeof(*head));
	uint64_t n = 0;

	if (!head) {
		return kt_no_memory("merge prefix tree");
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
					   "merge prefix tree: %" PRIu64
					   " letters of classes are more than the engine "
					   "can number",
					   n);
}

int kt_pta_fold(struct kt_fold *fold, struct kt_levels *levels, struct kt_word_span *spans,
		const struct kt_text *text, uint64_t lo, uint64_t hi)
{
	struct kt_partition partition = {0};
	struct kt_prefix_tree tree;
	uint32_t *head_of;
	uint32_t n_heads = 0;
	uint32_t seen = 0;
	int code;

	KT_TRY_END(build_tree(&tree, spans, text));
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

	/*
	 * A head and the classes after it, up to the next head, belong to one state: merge
	 * them. A walk over the nodes reaches each head for the first time in order of
	 * head numbers.
	 */
	for (uint32_t node = 0; node < tree.n; node++) {
		uint32_t end_of_class;

		if (head_of[node] != seen) {
			continue;
		}
		end_of_class = seen + count_heads(&tree, node);
		for (uint32_t class = seen + 1; class < end_of_class; class ++) {
			KT_TRY_END(kt_fold_merge(fold, seen, class));
		}
		seen = end_of_class;
	}
	/*
	 * A class keeps only the target of its first node: merge the targets of its other
	 * nodes with the kept target.
	 */
	for (uint32_t node = 0; node < tree.n; node++) {
		uint32_t class = head_of[node];
		uint32_t c = kt_prefix_tree_first_child(&tree, node);

		for (; c != KT_NO_NODE; c = tree.next[c]) {
			uint32_t target = fold->target[class ++];

			if (target != head_of[c]) {
				KT_TRY_END(kt_fold_merge(fold, target, head_of[c]));
			}
		}
	}

	for (size_t i = 0; i < text->words->n_words; i++) {
		spans[i].entry = head_of[spans[i].entry];
		spans[i].exit = head_of[spans[i].exit];
	}
	*levels = partition.levels;
	partition.levels = (struct kt_levels){0};
end:
	kt_partition_clear(&partition);
	clear_tree(&tree);
	return code;
}
