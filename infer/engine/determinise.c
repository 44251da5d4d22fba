/* SPDX-License-Identifier: MIT */
#include "infer/engine/determinise.h"

#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/try.h"

/* --- levels: the partitions for every k --- */

int kt_levels_begin(struct kt_levels *levels, uint64_t lo, uint64_t hi)
{
	*levels = (struct kt_levels){
		.lo = lo,
		.hi = hi,
		.until = calloc((size_t)(hi - lo) + 1, sizeof(*levels->until)),
	};
	return levels->until ? KT_OK : kt_no_memory("list merges of every k");
}

int kt_levels_allocate(struct kt_levels *levels)
{
	size_t n = 0;

	/*
	 * While pairs are put, until[] of a level is the index in pairs[] at which the
	 * next pair of that level is put.
	 */
	for (uint64_t i = levels->hi - levels->lo + 1; i-- > 0;) {
		size_t count = levels->until[i];

		levels->until[i] = n;
		n += count;
	}
	levels->pairs = malloc((n + 1) * sizeof(*levels->pairs));
	return levels->pairs ? KT_OK : kt_no_memory("list merges of every k");
}

size_t kt_levels_counted(const struct kt_levels *levels)
{
	size_t n = 0;

	for (uint64_t i = 0; i <= levels->hi - levels->lo; i++) {
		n += levels->until[i];
	}
	return n;
}

void kt_levels_take(struct kt_levels *levels, struct kt_pair *pairs)
{
	for (uint64_t i = levels->hi - levels->lo; i-- > 0;) {
		levels->until[i] += levels->until[i + 1];
	}
	levels->pairs = pairs;
}

void kt_levels_clear(struct kt_levels *levels)
{
	free(levels->pairs);
	free(levels->until);
	*levels = (struct kt_levels){0};
}

#define SMALL 12 /* sets with more transitions are searched by hash */

/* --- the fold --- */

uint32_t kt_fold_find(struct kt_fold *fold, uint32_t class)
{
	uint32_t *parent = fold->parent;

	while (!(parent[class] & KT_FOLD_ROOT)) {
		uint32_t above = parent[class];

		if (!(parent[above] & KT_FOLD_ROOT)) {
			parent[class] = parent[above];
		}
		class = above;
	}
	return class;
}

static uint32_t degree(const struct kt_fold *fold, uint32_t root)
{
	return fold->parent[root] & ~KT_FOLD_ROOT;
}

/* --- transitions of large sets --- */

static uint32_t hash_of(const struct kt_fold *fold, uint32_t root, uint32_t transition)
{
	return kt_hash_number((uint64_t)root << 32 | fold->letter[transition]);
}

/* Inserts a transition unless it is present. The table must have space. */
static void put(struct kt_hash_index *table, uint32_t hash, uint32_t transition)
{
	struct kt_hash_probe probe = kt_hash_probe(table, hash);
	uint32_t known;

	while (kt_hash_next(table, &probe, &known)) {
		if (known == transition) {
			return;
		}
	}
	kt_hash_put(table, hash, transition);
}

/*
 * Adds a transition of the set at root to the table, which is rebuilt when it is half full.
 * When a set is merged into another, its entries stay in the table under the old root,
 * where no search finds them. A rebuild enters only the transitions that were not dropped,
 * under their current roots.
 */
static int enter(struct kt_fold *fold, uint32_t root, uint32_t transition)
{
	struct kt_hash_index *table = &fold->table;

	if (2 * (table->n + 1) > table->n_slots) {
		struct kt_hash_index live = {0};
		size_t n = 1;

		for (size_t i = 0; i < table->n_slots; i++) {
			uint32_t next = table->slots[i].next_number;

			n += next && kt_fold_has_transition(fold, next - 1);
		}
		/* Reserve space for half as many more, so that rebuilds stay rare. */
		if (kt_hash_reserve(&live, n + n / 2)) {
			return kt_no_memory("determinise");
		}
		for (size_t i = 0; i < table->n_slots; i++) {
			uint32_t next = table->slots[i].next_number;

			if (next && kt_fold_has_transition(fold, next - 1)) {
				uint32_t its_root = kt_fold_find(fold, next - 1);

				put(&live, hash_of(fold, its_root, next - 1), next - 1);
			}
		}
		kt_hash_free(table);
		*table = live;
	}
	put(table, hash_of(fold, root, transition), transition);
	return KT_OK;
}

/* --- sets --- */

/*
 * Returns the transition of the state at root that is not `transition` but has the same
 * letter, or KT_FOLD_NONE.
 */
static uint32_t find_twin(struct kt_fold *fold, uint32_t root, uint32_t transition)
{
	uint32_t letter = fold->letter[transition];
	struct kt_hash_probe probe;
	uint32_t t;

	if (degree(fold, root) <= SMALL) {
		for (t = root; t != KT_FOLD_NONE; t = fold->next[t]) {
			if (fold->letter[t] == letter && kt_fold_has_transition(fold, t)) {
				return t;
			}
		}
		return KT_FOLD_NONE;
	}
	probe = kt_hash_probe(&fold->table, hash_of(fold, root, transition));
	while (kt_hash_next(&fold->table, &probe, &t)) {
		if (t != transition && fold->letter[t] == letter &&
		    kt_fold_has_transition(fold, t) && kt_fold_find(fold, t) == root) {
			return t;
		}
	}
	return KT_FOLD_NONE;
}

static bool is_complex(const struct kt_fold *fold, uint32_t root)
{
	return degree(fold, root) > 1 || fold->in[root] > 1;
}

/*
 * Merges two sets. Transitions move from the set that has fewer of them to the other set,
 * so that each transition moves O(log classes) times.
 */
static int merge_roots(struct kt_fold *fold, uint32_t a, uint32_t b)
{
	uint32_t into = degree(fold, a) >= degree(fold, b) ? a : b;
	uint32_t from = into == a ? b : a;
	uint32_t after;

	fold->n_states--;
	fold->n_complex -= (size_t)is_complex(fold, a) + is_complex(fold, b);
	fold->in[into] += fold->in[from];
	fold->parent[from] = into;
	for (uint32_t t = from; t != KT_FOLD_NONE; t = after) {
		uint32_t twin;

		after = fold->next[t];
		if (!kt_fold_has_transition(fold, t)) {
			continue;
		}
		twin = find_twin(fold, into, t);
		if (twin != KT_FOLD_NONE) {
			fold->count[twin] += fold->count[t];
			fold->count[t] = 0;
			KT_TRY(kt_array_reserve(&fold->pending, &fold->pending_capacity,
						fold->n_pending + 1));
			fold->pending[fold->n_pending++] =
				(struct kt_pair){fold->target[twin], fold->target[t]};
			continue;
		}
		fold->next[t] = fold->next[into];
		fold->next[into] = t;
		fold->parent[into]++;
		if (degree(fold, into) > SMALL + 1) {
			KT_TRY(enter(fold, into, t));
			continue;
		}
		/*
		 * If the set has just become large, enter all its transitions in the
		 * table, not only the moved ones.
		 */
		for (uint32_t u = degree(fold, into) > SMALL ? into : KT_FOLD_NONE;
		     u != KT_FOLD_NONE; u = fold->next[u]) {
			if (kt_fold_has_transition(fold, u)) {
				KT_TRY(enter(fold, into, u));
			}
		}
	}
	fold->n_complex += is_complex(fold, into);
	return KT_OK;
}

int kt_fold_merge(struct kt_fold *fold, uint32_t a, uint32_t b)
{
	a = kt_fold_find(fold, a);
	b = kt_fold_find(fold, b);
	if (a != b) {
		KT_TRY(merge_roots(fold, a, b));
	}
	while (fold->n_pending) {
		struct kt_pair pair = fold->pending[--fold->n_pending];

		a = kt_fold_find(fold, pair.a);
		b = kt_fold_find(fold, pair.b);
		/*
		 * When this pair was added, a transition to b was dropped: subtract it from
		 * the counts.
		 */
		fold->n_transitions--;
		fold->n_complex -= is_complex(fold, b);
		fold->in[b]--;
		fold->n_complex += is_complex(fold, b);
		if (a != b) {
			KT_TRY(merge_roots(fold, a, b));
		}
	}
	return KT_OK;
}

/* --- beginning and end --- */

int kt_fold_begin(struct kt_fold *fold, uint32_t n)
{
	size_t size = (n + (size_t)1) * sizeof(uint32_t);

	*fold = (struct kt_fold){.n = n};
	fold->parent = malloc(size);
	fold->target = malloc(size);
	fold->letter = calloc(1, size);
	fold->count = calloc(1, size);
	fold->next = malloc(size);
	fold->in = calloc(1, size);
	if (!fold->parent || !fold->target || !fold->letter || !fold->count ||
	    !fold->next || !fold->in) {
		kt_fold_clear(fold);
		return kt_no_memory("determinise");
	}
	memset(fold->target, 0xff, size);
	memset(fold->next, 0xff, size);
	return KT_OK;
}

void kt_fold_settle(struct kt_fold *fold)
{
	fold->n_states = fold->n;
	for (uint32_t class = 0; class < fold->n; class ++) {
		bool leads = fold->target[class] != KT_FOLD_NONE;

		fold->parent[class] = KT_FOLD_ROOT | leads;
		if (leads) {
			fold->n_transitions++;
			/*
			 * A second incoming transition makes a state complex; no state has
			 * two outgoing transitions yet.
			 */
			fold->n_complex += ++fold->in[fold->target[class]] == 2;
		}
	}
}

void kt_fold_clear(struct kt_fold *fold)
{
	free(fold->parent);
	free(fold->target);
	free(fold->letter);
	free(fold->count);
	free(fold->next);
	free(fold->in);
	free(fold->pending);
	kt_hash_free(&fold->table);
	*fold = (struct kt_fold){0};
}
