/* SPDX-License-Identifier: MIT */
#include "infer/engine/refine.h"

#include <stdbool.h>
#include <stdlib.h>

#include <ktail/status.h>

#include "base/array.h"

/* How far ahead what is looked at next is fetched: nodes lie all over the memory. */
#define FAR  32
#define NEAR 16

/* Set in the last parent of a group; nodes are less than that. */
#define LAST 0x80000000u

/* A class: its nodes stand side by side in an order of all nodes. */
struct part {
	uint32_t begin;
	uint32_t end;
	uint32_t front;  /* until there, nodes that the group at hand has marked */
	uint32_t origin; /* the class it was split from */
};

/* What is known of a node. */
struct place {
	uint32_t class;
	uint32_t at; /* in the order */
};

struct refinement {
	const struct kt_prefix_tree *tree; /* Weak */
	struct place *places;              /* Owned by this: by node */
	uint32_t *order;                   /* Owned by this: nodes, class by class */
	struct part *parts;                /* Owned by this: by class */
	uint32_t n_classes;
	size_t parts_capacity;

	uint32_t *ending; /* Owned by this: nodes by letters to the nearest cut end */
	uint32_t n_ending;
	uint32_t n_ended; /* of these, how many have an unknown tail by now */

	uint32_t *parents; /* Owned by this: groups, each to be parted from the rest */
	size_t parents_capacity;
	size_t n_parents;
	uint32_t *count;   /* Owned by this: by letter, 0 between classes */
	uint32_t *letters; /* Owned by this: those that lead into the class at hand */

	uint32_t *marked; /* Owned by this: classes that hold some of a group */
	size_t marked_capacity;
	size_t n_marked;
};

static int out_of_memory(void)
{
	return kt_error(KT_E_MEMORY, "merge nodes of equal k-tails: out of memory");
}

/* --- beginning and end --- */

static void clear(struct refinement *r)
{
	free(r->places);
	free(r->order);
	free(r->parts);
	free(r->ending);
	free(r->parents);
	free(r->count);
	free(r->letters);
	free(r->marked);
	*r = (struct refinement){0};
}

/* Nodes with a cut end less than hi letters below, the nearest first: by counting. */
static int sort_ending(struct refinement *r, uint64_t hi)
{
	const uint32_t *known = r->tree->known;
	uint32_t *at = calloc((size_t)hi + 1, sizeof(*at));

	if (!at) {
		return out_of_memory();
	}
	for (uint32_t node = 0; node < r->tree->n; node++) {
		if (known[node] < hi) {
			at[known[node] + 1]++;
			r->n_ending++;
		}
	}
	r->ending = malloc((r->n_ending + (size_t)1) * sizeof(*r->ending));
	if (!r->ending) {
		free(at);
		return out_of_memory();
	}
	for (size_t i = 1; i <= hi; i++) {
		at[i] += at[i - 1];
	}
	for (uint32_t node = 0; node < r->tree->n; node++) {
		if (known[node] < hi) {
			r->ending[at[known[node]]++] = node;
		}
	}
	free(at);
	return KT_OK;
}

/* k = 0: all nodes are one class. */
static int begin(struct refinement *r, uint32_t n_letters, uint64_t hi)
{
	uint32_t n = r->tree->n;
	int code;

	r->places = malloc(n * sizeof(*r->places));
	r->order = malloc(n * sizeof(*r->order));
	r->count = calloc(n_letters + (size_t)1, sizeof(*r->count));
	r->letters = malloc((n_letters + (size_t)1) * sizeof(*r->letters));
	if (!r->places || !r->order || !r->count || !r->letters) {
		return out_of_memory();
	}
	code = kt_array_reserve(&r->parts, &r->parts_capacity, 1);
	if (code) {
		return code;
	}
	for (uint32_t i = 0; i < n; i++) {
		r->order[i] = i;
		r->places[i] = (struct place){.class = 0, .at = i};
	}
	r->parts[r->n_classes++] = (struct part){.begin = 0, .end = n};
	return sort_ending(r, hi);
}

/* --- splitting --- */

/* The nodes from `from` to `to`, at one side of the class, become one of their own. */
static int split_off(struct refinement *r, uint32_t number, uint32_t from, uint32_t to)
{
	uint32_t new = r->n_classes;
	int code = kt_array_reserve(&r->parts, &r->parts_capacity, (size_t) new + 1);

	if (code) {
		return code;
	}
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
			__builtin_prefetch(&r->places[r->order[i + FAR]]);
		}
		r->places[r->order[i]].class = new;
	}
	return KT_OK;
}

/* Moves a node to the marked ones of its class, at its front. */
static void mark(struct refinement *r, uint32_t node)
{
	struct place *place = &r->places[node];
	uint32_t front = r->parts[place->class].front++;
	uint32_t other = r->order[front];

	r->order[place->at] = other;
	r->places[other].at = place->at;
	r->order[front] = node;
	place->at = front;
}

static bool is_alone(const struct part *part)
{
	return part->end - part->begin == 1;
}

/* What is marked and what is not part; the fewer get the new number. */
static int split_marked(struct refinement *r)
{
	int code = KT_OK;

	for (size_t i = 0; !code && i < r->n_marked; i++) {
		struct part *part = &r->parts[r->marked[i]];
		uint32_t n_marked = part->front - part->begin;
		uint32_t n_rest = part->end - part->front;

		if (n_rest == 0) {
			part->front = part->begin;
		} else if (n_marked <= n_rest) {
			code = split_off(r, r->marked[i], part->begin, part->front);
		} else {
			code = split_off(r, r->marked[i], part->front, part->end);
		}
	}
	r->n_marked = 0;
	return code;
}

static int mark_parent(struct refinement *r, uint32_t node)
{
	uint32_t number = r->places[node].class;
	const struct part *part = &r->parts[number];

	if (is_alone(part)) {
		return KT_OK;
	}
	if (part->front == part->begin) {
		int code =
			kt_array_reserve(&r->marked, &r->marked_capacity, r->n_marked + 1);

		if (code) {
			return code;
		}
		r->marked[r->n_marked++] = number;
	}
	mark(r, node);
	return KT_OK;
}

static void fetch_parents(const struct refinement *r, size_t i)
{
	if (i + FAR < r->n_parents) {
		const struct place *near = &r->places[r->parents[i + NEAR] & ~LAST];

		__builtin_prefetch(&r->places[r->parents[i + FAR] & ~LAST]);
		__builtin_prefetch(&r->parts[near->class]);
		__builtin_prefetch(&r->order[near->at]);
	}
}

/* Parts the nodes of each group from those of their classes that are not in it. */
static int split_by_parents(struct refinement *r)
{
	int code = KT_OK;

	for (size_t i = 0; !code && i < r->n_parents; i++) {
		fetch_parents(r, i);
		code = mark_parent(r, r->parents[i] & ~LAST);
		if (!code && r->parents[i] & LAST) {
			code = split_marked(r);
		}
	}
	r->n_parents = 0;
	return code;
}

/* --- a round --- */

/* By which letters a class's nodes are reached, and how many by each. */
static size_t count_letters(struct refinement *r, const struct part *part)
{
	size_t n_letters = 0;

	for (uint32_t i = part->begin; i < part->end; i++) {
		const struct kt_prefix_node *node = &r->tree->nodes[r->order[i]];

		if (i + FAR < part->end) {
			__builtin_prefetch(&r->tree->nodes[r->order[i + FAR]]);
		}
		if (node->parent != KT_NO_NODE && !r->count[node->letter]++) {
			r->letters[n_letters++] = node->letter;
		}
	}
	return n_letters;
}

/* The parents of a class's nodes, a group for each letter. There is room for them. */
static void collect_by_letter(struct refinement *r, const struct part *part)
{
	size_t n_letters = count_letters(r, part);
	uint32_t *parents = r->parents + r->n_parents;
	uint32_t sum = 0;

	for (size_t i = 0; i < n_letters; i++) {
		uint32_t count = r->count[r->letters[i]];

		r->count[r->letters[i]] = sum;
		sum += count;
	}
	for (uint32_t i = part->begin; i < part->end; i++) {
		const struct kt_prefix_node *node = &r->tree->nodes[r->order[i]];

		if (i + FAR < part->end) {
			__builtin_prefetch(&r->tree->nodes[r->order[i + FAR]]);
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

static void fetch_part(const struct refinement *r, uint32_t number)
{
	if (number + FAR < r->n_classes) {
		__builtin_prefetch(&r->order[r->parts[number + FAR].begin]);
		__builtin_prefetch(
			&r->tree->nodes[r->order[r->parts[number + NEAR].begin]]);
	}
}

/*
 * The nodes from which a letter leads to a class from `first` on are to be parted from
 * those where it does not. They are copied out, since marking moves nodes and splitting
 * changes classes.
 */
static int collect_parents(struct refinement *r, uint32_t first)
{
	int code = KT_OK;

	for (uint32_t i = first; !code && i < r->n_classes; i++) {
		const struct part *part = &r->parts[i];

		fetch_part(r, i);
		code = kt_array_reserve(&r->parents, &r->parents_capacity,
					r->n_parents + (part->end - part->begin));
		if (!code && is_alone(part)) {
			uint32_t parent = r->tree->nodes[r->order[part->begin]].parent;

			r->parents[r->n_parents] = parent | LAST;
			r->n_parents += parent != KT_NO_NODE;
		} else if (!code) {
			collect_by_letter(r, part);
		}
	}
	return code;
}

/* From this k on, tails that reach a cut end are unknown: each is equal to nothing. */
static int split_unknown(struct refinement *r, uint64_t k)
{
	int code = KT_OK;

	for (; !code && r->n_ended < r->n_ending; r->n_ended++) {
		uint32_t node = r->ending[r->n_ended];
		uint32_t number = r->places[node].class;

		if (r->tree->known[node] >= k) {
			break;
		}
		if (!is_alone(&r->parts[number])) {
			mark(r, node);
			code = split_off(r, number, r->parts[number].begin,
					 r->parts[number].front);
		}
	}
	return code;
}

/*
 * From the classes of k - 1, of which those from `first` on are new, to those of k. Nodes
 * that agree on all letters' targets of k - 2 differ in those of k - 1 only where one of
 * these is new, since of the parts of each class all but one are.
 */
static int make_round(struct refinement *r, uint32_t first, uint64_t k)
{
	int code = collect_parents(r, first);

	code = code ? code : split_unknown(r, k);
	return code ? code : split_by_parents(r);
}

static int make_rounds(struct refinement *r, struct kt_levels *levels, uint64_t hi)
{
	uint32_t first = 0; /* at k = 0, the only class is new */
	int code = KT_OK;

	for (uint64_t k = 1; !code && k <= hi; k++) {
		uint32_t before = r->n_classes;

		if (first == before && r->n_ended == r->n_ending) {
			break;
		}
		code = make_round(r, first, k);
		for (uint32_t i = before; i < r->n_classes; i++) {
			kt_levels_count(levels, k - 1);
		}
		first = before;
	}
	return code;
}

/* --- the result --- */

/* A class and the one it was split from are a pair; the last to be split have the highest
 * level. */
static int list_pairs(struct kt_levels *levels, const struct refinement *r)
{
	size_t n = kt_levels_counted(levels);
	struct kt_pair *pairs = malloc((n + 1) * sizeof(*pairs));

	if (!pairs) {
		return out_of_memory();
	}
	for (size_t i = 0; i < n; i++) {
		uint32_t number = r->n_classes - 1 - (uint32_t)i;

		pairs[i] = (struct kt_pair){r->parts[number].origin, number};
	}
	kt_levels_take(levels, pairs);
	return KT_OK;
}

static int list_classes(struct kt_partition *partition, const struct refinement *r)
{
	partition->n_classes = r->n_classes;
	partition->class_of = malloc(r->tree->n * sizeof(*partition->class_of));
	if (!partition->class_of) {
		return out_of_memory();
	}
	for (uint32_t node = 0; node < r->tree->n; node++) {
		partition->class_of[node] = r->places[node].class;
	}
	return KT_OK;
}

/* Gives back what the result does not need. */
static void finish(struct refinement *r)
{
	free(r->order);
	free(r->parents);
	free(r->ending);
	r->order = r->parents = r->ending = NULL;
}

int kt_refine(struct kt_partition *partition, const struct kt_prefix_tree *tree,
	      uint32_t n_letters, uint64_t lo, uint64_t hi)
{
	struct refinement r = {.tree = tree};
	int code;

	*partition = (struct kt_partition){0};
	code = kt_levels_begin(&partition->levels, lo, hi);
	code = code ? code : begin(&r, n_letters, hi);
	code = code ? code : make_rounds(&r, &partition->levels, hi);
	finish(&r);
	code = code ? code : list_pairs(&partition->levels, &r);
	code = code ? code : list_classes(partition, &r);
	clear(&r);
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
