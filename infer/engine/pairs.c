/* SPDX-License-Identifier: MIT */
#include "infer/engine/pairs.h"

#include <stdlib.h>

#include <ktail/status.h>

#include "base/array.h"
#include "infer/engine/random.h"

#define SLOTS_MIN 64
#define PAIRS_MAX ((uint64_t)UINT32_MAX - 1) /* numbers of pairs, plus one, fit a slot */

static int out_of_memory(void)
{
	return kt_error(KT_E_MEMORY, "compare languages: out of memory");
}

/* --- the set of pairs --- */

static size_t find_slot(const struct kt_pairs *pairs, struct kt_pair pair)
{
	size_t mask = pairs->n_slots - 1;
	size_t slot = (size_t)kt_random_mix((uint64_t)pair.a << 32 | pair.b) & mask;

	while (pairs->slots[slot]) {
		const struct kt_pair *known = &pairs->list[pairs->slots[slot] - 1];

		if (known->a == pair.a && known->b == pair.b) {
			break;
		}
		slot = (slot + 1) & mask;
	}
	return slot;
}

/* Room for one more pair, with a quarter of the slots left free. */
static int make_room(struct kt_pairs *pairs)
{
	size_t n_slots = pairs->n_slots ? pairs->n_slots * 2 : SLOTS_MIN;
	int code = kt_array_reserve(&pairs->list, &pairs->capacity, pairs->n + 1);

	if (code || (pairs->n + 1) * 4 <= pairs->n_slots * 3) {
		return code;
	}
	free(pairs->slots);
	pairs->slots = calloc(n_slots, sizeof(*pairs->slots));
	pairs->n_slots = pairs->slots ? n_slots : 0;
	if (!pairs->slots) {
		return out_of_memory();
	}
	for (size_t i = 0; i < pairs->n; i++) {
		pairs->slots[find_slot(pairs, pairs->list[i])] = (uint32_t)i + 1;
	}
	return KT_OK;
}

/* Notes that a pair is reached; behind `max` pairs those that are new are left out. */
static int reach(struct kt_pairs *pairs, struct kt_pair pair, uint64_t max)
{
	int code = make_room(pairs);
	size_t slot;

	if (code) {
		return code;
	}
	slot = find_slot(pairs, pair);
	if (!pairs->slots[slot] && pairs->n >= max) {
		pairs->complete = false;
		return KT_OK;
	}
	if (!pairs->slots[slot]) {
		pairs->list[pairs->n++] = pair;
		pairs->slots[slot] = (uint32_t)pairs->n;
	}
	code = kt_array_reserve(&pairs->followers, &pairs->followers_capacity,
				pairs->n_followers + 1);
	if (!code) {
		pairs->followers[pairs->n_followers++] = pairs->slots[slot] - 1;
	}
	return code;
}

/* --- what follows a pair --- */

/* The letters of both states side by side, in order; marks who lacks which. */
static int follow(struct kt_pairs *pairs, size_t i, const struct kt_walk_side *a,
		  const struct kt_walk_side *b, uint64_t max)
{
	const struct kt_pair pair = pairs->list[i];
	size_t s = a->arcs.first[pair.a];
	size_t t = b->arcs.first[pair.b];
	size_t s_end = a->arcs.first[pair.a + (size_t)1];
	size_t t_end = b->arcs.first[pair.b + (size_t)1];
	const struct kt_fsm_transition *x = a->arcs.fsm->transitions;
	const struct kt_fsm_transition *y = b->arcs.fsm->transitions;
	int code = KT_OK;

	for (; !code && s < s_end; s++) {
		uint32_t letter = a->there[x[s].letter];

		while (letter != KT_ARCS_NONE && t < t_end && y[t].letter < letter) {
			pairs->in_b.lacked[t++] = true;
		}
		if (t < t_end && y[t].letter == letter) {
			pairs->in_a.taken[s] = true;
			pairs->in_b.taken[t] = true;
			code = reach(pairs, (struct kt_pair){x[s].to, y[t].to}, max);
			t++;
		} else {
			pairs->in_a.lacked[s] = true;
		}
	}
	for (; t < t_end; t++) {
		pairs->in_b.lacked[t] = true;
	}
	pairs->exact += kt_walk_is_exact(a, pair.a, b, pair.b);
	return code;
}

static int make_seen(struct kt_pairs_seen *seen, const struct kt_fsm *fsm)
{
	seen->taken = calloc(fsm->n_transitions + 1, sizeof(*seen->taken));
	seen->lacked = calloc(fsm->n_transitions + 1, sizeof(*seen->lacked));
	return seen->taken && seen->lacked ? KT_OK : out_of_memory();
}

int kt_pairs_find(struct kt_pairs *out, const struct kt_walk_side *a,
		  const struct kt_walk_side *b, uint64_t max)
{
	struct kt_pair starts = {a->arcs.fsm->start, b->arcs.fsm->start};
	int code;

	*out = (struct kt_pairs){.complete = true};
	max = max < PAIRS_MAX ? max : PAIRS_MAX;
	max = max ? max : 1;
	code = make_seen(&out->in_a, a->arcs.fsm);
	code = code ? code : make_seen(&out->in_b, b->arcs.fsm);
	code = code ? code : reach(out, starts, max);
	out->n_followers = 0; /* nothing leads to the first one */
	for (size_t i = 0; !code && i < out->n; i++) {
		code = kt_array_reserve(&out->first, &out->first_capacity, i + 2);
		if (!code) {
			out->first[i] = out->n_followers;
			code = follow(out, i, a, b, max);
			out->first[i + 1] = out->n_followers;
		}
	}
	return code;
}

void kt_pairs_clear(struct kt_pairs *pairs)
{
	free(pairs->list);
	free(pairs->followers);
	free(pairs->first);
	free(pairs->slots);
	free(pairs->in_a.taken);
	free(pairs->in_a.lacked);
	free(pairs->in_b.taken);
	free(pairs->in_b.lacked);
	*pairs = (struct kt_pairs){0};
}
