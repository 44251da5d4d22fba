/* SPDX-License-Identifier: MIT */
#include "infer/compare/product.h"

#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/array.h"

struct search {
	struct kt_product *product;   /* Weak */
	const struct kt_joint *joint; /* Weak */
	bool *seen[2];                /* Owned by this: transitions that are ways already */
	size_t ways_capacity;
	uint32_t most;
	uint64_t depth; /* letters of the word to the pair at hand */
};

/* --- pairs by their states --- */

static size_t hash(uint32_t old, uint32_t new, size_t n_slots)
{
	uint64_t key = ((uint64_t)old << 32 | new) * UINT64_C(0x9e3779b97f4a7c15);

	return (key ^ key >> 32) & (n_slots - 1);
}

/* Its slot, or the free one where it would be. */
static uint32_t *find_slot(const struct kt_product *product, uint32_t old, uint32_t new)
{
	size_t i = hash(old, new, product->n_slots);

	while (product->slots[i] != KT_PRODUCT_NONE) {
		const struct kt_product_pair *pair = &product->pairs[product->slots[i]];

		if (pair->state[0] == old && pair->state[1] == new) {
			break;
		}
		i = (i + 1) & (product->n_slots - 1);
	}
	return &product->slots[i];
}

uint32_t kt_product_find(const struct kt_product *product, uint32_t old, uint32_t new)
{
	return *find_slot(product, old, new);
}

/* Twice the slots: at most half of them are taken. */
static int grow_slots(struct kt_product *product)
{
	size_t n_slots = product->n_slots ? product->n_slots * 2 : 64;
	uint32_t *slots = malloc(n_slots * sizeof(*slots));

	if (!slots) {
		return kt_error(KT_E_MEMORY, "compare machines: out of memory");
	}
	memset(slots, 0xff, n_slots * sizeof(*slots));
	free(product->slots);
	product->slots = slots;
	product->n_slots = n_slots;
	for (size_t i = 0; i < product->n_pairs; i++) {
		const uint32_t *state = product->pairs[i].state;

		*find_slot(product, state[0], state[1]) = (uint32_t)i;
	}
	return KT_OK;
}

static int add_pair(struct search *search, struct kt_product_pair pair)
{
	struct kt_product *product = search->product;
	uint32_t *slot;
	int code = KT_OK;

	if (product->n_slots <= product->n_pairs * 2) {
		code = grow_slots(product);
	}
	if (code) {
		return code;
	}
	slot = find_slot(product, pair.state[0], pair.state[1]);
	if (*slot != KT_PRODUCT_NONE) {
		return KT_OK;
	}
	if (product->n_pairs == search->most) {
		product->complete = false;
		return KT_OK;
	}
	code = kt_array_reserve(&product->pairs, &product->capacity, product->n_pairs + 1);
	if (!code) {
		*slot = (uint32_t)product->n_pairs;
		product->pairs[product->n_pairs++] = pair;
	}
	return code;
}

/* --- the search --- */

static int add_way(struct search *search, uint32_t pair, int side, size_t transition)
{
	struct kt_product *product = search->product;
	int code;

	if (search->seen[side][transition]) {
		return KT_OK;
	}
	search->seen[side][transition] = true;
	code = kt_array_reserve(&product->ways, &search->ways_capacity,
				product->n_ways + 1);
	if (!code) {
		product->ways[product->n_ways++] =
			(struct kt_product_way){.pair = pair,
						.side = (uint32_t)side,
						.transition = transition,
						.length = search->depth + 1};
	}
	return code;
}

static int follow(struct search *search, uint32_t index)
{
	const struct kt_joint *joint = search->joint;
	struct kt_product_pair pair = search->product->pairs[index];
	struct kt_joint_step step = kt_joint_begin(joint, pair.state[0], pair.state[1]);
	int code = KT_OK;

	while (!code && kt_joint_next(joint, &step)) {
		int side = step.taken[0] == SIZE_MAX;

		if (step.taken[0] == SIZE_MAX || step.taken[1] == SIZE_MAX) {
			code = add_way(search, index, side, step.taken[side]);
			continue;
		}
		pair.state[0] = kt_joint_target(joint, 0, step.taken[0]);
		pair.state[1] = kt_joint_target(joint, 1, step.taken[1]);
		pair.before = index;
		pair.letter = step.letter;
		code = add_pair(search, pair);
	}
	return code;
}

/*
 * Level by level. Where a pair of the next level had no room, that level is not looked at:
 * what is found there could have a lesser word.
 */
static int walk(struct search *search)
{
	struct kt_product *product = search->product;
	struct kt_product_pair first = {
		.state = {search->joint->side[0].fsm->start,
			  search->joint->side[1].fsm->start},
		.before = KT_PRODUCT_NONE,
	};
	int code = add_pair(search, first);
	size_t i = 0;

	while (!code && product->complete && i < product->n_pairs) {
		size_t end = product->n_pairs;

		for (; !code && i < end; i++) {
			code = follow(search, (uint32_t)i);
		}
		search->depth++;
	}
	product->sure_length = search->depth;
	return code;
}

int kt_product_init(struct kt_product *out, const struct kt_joint *joint, uint32_t most)
{
	struct search search = {.product = out, .joint = joint, .most = most};
	int code = KT_OK;

	*out = (struct kt_product){.complete = true};
	for (int s = 0; s < 2; s++) {
		search.seen[s] = calloc(joint->side[s].fsm->n_transitions + 1, 1);
	}
	if (!search.seen[0] || !search.seen[1]) {
		code = kt_error(KT_E_MEMORY, "compare machines: out of memory");
	}
	code = code ? code : walk(&search);
	free(search.seen[0]);
	free(search.seen[1]);
	if (code) {
		kt_product_clear(out);
	}
	return code;
}

void kt_product_clear(struct kt_product *product)
{
	free(product->pairs);
	free(product->slots);
	free(product->ways);
	*product = (struct kt_product){0};
}

void kt_product_word(uint32_t *letters, uint64_t n, const struct kt_product *product,
		     uint32_t pair)
{
	while (n > 0) {
		letters[--n] = product->pairs[pair].letter;
		pair = product->pairs[pair].before;
	}
}
