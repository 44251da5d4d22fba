/* SPDX-License-Identifier: MIT */
#include "infer/compare/difference.h"

#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/try.h"
#include "infer/compare/similarity.h"

/* A candidate pair. */
struct candidate {
	uint32_t state[2];
	uint32_t score;
	uint32_t rank; /* index in the product, whose pairs are in the order of their least
			* words */
};

struct matching {
	struct kt_match *match;              /* Weak */
	const struct kt_joint *joint;        /* Weak */
	const struct kt_product *product;    /* Weak */
	const struct kt_similarity *similar; /* Weak */
	const struct kt_groups *arrivals;    /* Weak; two, old and new */
	uint32_t (*taken)[2];                /* Owned by this: matched pairs, in order of
					      * matching */
	size_t n_taken;
	size_t n_followed; /* number of pairs in `taken` whose neighbours have been
			    * candidates */
	struct candidate *candidates; /* Owned by this */
	size_t n_candidates;
	size_t capacity;
};

/* --- pairs --- */

static bool is_free(const struct matching *m, uint32_t old, uint32_t new)
{
	return m->match->other[0][old] == KT_MATCH_NONE &&
	       m->match->other[1][new] == KT_MATCH_NONE;
}

static void take(struct matching *m, uint32_t old, uint32_t new)
{
	if (is_free(m, old, new)) {
		m->match->other[0][old] = new;
		m->match->other[1][new] = old;
		m->taken[m->n_taken][0] = old;
		m->taken[m->n_taken++][1] = new;
	}
}

static int add_candidate(struct matching *m, uint32_t old, uint32_t new, uint32_t score)
{
	if (!is_free(m, old, new)) {
		return KT_OK;
	}
	KT_TRY(kt_array_reserve(&m->candidates, &m->capacity, m->n_candidates + 1));
	m->candidates[m->n_candidates++] = (struct candidate){
		.state = {old, new},
		.score = score,
		.rank = kt_product_find(m->product, old, new),
	};
	return KT_OK;
}

/*
 * All criteria except the last treat both machines alike, so that swapping the machines
 * swaps the result. The last criterion only orders the pairs (s, t) and (t, s), which do
 * not exclude each other.
 */
static int compare_candidates(const void *left, const void *right)
{
	const struct candidate *a = left;
	const struct candidate *b = right;
	uint64_t x = (uint64_t)a->state[0] + a->state[1];
	uint64_t y = (uint64_t)b->state[0] + b->state[1];
	uint64_t u = (uint64_t)a->state[0] * a->state[1];
	uint64_t v = (uint64_t)b->state[0] * b->state[1];

	if (a->score != b->score) {
		return a->score > b->score ? -1 : 1;
	}
	if (a->rank != b->rank) {
		return a->rank < b->rank ? -1 : 1;
	}
	if (x != y) {
		return x < y ? -1 : 1;
	}
	if (u != v) {
		return u > v ? -1 : 1;
	}
	return (a->state[0] > b->state[0]) - (a->state[0] < b->state[0]);
}

/* --- neighbours --- */

/*
 * Returns whether some letter leads from the pair of states `from` to the pair `to`, in
 * both machines.
 */
static bool shares_letter(const struct kt_joint *joint, const uint32_t *from,
			  const uint32_t *to)
{
	struct kt_joint_step step = kt_joint_begin(joint, from[0], from[1]);

	while (kt_joint_next(joint, &step)) {
		uint32_t target[2];

		if (kt_joint_both(joint, &step, target) && target[0] == to[0] &&
		    target[1] == to[1]) {
			return true;
		}
	}
	return false;
}

/*
 * Adds pairs of states from which a common letter leads to the matched states of `pair`.
 * Only pairs with a score are added: a common outgoing letter alone says little, and if the
 * matched states have many incoming transitions, very many pairs have a common letter.
 */
static int add_origins(struct matching *m, const uint32_t *pair)
{
	const struct kt_groups *arrivals = &m->arrivals[0];
	const struct kt_similarity *similar = m->similar;
	uint32_t last = UINT32_MAX;

	for (size_t i = arrivals->first[pair[0]]; i < arrivals->first[pair[0] + (size_t)1];
	     i++) {
		uint32_t old =
			m->joint->machine[0].fsm->transitions[arrivals->member[i]].from;

		if (old == last || m->match->other[0][old] != KT_MATCH_NONE) {
			continue;
		}
		last = old;
		for (size_t p = similar->first[old]; p < similar->first[old + (size_t)1];
		     p++) {
			const uint32_t from[2] = {old, similar->other[p]};

			if (is_free(m, from[0], from[1]) &&
			    shares_letter(m->joint, from, pair)) {
				KT_TRY(add_candidate(m, from[0], from[1],
						     similar->score[p]));
			}
		}
	}
	return KT_OK;
}

/*
 * Matches in rounds: each round matches neighbours of the pairs that the previous round
 * matched.
 */
static int expand(struct matching *m)
{
	const struct kt_joint *joint = m->joint;
	const struct kt_similarity *similar = m->similar;

	while (m->n_followed < m->n_taken) {
		size_t end = m->n_taken;

		m->n_candidates = 0;
		for (; m->n_followed < end; m->n_followed++) {
			const uint32_t *pair = m->taken[m->n_followed];
			struct kt_joint_step step = kt_joint_begin(joint, pair[0], pair[1]);

			while (kt_joint_next(joint, &step)) {
				uint32_t to[2];
				size_t found;

				if (!kt_joint_both(joint, &step, to)) {
					continue;
				}
				found = kt_similarity_find(similar, to[0], to[1]);
				KT_TRY(add_candidate(
					m, to[0], to[1],
					found == SIZE_MAX ? 0 : similar->score[found]));
			}
			KT_TRY(add_origins(m, pair));
		}
		if (m->n_candidates > 1) {
			qsort(m->candidates, m->n_candidates, sizeof(*m->candidates),
			      compare_candidates);
		}
		for (size_t i = 0; i < m->n_candidates; i++) {
			take(m, m->candidates[i].state[0], m->candidates[i].state[1]);
		}
	}
	return KT_OK;
}

/* --- landmarks --- */

/*
 * The two highest scores of a state's pairs. They are equal if two pairs have the highest
 * score.
 */
struct peak {
	uint32_t best;
	uint32_t second;
};

static void raise_peak(struct peak *peak, uint32_t score)
{
	if (score > peak->best) {
		peak->second = peak->best;
		peak->best = score;
	} else if (score > peak->second) {
		peak->second = score;
	}
}

static bool stands_out(const struct peak *peak, uint32_t score)
{
	return score == peak->best && (uint64_t)score * 2 >= (uint64_t)peak->second * 3;
}

static int find_landmarks(struct matching *m)
{
	const struct kt_similarity *similar = m->similar;
	size_t n_old = m->joint->machine[0].fsm->n_states;
	size_t bin = (size_t)1 << 16;
	struct peak *old = calloc(n_old, sizeof(*old));
	struct peak *new = calloc(m->joint->machine[1].fsm->n_states, sizeof(*new));
	uint32_t *bins = calloc(bin, sizeof(*bins));
	size_t above = 0;
	uint32_t least;
	int code = KT_OK;

	if (!old || !new || !bins) {
		code = kt_no_memory("match states");
		goto end;
	}
	/*
	 * The threshold is the upper quartile of the scores, rounded down to a multiple of
	 * 2^15, which stands for a score of 2^-15.
	 */
	for (size_t p = 0; p < similar->n; p++) {
		bins[similar->score[p] >> 15]++;
	}
	while (bin > 0 && above * 4 < similar->n) {
		above += bins[--bin];
	}
	least = (uint32_t)bin << 15;
	for (size_t a = 0; a < n_old; a++) {
		for (size_t p = similar->first[a]; p < similar->first[a + 1]; p++) {
			raise_peak(&old[a], similar->score[p]);
			raise_peak(&new[similar->other[p]], similar->score[p]);
		}
	}
	for (size_t a = 0; a < n_old; a++) {
		for (size_t p = similar->first[a]; p < similar->first[a + 1]; p++) {
			uint32_t score = similar->score[p];

			if (score >= least && stands_out(&old[a], score) &&
			    stands_out(&new[similar->other[p]], score)) {
				take(m, (uint32_t)a, similar->other[p]);
			}
		}
	}
end:
	free(old);
	free(new);
	free(bins);
	return code;
}

/* --- matching --- */

size_t kt_match_transition(const struct kt_match *match, const struct kt_joint *joint,
			   size_t old)
{
	const struct kt_fsm_transition *t = &joint->machine[0].fsm->transitions[old];
	const struct kt_joint_machine *new = &joint->machine[1];
	uint32_t letter = kt_joint_letter(&joint->machine[0], old);
	uint32_t from = match->other[0][t->from];
	uint32_t to = match->other[0][t->to];
	size_t lo;
	size_t end;
	size_t hi;

	if (from == KT_MATCH_NONE || to == KT_MATCH_NONE) {
		return SIZE_MAX;
	}
	/* Bisect: a state may have very many transitions. */
	lo = new->first[from];
	end = new->first[from + (size_t)1];
	hi = end;
	while (lo < hi) {
		size_t middle = lo + (hi - lo) / 2;

		if (kt_joint_letter(new, middle) < letter) {
			lo = middle + 1;
		} else {
			hi = middle;
		}
	}
	return lo < end && kt_joint_letter(new, lo) == letter &&
			       new->fsm->transitions[lo].to == to
		       ? lo
		       : SIZE_MAX;
}

/* Starts with no state matched. On failure *out needs no clearing. */
static int begin(struct kt_match *out, const struct kt_joint *joint)
{
	for (int s = 0; s < 2; s++) {
		size_t size = joint->machine[s].fsm->n_states * sizeof(*out->other[s]);

		out->other[s] = malloc(size);
		if (!out->other[s]) {
			kt_match_clear(out);
			return kt_no_memory("match states");
		}
		memset(out->other[s], 0xff, size);
	}
	return KT_OK;
}

/*
 * Matches in one of the two ways: by common words first if by_words is set, by scores alone
 * if not. On failure *out needs no clearing.
 */
static int try(struct kt_match *out, const struct kt_joint *joint,
	       const struct kt_product *product, const struct kt_similarity *similar,
	       const struct kt_groups *arrivals, bool by_words)
{
	struct matching m = {.match = out,
			     .joint = joint,
			     .product = product,
			     .similar = similar,
			     .arrivals = arrivals};
	int code = KT_OK;

	*out = (struct kt_match){.by_words = by_words, .scored = !similar->cut};
	m.taken = calloc(joint->machine[0].fsm->n_states, sizeof(*m.taken));
	if (!m.taken) {
		return kt_no_memory("match states");
	}
	KT_TRY_END(begin(out, joint));
	take(&m, joint->machine[0].fsm->start, joint->machine[1].fsm->start);
	for (size_t i = 0; by_words && i < product->n_pairs; i++) {
		take(&m, product->pairs[i].state[0], product->pairs[i].state[1]);
	}
	KT_TRY_END(find_landmarks(&m));
	KT_TRY_END(expand(&m));
	out->n_states = m.n_taken;
	for (size_t i = 0; i < joint->machine[0].fsm->n_transitions; i++) {
		out->n_kept += kt_match_transition(out, joint, i) != SIZE_MAX;
	}
end:
	free(m.taken);
	free(m.candidates);
	if (code) {
		kt_match_clear(out);
	}
	return code;
}

int kt_match_init(struct kt_match *out, const struct kt_joint *joint,
		  const struct kt_product *product)
{
	struct kt_groups arrivals[2] = {{0}};
	struct kt_similarity similar = {0};
	struct kt_match words = {0};
	const struct kt_fsm *old = joint->machine[0].fsm;
	const struct kt_fsm *new = joint->machine[1].fsm;
	bool same = old->n_states == new->n_states && old->start == new->start &&
		    old->n_transitions == new->n_transitions;
	int code;

	for (size_t i = 0; same && i < old->n_transitions; i++) {
		const struct kt_fsm_transition *t = &old->transitions[i];
		const struct kt_fsm_transition *u = &new->transitions[i];

		same = t->from == u->from && t->to == u->to;
		same = same && kt_joint_letter(&joint->machine[0], i) ==
				       kt_joint_letter(&joint->machine[1], i);
	}
	/* Two equal machines: match every state, reachable or not, with itself. */
	if (same) {
		*out = (struct kt_match){.scored = true, .by_words = true};
		KT_TRY_END(begin(out, joint));
		out->n_states = old->n_states;
		out->n_kept = old->n_transitions;
		for (uint32_t s = 0; s < out->n_states; s++) {
			out->other[0][s] = s;
			out->other[1][s] = s;
		}
		return KT_OK;
	}
	KT_TRY_END(kt_arrivals_init(&arrivals[0], old));
	KT_TRY_END(kt_arrivals_init(&arrivals[1], new));
	KT_TRY_END(kt_similarity_init(&similar, joint, arrivals, KT_SIMILARITY_PAIRS_MAX));
	KT_TRY_END(try(out, joint, product, &similar, arrivals, false));
	code = try(&words, joint, product, &similar, arrivals, true);
	if (code || words.n_kept > out->n_kept ||
	    (words.n_kept == out->n_kept && words.n_states > out->n_states)) {
		kt_match_clear(out);
		*out = words;
	} else {
		kt_match_clear(&words);
	}
end:
	kt_similarity_clear(&similar);
	kt_groups_clear(&arrivals[0]);
	kt_groups_clear(&arrivals[1]);
	return code;
}

void kt_match_clear(struct kt_match *match)
{
	free(match->other[0]);
	free(match->other[1]);
	*match = (struct kt_match){0};
}
