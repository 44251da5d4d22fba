/* SPDX-License-Identifier: MIT */
#include "infer/compare/product.h"

#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/try.h"

struct search {
	struct kt_product *product;   /* Weak */
	const struct kt_joint *joint; /* Weak */
	bool *seen[2];                /* Owned by this: transitions already recorded as
				       * diverging */
	size_t ways_capacity;
	uint32_t most;
	uint64_t depth; /* number of letters of the least word that leads to the current
			 * pair */
};

static uint32_t hash(uint32_t old, uint32_t new)
{
	return kt_hash_number((uint64_t)old << 32 | new);
}

uint32_t kt_product_find(const struct kt_product *product, uint32_t old, uint32_t new)
{
	struct kt_hash_probe probe = kt_hash_probe(&product->by_states, hash(old, new));
	uint32_t i;

	while (kt_hash_next(&product->by_states, &probe, &i)) {
		if (product->pairs[i].state[0] == old &&
		    product->pairs[i].state[1] == new) {
			return i;
		}
	}
	return KT_PRODUCT_NONE;
}

static int add_pair(struct search *search, struct kt_product_pair pair)
{
	struct kt_product *product = search->product;

	if (kt_product_find(product, pair.state[0], pair.state[1]) != KT_PRODUCT_NONE) {
		return KT_OK;
	}
	if (product->n_pairs == search->most) {
		product->complete = false;
		return KT_OK;
	}
	KT_TRY(kt_array_reserve(&product->pairs, &product->capacity, product->n_pairs + 1));
	KT_TRY(kt_hash_add(&product->by_states, hash(pair.state[0], pair.state[1]),
			   product->n_pairs));
	product->pairs[product->n_pairs++] = pair;
	return KT_OK;
}

/*
 * Adds the successors of a pair, and records the transitions whose letter only one of the
 * two states has.
 */
static int follow(struct search *search, uint32_t index)
{
	struct kt_product *product = search->product;
	const struct kt_joint *joint = search->joint;
	struct kt_product_pair pair = product->pairs[index];
	struct kt_joint_step step = kt_joint_begin(joint, pair.state[0], pair.state[1]);

	while (kt_joint_next(joint, &step)) {
		int version = step.taken[0] == SIZE_MAX;
		size_t transition = step.taken[version];

		if (kt_joint_both(joint, &step, pair.state)) {
			pair.before = index;
			pair.letter = step.letter;
			KT_TRY(add_pair(search, pair));
		} else if (!search->seen[version][transition]) {
			search->seen[version][transition] = true;
			KT_TRY(kt_array_reserve(&product->ways, &search->ways_capacity,
						product->n_ways + 1));
			product->ways[product->n_ways++] =
				(struct kt_product_way){.pair = index,
							.version = (uint32_t)version,
							.transition = transition,
							.length = search->depth + 1};
		}
	}
	return KT_OK;
}

int kt_product_init(struct kt_product *out, const struct kt_joint *joint, uint32_t most)
{
	struct search search = {.product = out, .joint = joint, .most = most};
	struct kt_product_pair first = {
		.state = {joint->machine[0].fsm->start, joint->machine[1].fsm->start},
		.before = KT_PRODUCT_NONE,
	};
	size_t i = 0;
	int code;

	*out = (struct kt_product){.complete = true};
	for (int s = 0; s < 2; s++) {
		search.seen[s] = calloc(joint->machine[s].fsm->n_transitions + 1, 1);
	}
	if (!search.seen[0] || !search.seen[1]) {
		code = kt_no_memory("compare machines");
		goto end;
	}
	KT_TRY_END(add_pair(&search, first));
	/*
	 * Explore level by level: all pairs of a level have least words of the same length.
	 * Stop before a level that does not fit as a whole, because the word found for a
	 * transition there may not be the least one.
	 */
	while (out->complete && i < out->n_pairs) {
		for (size_t end = out->n_pairs; i < end; i++) {
			KT_TRY_END(follow(&search, (uint32_t)i));
		}
		search.depth++;
	}
	out->sure_length = search.depth;
end:
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
	kt_hash_free(&product->by_states);
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

int kt_links_init(struct kt_links *out, const struct kt_joint *joint,
		  const struct kt_product *product)
{
	bool allocated;
	int code = KT_OK;

	*out = (struct kt_links){0};
	out->first = calloc(product->n_pairs + 1, sizeof(*out->first));
	out->exact = calloc(product->n_pairs + 1, sizeof(*out->exact));
	allocated = out->first && out->exact;
	for (int s = 0; s < 2; s++) {
		size_t n = joint->machine[s].fsm->n_transitions + 1;

		out->taken[s] = calloc(n, sizeof(*out->taken[s]));
		out->lacked[s] = calloc(n, sizeof(*out->lacked[s]));
		allocated = allocated && out->taken[s] && out->lacked[s];
	}
	if (!allocated) {
		code = kt_no_memory("compare machines");
		goto end;
	}
	for (size_t i = 0; i < product->n_pairs; i++) {
		const uint32_t *state = product->pairs[i].state;
		struct kt_joint_step step = kt_joint_begin(joint, state[0], state[1]);

		out->exact[i] = true;
		while (kt_joint_next(joint, &step)) {
			const size_t *taken = step.taken;
			int version = taken[0] == SIZE_MAX;
			uint32_t to[2];

			out->n_letters[0] += taken[0] != SIZE_MAX;
			out->n_letters[1] += taken[1] != SIZE_MAX;
			if (!kt_joint_both(joint, &step, to)) {
				out->lacked[version][taken[version]] = true;
				out->exact[i] = false;
				continue;
			}
			KT_TRY_END(
				kt_array_reserve(&out->list, &out->capacity, out->n + 1));
			out->list[out->n++] = (struct kt_link){
				.to = kt_product_find(product, to[0], to[1]),
				.transition = {taken[0], taken[1]},
			};
			out->taken[0][taken[0]] = true;
			out->taken[1][taken[1]] = true;
		}
		out->n_exact += out->exact[i];
		out->first[i + 1] = out->n;
	}
end:
	if (code) {
		kt_links_clear(out);
	}
	return code;
}

void kt_links_clear(struct kt_links *links)
{
	free(links->list);
	free(links->first);
	free(links->exact);
	for (int s = 0; s < 2; s++) {
		free(links->taken[s]);
		free(links->lacked[s]);
	}
	*links = (struct kt_links){0};
}
