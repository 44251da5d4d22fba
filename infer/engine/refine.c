/* SPDX-License-Identifier: MIT */
#include "infer/engine/prefix-tree.h"

#include <stdbool.h>
#include <stdlib.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/try.h"

/*
 * Prefetch distances, in loop iterations. Prefetching pays off because nodes that are read
 * one after the other are scattered over memory.
 */
#define FAR  32
#define NEAR 16

/* A flag on the last parent of a group. Node numbers never have this bit set. */
#define LAST 0x80000000u

/* A class: a contiguous range in an order of all nodes. */
struct part {
	uint32_t begin;
	uint32_t end;
	uint32_t front;  /* end of the marked nodes, which come first in the range */
	uint32_t origin; /* the class that this class was split from */
};

/* The class of a node, and its index in the order of all nodes. */
struct slot {
	uint32_t class;
	uint32_t at; /* index in the order */
};

struct refinement {
	const struct kt_prefix_tree *tree; /* Weak */
	struct slot *slots;                /* Owned by this: one for each node */
	uint32_t *order;                   /* Owned by this: nodes, class by class */
	struct part *parts;                /* Owned by this: one for each class */
	uint32_t n_classes;
	size_t parts_capacity;

	uint32_t *ending; /* Owned by this: nodes sorted by distance to the nearest
			   * truncated end below them */
	uint32_t n_ending;
	uint32_t n_ended; /* how many nodes of `ending` have an unknown k-tail for the
			   * current k */

	uint32_t *parents; /* Owned by this: groups of nodes; LAST ends a group. Each group
			    * is to be split from all nodes outside it */
	size_t parents_capacity;
	size_t n_parents;
	/*
	 * Owned by this: for each letter, how many nodes of the current class it leads to;
	 * all 0 between classes
	 */
	uint32_t *count;
	uint32_t *letters; /* Owned by this: letters that lead into the current class */

	uint32_t *marked; /* Owned by this: classes that contain nodes of a group */
	size_t marked_capacity;
	size_t n_marked;
};

/* Starts with k = 0, where all nodes are one class. */
static int begin(struct refinement *r, uint32_t n_letters, uint64_t hi)
{
	const uint32_t *known = r->tree->known;
	uint32_t n = r->tree->n;
	uint32_t *at;

	r->slots = malloc(n * sizeof(*r->slots));
	r->order = malloc(n * sizeof(*r->order));
	r->count = calloc(n_letters + (size_t)1, sizeof(*r->count));
	r->letters = malloc((n_letters + (size_t)1) * sizeof(*r->letters));
	if (!r->slots || !r->order || !r->count || !r->letters) {
		return kt_no_memory("merge nodes of equal k-tails");
	}
	KT_TRY(kt_array_reserve(&r->parts, &r->parts_capacity, 1));
	for (uint32_t i = 0; i < n; i++) {
		r->order[i] = i;
		r->slots[i] = (struct slot){.class = 0, .at = i};
	}
	r->parts[r->n_classes++] = (struct part){.begin = 0, .end = n};

	/*
	 * Sort the nodes that have a truncated end less than hi letters below them. The key
	 * is the distance to that end (a counting sort).
	 */
	at = calloc((size_t)hi + 1, sizeof(*at));
	if (!at) {
		return kt_no_memory("merge nodes of equal k-tails");
	}
	for (uint32_t node = 0; node < n; node++) {
		if (known[node] < hi) {
			at[known[node] + 1]++;
			r->n_ending++;
		}
	}
	r->ending = malloc((r->n_ending + (size_t)1) * sizeof(*r->ending));
	if (!r->ending) {
		free(at);
		return kt_no_memory("merge nodes of equal k-tails");
	}
	for (size_t i = 1; i <= hi; i++) {
		at[i] += at[i - 1];
	}
	for (uint32_t node = 0; node < n; node++) {
		if (known[node] < hi) {
			r->ending[at[known[node]]++] = node;
		}
	}
	free(at);
	return KT_OK;
}

/* --- splitting --- */

/*
 * Makes a new class of order[from..to), which is the beginning or the end of the class
 * `number`.
 */
static int split_off(struct refinement *r, uint32_t number, uint32_t from, uint32_t to)
{
	uint32_t new = r->n_classes;

	KT_TRY(kt_array_reserve(&r->parts, &r->parts_capacity, (size_t) new + 1));
	if (from == r->parts[number].begin) {
		r->parts[number].begin = to;
	} else {
		r->parts[number].end = from;
	}
	r->parts[number].front = r->parts[number].begin;
	r->parts[new] = (struct part){from, to, from, number};
	r->n_classes++;
	for (uint32_t i = from; i < to; i++) {
		if (i + FAR < to) {
			__builtin_prefetch(&r->slots[r->order[i + FAR]]);
		}
		r->slots[r->order[i]].class = new;
	}
	return KT_OK;
}

/* Moves a node to the marked nodes at the front of its class. */
static void mark(struct refinement *r, uint32_t node)
{
	struct slot *slot = &r->slots[node];
	uint32_t front = r->parts[slot->class].front++;
	uint32_t other = r->order[front];

	r->order[slot->at] = other;
	r->slots[other].at = slot->at;
	r->order[front] = node;
	slot->at = front;
}

static bool is_alone(const struct part *part)
{
	return part->end - part->begin == 1;
}

/* Splits each class that contains nodes of a group into those nodes and the rest. */
static int split_by_parents(struct refinement *r)
{
	for (size_t i = 0; i < r->n_parents; i++) {
		uint32_t node = r->parents[i] & ~LAST;
		uint32_t number;

		if (i + FAR < r->n_parents) {
			const struct slot *near = &r->slots[r->parents[i + NEAR] & ~LAST];

			__builtin_prefetch(&r->slots[r->parents[i + FAR] & ~LAST]);
			__builtin_prefetch(&r->parts[near->class]);
			__builtin_prefetch(&r->order[near->at]);
		}
		number = r->slots[node].class;
		if (!is_alone(&r->parts[number])) {
			if (r->parts[number].front == r->parts[number].begin) {
				KT_TRY(kt_array_reserve(&r->marked, &r->marked_capacity,
							r->n_marked + 1));
				r->marked[r->n_marked++] = number;
			}
			mark(r, node);
		}
		if (!(r->parents[i] & LAST)) {
			continue;
		}
		/*
		 * Split marked from unmarked nodes. The smaller part gets the new number,
		 * so that fewer nodes change their class.
		 */
		for (size_t j = 0; j < r->n_marked; j++) {
			struct part *part = &r->parts[r->marked[j]];
			uint32_t n_marked = part->front - part->begin;
			uint32_t n_rest = part->end - part->front;

			if (n_rest == 0) {
				part->front = part->begin;
			} else if (n_marked <= n_rest) {
				KT_TRY(split_off(r, r->marked[j], part->begin,
						 part->front));
			} else {
				KT_TRY(split_off(r, r->marked[j], part->front, part->end));
			}
		}
		r->n_marked = 0;
	}
	r->n_parents = 0;
	return KT_OK;
}

/* --- a round --- */

/*
 * Copies the parents of the nodes in classes from `first` on into groups, one group per
 * class and letter. Each node of a group has a child in the class, reached by the letter,
 * and must be split from all nodes that have no such child. The parents are copied because
 * marking moves nodes and splitting changes classes.
 */
static int collect_parents(struct refinement *r, uint32_t first)
{
	const struct kt_prefix_node *nodes = r->tree->nodes;

	for (uint32_t number = first; number < r->n_classes; number++) {
		const struct part *part = &r->parts[number];
		uint32_t *parents;
		size_t n_letters = 0;
		uint32_t sum = 0;

		if (number + FAR < r->n_classes) {
			__builtin_prefetch(&r->order[r->parts[number + FAR].begin]);
			__builtin_prefetch(&nodes[r->order[r->parts[number + NEAR].begin]]);
		}
		KT_TRY(kt_array_reserve(&r->parents, &r->parents_capacity,
					r->n_parents + (part->end - part->begin)));
		parents = r->parents + r->n_parents;
		if (is_alone(part)) {
			uint32_t parent = nodes[r->order[part->begin]].parent;

			parents[0] = parent | LAST;
			r->n_parents += parent != KT_NO_NODE;
			continue;
		}
		/*
		 * Collect the letters that lead to nodes of the class, and count the nodes
		 * that each letter leads to.
		 */
		for (uint32_t i = part->begin; i < part->end; i++) {
			const struct kt_prefix_node *node = &nodes[r->order[i]];

			if (i + FAR < part->end) {
				__builtin_prefetch(&nodes[r->order[i + FAR]]);
			}
			if (node->parent != KT_NO_NODE && !r->count[node->letter]++) {
				r->letters[n_letters++] = node->letter;
			}
		}
		for (size_t i = 0; i < n_letters; i++) {
			uint32_t count = r->count[r->letters[i]];

			r->count[r->letters[i]] = sum;
			sum += count;
		}
		for (uint32_t i = part->begin; i < part->end; i++) {
			const struct kt_prefix_node *node = &nodes[r->order[i]];

			if (i + FAR < part->end) {
				__builtin_prefetch(&nodes[r->order[i + FAR]]);
			}
			if (node->parent != KT_NO_NODE) {
				parents[r->count[node->letter]++] = node->parent;
			}
		}
		for (size_t i = 0; i < n_letters; i++) {
			parents[r->count[r->letters[i]] - 1] |= LAST;
			r->count[r->letters[i]] = 0;
		}
		r->n_parents += sum;
	}
	return KT_OK;
}

/*
 * Splits the classes of k - 1 into those of k, for each k in turn. Classes from `first` on
 * are new at k - 1, and only the parents of their nodes matter. A split makes new classes
 * of all its parts but one. Therefore, if two children are in one class for k - 2 but not
 * for k - 1, at least one of them is in a new class.
 */
static int make_rounds(struct refinement *r, struct kt_levels *levels, uint64_t hi)
{
	uint32_t first = 0; /* at k = 0 the only class is new */

	for (uint64_t k = 1; k <= hi; k++) {
		uint32_t before = r->n_classes;

		if (first == before && r->n_ended == r->n_ending) {
			break;
		}
		KT_TRY(collect_parents(r, first));
		/*
		 * From this k on, the tails of the next nodes in `ending` reach a truncated
		 * end and are unknown: each such node becomes a class of its own.
		 */
		for (; r->n_ended < r->n_ending; r->n_ended++) {
			uint32_t node = r->ending[r->n_ended];
			uint32_t number = r->slots[node].class;

			if (r->tree->known[node] >= k) {
				break;
			}
			if (!is_alone(&r->parts[number])) {
				mark(r, node);
				KT_TRY(split_off(r, number, r->parts[number].begin,
						 r->parts[number].front));
			}
		}
		KT_TRY(split_by_parents(r));
		for (uint32_t i = before; i < r->n_classes; i++) {
			kt_levels_count(levels, k - 1);
		}
		first = before;
	}
	return KT_OK;
}

int kt_refine(struct kt_partition *partition, const struct kt_prefix_tree *tree,
	      uint32_t n_letters, uint64_t lo, uint64_t hi)
{
	struct refinement r = {.tree = tree};
	struct kt_pair *pairs;
	size_t n;
	int code;

	*partition = (struct kt_partition){0};
	KT_TRY_END(kt_levels_begin(&partition->levels, lo, hi));
	KT_TRY_END(begin(&r, n_letters, hi));
	KT_TRY_END(make_rounds(&r, &partition->levels, hi));

	/* Before allocating the pairs, free everything that the result does not need. */
	free(r.order);
	free(r.parents);
	free(r.ending);
	r.order = r.parents = r.ending = NULL;

	/*
	 * Each class and the class that it was split from form a pair. Later splits have
	 * higher levels, so descending class numbers give the pairs by descending level.
	 */
	n = kt_levels_counted(&partition->levels);
	pairs = malloc((n + 1) * sizeof(*pairs));
	if (!pairs) {
		code = kt_no_memory("merge nodes of equal k-tails");
		goto end;
	}
	for (size_t i = 0; i < n; i++) {
		uint32_t number = r.n_classes - 1 - (uint32_t)i;

		pairs[i] = (struct kt_pair){r.parts[number].origin, number};
	}
	kt_levels_take(&partition->levels, pairs);
	partition->n_classes = r.n_classes;
	partition->class_of = malloc(tree->n * sizeof(*partition->class_of));
	if (!partition->class_of) {
		code = kt_no_memory("merge nodes of equal k-tails");
		goto end;
	}
	for (uint32_t node = 0; node < tree->n; node++) {
		partition->class_of[node] = r.slots[node].class;
	}
end:
	free(r.slots);
	free(r.order);
	free(r.parts);
	free(r.ending);
	free(r.parents);
	free(r.count);
	free(r.letters);
	free(r.marked);
	if (code) {
		kt_partition_clear(partition);
	}
	return code;
}

void kt_partition_clear(struct kt_partition *partition)
{
	free(partition->class_of);
	kt_levels_clear(&partition->levels);
	*partition = (struct kt_partition){0};
}
