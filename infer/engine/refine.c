/* SPDX-License-Identifier: MIT */
#include "infer/engine/refine.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/array.h"

struct range {
	uint32_t begin;
	uint32_t end;
};

/* The nodes of a class stand side by side in an order of all nodes. */
struct class
{
	uint32_t begin;
	uint32_t end;
	uint32_t front;  /* until there, nodes that the splitter at hand has marked */
	uint32_t origin; /* the class it was split from */
};

struct refinement {
	const struct kt_prefix_tree *tree; /* Weak */
	uint32_t *class_of;                /* Owned by this: by node */
	uint32_t *order;                   /* Owned by this: nodes, class by class */
	uint32_t *place;       /* Owned by this: of a node, where in the order */
	struct class *classes; /* Owned by this */
	uint32_t n_classes;
	size_t classes_capacity;
	uint32_t *ending; /* Owned by this: nodes by letters to the nearest cut end */
	uint32_t n_ending;
	uint32_t n_ended;        /* of these, how many have an unknown tail by now */
	struct range *splitters; /* Owned by this: the last round's classes */
	size_t splitters_capacity;
	uint32_t *parents; /* Owned by this: of a splitter's nodes, by letter */
	size_t parents_capacity;
	uint32_t *count;   /* Owned by this: by letter, 0 between splitters */
	uint32_t *letters; /* Owned by this: those that lead into a splitter */
	uint32_t *marked;  /* Owned by this: classes that hold some of the parents */
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
	free(r->class_of);
	free(r->order);
	free(r->place);
	free(r->classes);
	free(r->ending);
	free(r->splitters);
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

	r->class_of = calloc(n, sizeof(*r->class_of));
	r->order = malloc(n * sizeof(*r->order));
	r->place = malloc(n * sizeof(*r->place));
	r->count = calloc(n_letters + (size_t)1, sizeof(*r->count));
	r->letters = malloc((n_letters + (size_t)1) * sizeof(*r->letters));
	if (!r->class_of || !r->order || !r->place || !r->count || !r->letters) {
		return out_of_memory();
	}
	code = kt_array_reserve(&r->classes, &r->classes_capacity, 1);
	if (code) {
		return code;
	}
	for (uint32_t i = 0; i < n; i++) {
		r->order[i] = i;
		r->place[i] = i;
	}
	r->classes[r->n_classes++] = (struct class){0, n, 0, 0};
	return sort_ending(r, hi);
}

/* --- splitting --- */

/* The nodes from `begin` to `end`, at one side of the class, become one of their own. */
static int split_off(struct refinement *r, uint32_t class, uint32_t begin, uint32_t end)
{
	uint32_t new = r->n_classes;
	int code = kt_array_reserve(&r->classes, &r->classes_capacity, (size_t) new + 1);

	if (code) {
		return code;
	}
	if (begin == r->classes[class].begin) {
		r->classes[class].begin = end;
	} else {
		r->classes[class].end = begin;
	}
	r->classes[class].front = r->classes[class].begin;
	r->classes[new] = (struct class){begin, end, begin, class};
	r->n_classes++;
	for (uint32_t i = begin; i < end; i++) {
		r->class_of[r->order[i]] = new;
	}
	return KT_OK;
}

/* Moves a node to the marked ones of its class, at its front. */
static void mark(struct refinement *r, uint32_t node)
{
	uint32_t at = r->place[node];
	uint32_t front = r->classes[r->class_of[node]].front++;
	uint32_t other = r->order[front];

	r->order[at] = other;
	r->place[other] = at;
	r->order[front] = node;
	r->place[node] = front;
}

static bool is_alone(const struct class *class)
{
	return class->end - class->begin == 1;
}

/* What is marked and what is not part; the fewer get the new number. */
static int split_marked(struct refinement *r)
{
	int code = KT_OK;

	for (size_t i = 0; !code && i < r->n_marked; i++) {
		struct class *class = &r->classes[r->marked[i]];
		uint32_t n_marked = class->front - class->begin;
		uint32_t n_rest = class->end - class->front;

		if (n_rest == 0) {
			class->front = class->begin;
		} else if (n_marked <= n_rest) {
			code = split_off(r, r->marked[i], class->begin, class->front);
		} else {
			code = split_off(r, r->marked[i], class->front, class->end);
		}
	}
	r->n_marked = 0;
	return code;
}

/* Parts the nodes that are among these, each once, from those of their classes that are
 * not.
 */
static int split_by(struct refinement *r, const uint32_t *nodes, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint32_t number = r->class_of[nodes[i]];
		const struct class *class = &r->classes[number];

		if (is_alone(class)) {
			continue;
		}
		if (class->front == class->begin) {
			int code = kt_array_reserve(&r->marked, &r->marked_capacity,
						    r->n_marked + 1);

			if (code) {
				return code;
			}
			r->marked[r->n_marked++] = number;
		}
		mark(r, nodes[i]);
	}
	return split_marked(r);
}

/* --- a round --- */

/*
 * The parents of a splitter's nodes, those by one letter side by side: behind
 * r->count[letter] of the letters before. They are copied out, since marking moves nodes.
 */
static int collect_parents(struct refinement *r, size_t *n_letters, struct range splitter)
{
	const struct kt_prefix_tree *tree = r->tree;
	uint32_t sum = 0;
	int code = kt_array_reserve(&r->parents, &r->parents_capacity,
				    splitter.end - splitter.begin);

	*n_letters = 0;
	if (code) {
		return code;
	}
	for (uint32_t i = splitter.begin; i < splitter.end; i++) {
		uint32_t node = r->order[i];

		if (tree->parent[node] != KT_NO_NODE && !r->count[tree->letter[node]]++) {
			r->letters[(*n_letters)++] = tree->letter[node];
		}
	}
	for (size_t i = 0; i < *n_letters; i++) {
		uint32_t count = r->count[r->letters[i]];

		r->count[r->letters[i]] = sum;
		sum += count;
	}
	for (uint32_t i = splitter.begin; i < splitter.end; i++) {
		uint32_t node = r->order[i];

		if (tree->parent[node] != KT_NO_NODE) {
			r->parents[r->count[tree->letter[node]]++] = tree->parent[node];
		}
	}
	return KT_OK;
}

/* Nodes from which a letter leads into the splitter part from those where it does not. */
static int split_by_range(struct refinement *r, struct range splitter)
{
	size_t n_letters;
	uint32_t from = 0;
	int code = collect_parents(r, &n_letters, splitter);

	for (size_t i = 0; i < n_letters; i++) {
		uint32_t to = r->count[r->letters[i]];

		code = code ? code : split_by(r, r->parents + from, to - from);
		r->count[r->letters[i]] = 0;
		from = to;
	}
	return code;
}

/* From this k on, tails that reach a cut end are unknown: each is equal to nothing. */
static int split_unknown(struct refinement *r, uint64_t k)
{
	int code = KT_OK;

	for (; !code && r->n_ended < r->n_ending; r->n_ended++) {
		uint32_t node = r->ending[r->n_ended];
		uint32_t class = r->class_of[node];

		if (r->tree->known[node] >= k) {
			break;
		}
		if (!is_alone(&r->classes[class])) {
			mark(r, node);
			code = split_off(r, class, r->classes[class].begin,
					 r->classes[class].front);
		}
	}
	return code;
}

/*
 * The classes that the last round made, as they were at its end: they are split further
 * while they are looked at, but their nodes stay within the range.
 */
static int collect_splitters(struct refinement *r, size_t *n, uint32_t first)
{
	int code;

	*n = r->n_classes - first;
	code = kt_array_reserve(&r->splitters, &r->splitters_capacity, *n);
	for (size_t i = 0; !code && i < *n; i++) {
		const struct class *class = &r->classes[first + i];

		r->splitters[i] = (struct range){class->begin, class->end};
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
	size_t n;
	int code = collect_splitters(r, &n, first);

	code = code ? code : split_unknown(r, k);
	for (size_t i = 0; !code && i < n; i++) {
		code = split_by_range(r, r->splitters[i]);
	}
	return code;
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
		for (uint32_t class = before; class < r->n_classes; class ++) {
			kt_levels_count(levels, k - 1);
		}
		first = before;
	}
	return code;
}

/* --- the result --- */

/* A class and the one it was split from are a pair; the first to be split has the lowest
 * level. */
static int list_pairs(struct kt_levels *levels, struct refinement *r)
{
	size_t n = kt_levels_counted(levels);
	struct kt_pair *pairs = malloc((n + 1) * sizeof(*pairs));

	if (!pairs) {
		return out_of_memory();
	}
	for (size_t i = 0; i < n; i++) {
		uint32_t class = r->n_classes - 1 - (uint32_t)i;

		pairs[i] = (struct kt_pair){r->classes[class].origin, class};
	}
	kt_levels_take(levels, pairs);
	return KT_OK;
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
	if (!code) {
		partition->class_of = r.class_of;
		partition->n_classes = r.n_classes;
		r.class_of = NULL;
		free(r.order);
		free(r.place);
		r.order = r.place = NULL;
		code = list_pairs(&partition->levels, &r);
	}
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
