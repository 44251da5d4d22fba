/* SPDX-License-Identifier: MIT */
#include "infer/engine/determinise.h"

#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/array.h"

#define SMALL     12 /* transitions that are searched one after the other */
#define SLOTS_MIN 64

static int out_of_memory(void)
{
	return kt_error(KT_E_MEMORY, "determinise: out of memory");
}

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

static size_t slot_of(const struct kt_fold *fold, uint32_t root, uint32_t letter)
{
	uint64_t key = ((uint64_t)root << 32 | letter) * 0x9e3779b97f4a7c15u;

	return (size_t)(key >> 32 ^ key >> 7) & (fold->n_slots - 1);
}

static void occupy(struct kt_fold *fold, uint32_t root, uint32_t transition)
{
	size_t slot = slot_of(fold, root, fold->letter[transition]);

	while (fold->table[slot] != KT_FOLD_NONE) {
		if (fold->table[slot] == transition) {
			return;
		}
		slot = (slot + 1) & (fold->n_slots - 1);
	}
	fold->table[slot] = transition;
	fold->n_used++;
}

/*
 * A set that is swallowed leaves its entries behind, under a root that is none any more:
 * they are never found there, and not taken over when the table is made anew.
 */
static int make_table(struct kt_fold *fold)
{
	uint32_t *old = fold->table;
	size_t n_old = fold->n_slots;
	size_t live = 0;

	for (size_t i = 0; i < n_old; i++) {
		live += old[i] != KT_FOLD_NONE && kt_fold_has_transition(fold, old[i]);
	}
	fold->n_slots = SLOTS_MIN;
	while (fold->n_slots < live * 2) {
		fold->n_slots *= 2;
	}
	fold->table = malloc(fold->n_slots * sizeof(*fold->table));
	if (!fold->table) {
		fold->table = old;
		fold->n_slots = n_old;
		return out_of_memory();
	}
	memset(fold->table, 0xff, fold->n_slots * sizeof(*fold->table));
	fold->n_used = 0;
	for (size_t i = 0; i < n_old; i++) {
		if (old[i] != KT_FOLD_NONE && kt_fold_has_transition(fold, old[i])) {
			occupy(fold, kt_fold_find(fold, old[i]), old[i]);
		}
	}
	free(old);
	return KT_OK;
}

static int enter(struct kt_fold *fold, uint32_t root, uint32_t transition)
{
	if ((fold->n_used + 1) * 4 > fold->n_slots * 3) {
		int code = make_table(fold);

		if (code) {
			return code;
		}
	}
	occupy(fold, root, transition);
	return KT_OK;
}

static uint32_t look_up(struct kt_fold *fold, uint32_t root, uint32_t transition)
{
	uint32_t letter = fold->letter[transition];
	size_t slot = slot_of(fold, root, letter);

	for (; fold->table[slot] != KT_FOLD_NONE; slot = (slot + 1) & (fold->n_slots - 1)) {
		uint32_t t = fold->table[slot];

		if (t != transition && fold->letter[t] == letter &&
		    kt_fold_has_transition(fold, t) && kt_fold_find(fold, t) == root) {
			return t;
		}
	}
	return KT_FOLD_NONE;
}

/* --- sets --- */

/* Another transition of the state at root with the same letter, or KT_FOLD_NONE. */
static uint32_t find_twin(struct kt_fold *fold, uint32_t root, uint32_t transition)
{
	if (degree(fold, root) > SMALL) {
		return look_up(fold, root, transition);
	}
	for (uint32_t t = root; t != KT_FOLD_NONE; t = fold->next[t]) {
		if (fold->letter[t] == fold->letter[transition] &&
		    kt_fold_has_transition(fold, t)) {
			return t;
		}
	}
	return KT_FOLD_NONE;
}

static int postpone(struct kt_fold *fold, uint32_t a, uint32_t b)
{
	int code = kt_array_reserve(&fold->pending, &fold->pending_capacity,
				    fold->n_pending + 1);

	if (!code) {
		fold->pending[fold->n_pending++] = (struct kt_pair){a, b};
	}
	return code;
}

/* Makes a transition one of the state at root; it is in no list. */
static int add_transition(struct kt_fold *fold, uint32_t root, uint32_t transition)
{
	uint32_t twin = find_twin(fold, root, transition);
	int code = KT_OK;

	if (twin != KT_FOLD_NONE) {
		fold->count[twin] += fold->count[transition];
		fold->count[transition] = 0;
		return postpone(fold, fold->target[twin], fold->target[transition]);
	}
	fold->next[transition] = fold->next[root];
	fold->next[root] = transition;
	fold->parent[root]++;
	if (degree(fold, root) == SMALL + 1) {
		for (uint32_t t = root; !code && t != KT_FOLD_NONE; t = fold->next[t]) {
			if (kt_fold_has_transition(fold, t)) {
				code = enter(fold, root, t);
			}
		}
	} else if (degree(fold, root) > SMALL) {
		code = enter(fold, root, transition);
	}
	return code;
}

static bool is_complex(const struct kt_fold *fold, uint32_t root)
{
	return degree(fold, root) > 1 || fold->in[root] > 1;
}

/* The one with fewer transitions moves, so that each moves O(log classes) times. */
static int unite_roots(struct kt_fold *fold, uint32_t a, uint32_t b)
{
	uint32_t into = degree(fold, a) >= degree(fold, b) ? a : b;
	uint32_t from = into == a ? b : a;
	uint32_t t = from;
	int code = KT_OK;

	fold->n_states--;
	fold->n_complex -= (size_t)is_complex(fold, a) + is_complex(fold, b);
	fold->in[into] += fold->in[from];
	fold->parent[from] = into;
	while (!code && t != KT_FOLD_NONE) {
		uint32_t after = fold->next[t];

		if (kt_fold_has_transition(fold, t)) {
			code = add_transition(fold, into, t);
		}
		t = after;
	}
	fold->n_complex += is_complex(fold, into);
	return code;
}

/* One of two transitions was dropped, which led to this state. */
static void lose_transition(struct kt_fold *fold, uint32_t root)
{
	fold->n_transitions--;
	fold->n_complex -= is_complex(fold, root);
	fold->in[root]--;
	fold->n_complex += is_complex(fold, root);
}

int kt_fold_unite(struct kt_fold *fold, uint32_t a, uint32_t b)
{
	int code = KT_OK;

	a = kt_fold_find(fold, a);
	b = kt_fold_find(fold, b);
	if (a != b) {
		code = unite_roots(fold, a, b);
	}
	while (!code && fold->n_pending) {
		struct kt_pair pair = fold->pending[--fold->n_pending];

		a = kt_fold_find(fold, pair.a);
		b = kt_fold_find(fold, pair.b);
		lose_transition(fold, b);
		if (a != b) {
			code = unite_roots(fold, a, b);
		}
	}
	return code;
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
		return out_of_memory();
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
			/* The second way in makes a state complex; none has two out yet. */
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
	free(fold->table);
	*fold = (struct kt_fold){0};
}
