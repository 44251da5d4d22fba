/* SPDX-License-Identifier: MIT */
#include "infer/engine/walk.h"

#include "infer/engine/random.h"

bool kt_walk_is_exact(const struct kt_walk_side *a, uint32_t state,
		      const struct kt_walk_side *b, uint32_t other)
{
	size_t n;
	size_t m;
	const struct kt_fsm_transition *s = kt_arcs_of(&a->arcs, state, &n);
	const struct kt_fsm_transition *t = kt_arcs_of(&b->arcs, other, &m);

	/* Both are in the order of the letters' names, so is the translation. */
	for (size_t i = 0; n == m && i < n; i++) {
		if (a->there[s[i].letter] != t[i].letter) {
			return false;
		}
	}
	return n == m;
}

/* 0 where no transition was ever taken. */
static uint64_t sum_counts(const struct kt_fsm_transition *t, size_t n)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < n; i++) {
		sum += t[i].count;
	}
	return sum;
}

static const struct kt_fsm_transition *choose(const struct kt_fsm_transition *t, size_t n,
					      enum kt_score_choice choice,
					      struct kt_random *random)
{
	uint64_t sum = choice == KT_SCORE_COUNTS ? sum_counts(t, n) : 0;
	uint64_t left;

	if (!sum) {
		return &t[n == 1 ? 0 : kt_random_below(random, n)];
	}
	left = kt_random_below(random, sum);
	while (left >= t->count) {
		left -= t->count;
		t++;
	}
	return t;
}

static void walk(struct kt_walk_tally *out, const struct kt_walk_side *from,
		 const struct kt_walk_side *in, const struct kt_score_options *options,
		 struct kt_random *random)
{
	uint32_t state = from->arcs.fsm->start;
	uint32_t there = in->arcs.fsm->start;
	uint64_t length = 0;

	for (;; length++) {
		const struct kt_fsm_transition *t;
		size_t n;

		out->exact +=
			there != KT_ARCS_NONE && kt_walk_is_exact(from, state, in, there);
		t = kt_arcs_of(&from->arcs, state, &n);
		if (n == 0 || length == options->length) {
			out->stuck += length < options->length;
			break;
		}
		t = choose(t, n, options->choice, random);
		state = t->to;
		if (there != KT_ARCS_NONE) {
			/* No state has a transition for KT_ARCS_NONE. */
			there = kt_arcs_step(&in->arcs, there, from->there[t->letter]);
			out->fitting += there != KT_ARCS_NONE;
		}
	}
	out->letters += length;
	out->positions += length + 1;
	out->accepted += there != KT_ARCS_NONE;
}

void kt_walk_tally(struct kt_walk_tally *out, const struct kt_walk_side *from,
		   const struct kt_walk_side *in, const struct kt_score_options *options)
{
	*out = (struct kt_walk_tally){0};
	for (uint64_t i = 0; i < options->walks; i++) {
		struct kt_random random = kt_random_stream(options->seed, i);

		walk(out, from, in, options, &random);
	}
}
