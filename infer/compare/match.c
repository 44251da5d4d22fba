/* SPDX-License-Identifier: MIT */
#include "infer/compare/match.h"

#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/array.h"
#include "infer/compare/similarity.h"

/* A pair that might be matched. */
struct candidate {
	uint32_t state[2];
	uint32_t score;
	uint32_t rank; /* its place in the order of common words */
};

struct matching {
	struct kt_match *match;              /* Weak */
	const struct kt_joint *joint;        /* Weak */
	const struct kt_product *product;    /* Weak */
	const struct kt_similarity *similar; /* Weak */
	const struct kt_arrivals *arrivals;  /* Weak; two */
	uint32_t (*taken)[2];                /* Owned by this: pairs matched, in order */
	size_t n_taken;
	size_t n_followed; /* of these, those whose neighbours are candidates already */
	struct candidate *candidates; /* Owned by this */
	size_t n_candidates;
	size_t capacity;
};

static int no_memory(void)
{
	return kt_error(KT_E_MEMORY, "match states: out of memory");
}

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
	int code;

	if (!is_free(m, old, new)) {
		return KT_OK;
	}
	code = kt_array_reserve(&m->candidates, &m->capacity, m->n_candidates + 1);
	if (!code) {
		m->candidates[m->n_candidates++] = (struct candidate){
			.state = {old, new},
			.score = score,
			.rank = kt_product_find(m->product, old, new),
		};
	}
	return code;
}

/* Neither machine goes before the other, so that swapping them swaps the result. */
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

static int add_targets(struct matching *m, const uint32_t *pair)
{
	const struct kt_joint *joint = m->joint;
	struct kt_joint_step step = kt_joint_begin(joint, pair[0], pair[1]);
	int code = KT_OK;

	while (!code && kt_joint_next(joint, &step)) {
		if (step.taken[0] != SIZE_MAX && step.taken[1] != SIZE_MAX) {
			uint32_t old = kt_joint_target(joint, 0, step.taken[0]);
			uint32_t new = kt_joint_target(joint, 1, step.taken[1]);
			size_t found = kt_similarity_find(m->similar, old, new);

			code = add_candidate(m, old, new,
					     found == SIZE_MAX ? 0
							       : m->similar->score[found]);
		}
	}
	return code;
}

/* Whether one letter leads from `from` to `to` in both. */
static bool shares_letter(const struct kt_joint *joint, const uint32_t *from,
			  const uint32_t *to)
{
	struct kt_joint_step step = kt_joint_begin(joint, from[0], from[1]);

	while (kt_joint_next(joint, &step)) {
		if (step.taken[0] != SIZE_MAX && step.taken[1] != SIZE_MAX &&
		    kt_joint_target(joint, 0, step.taken[0]) == to[0] &&
		    kt_joint_target(joint, 1, step.taken[1]) == to[1]) {
			return true;
		}
	}
	return false;
}

/*
 * Where a state is come from by many, only pairs that have a score are looked at: an equal
 * letter out alone says little, and there would be many.
 */
static int add_origins(struct matching *m, const uint32_t *pair)
{
	const struct kt_arrivals *arrivals = &m->arrivals[0];
	const struct kt_similarity *similar = m->similar;
	uint32_t last = UINT32_MAX;
	int code = KT_OK;

	for (size_t i = arrivals->first[pair[0]]; i < arrivals->first[pair[0] + (size_t)1];
	     i++) {
		uint32_t old =
			m->joint->side[0].fsm->transitions[arrivals->transition[i]].from;

		if (old == last || m->match->other[0][old] != KT_MATCH_NONE) {
			continue;
		}
		last = old;
		for (size_t p = similar->first[old];
		     !code && p < similar->first[old + (size_t)1]; p++) {
			const uint32_t from[2] = {old, similar->other[p]};

			if (is_free(m, from[0], from[1]) &&
			    shares_letter(m->joint, from, pair)) {
				code = add_candidate(m, from[0], from[1],
						     similar->score[p]);
			}
		}
	}
	return code;
}

/* Round by round: the neighbours of what the round before matched. */
static int expand(struct matching *m)
{
	int code = KT_OK;

	while (!code && m->n_followed < m->n_taken) {
		size_t end = m->n_taken;

		m->n_candidates = 0;
		for (; !code && m->n_followed < end; m->n_followed++) {
			code = add_targets(m, m->taken[m->n_followed]);
			code = code ? code : add_origins(m, m->taken[m->n_followed]);
		}
		if (!code && m->n_candidates > 1) {
			qsort(m->candidates, m->n_candidates, sizeof(*m->candidates),
			      compare_candidates);
		}
		for (size_t i = 0; !code && i < m->n_candidates; i++) {
			take(m, m->candidates[i].state[0], m->candidates[i].state[1]);
		}
	}
	return code;
}

/* --- where to begin --- */

/* The highest and second highest score of a state; equal ones count as two. */
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

/* What a quarter of all scores reach, but for less than a 32,768th of the unit. */
static uint32_t upper_quarter(uint32_t *bins, size_t n_bins,
			      const struct kt_similarity *similar)
{
	size_t above = 0;
	size_t bin = n_bins;

	for (size_t p = 0; p < similar->n; p++) {
		bins[similar->score[p] >> 15]++;
	}
	while (bin > 0 && above * 4 < similar->n) {
		above += bins[--bin];
	}
	return (uint32_t)bin << 15;
}

static void take_landmarks(struct matching *m, struct peak *old, struct peak *new,
			   uint32_t least)
{
	const struct kt_similarity *similar = m->similar;
	size_t n_old = m->joint->side[0].fsm->n_states;

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
}

static int find_landmarks(struct matching *m)
{
	const size_t n_bins = (size_t)1 << 16;
	struct peak *old = calloc(m->joint->side[0].fsm->n_states, sizeof(*old));
	struct peak *new = calloc(m->joint->side[1].fsm->n_states, sizeof(*new));
	uint32_t *bins = calloc(n_bins, sizeof(*bins));
	int code = KT_OK;

	if (!old || !new || !bins) {
		code = no_memory();
	} else {
		take_landmarks(m, old, new, upper_quarter(bins, n_bins, m->similar));
	}
	free(old);
	free(new);
	free(bins);
	return code;
}

static void take_common_words(struct matching *m)
{
	for (size_t i = 0; i < m->product->n_pairs; i++) {
		const uint32_t *state = m->product->pairs[i].state;

		take(m, state[0], state[1]);
	}
}

/* --- all of it --- */

/* A state's transition by a letter, or SIZE_MAX; a state may have very many. */
static size_t find_transition(const struct kt_joint_machine *machine, uint32_t from,
			      uint32_t letter)
{
	size_t lo = machine->first[from];
	size_t end = machine->first[from + (size_t)1];
	size_t hi = end;

	while (lo < hi) {
		size_t middle = lo + (hi - lo) / 2;

		if (kt_joint_letter(machine, middle) < letter) {
			lo = middle + 1;
		} else {
			hi = middle;
		}
	}
	return lo < end && kt_joint_letter(machine, lo) == letter ? lo : SIZE_MAX;
}

size_t kt_match_transition(const struct kt_match *match, const struct kt_joint *joint,
			   size_t old)
{
	const struct kt_fsm_transition *t = &joint->side[0].fsm->transitions[old];
	uint32_t from = match->other[0][t->from];
	size_t at;

	if (from == KT_MATCH_NONE || match->other[0][t->to] == KT_MATCH_NONE) {
		return SIZE_MAX;
	}
	at = find_transition(&joint->side[1], from, kt_joint_letter(&joint->side[0], old));
	return at != SIZE_MAX && joint->side[1].fsm->transitions[at].to ==
					 match->other[0][t->to]
		       ? at
		       : SIZE_MAX;
}

static int begin(struct kt_match *out, const struct kt_joint *joint)
{
	for (int s = 0; s < 2; s++) {
		size_t size = joint->side[s].fsm->n_states * sizeof(*out->other[s]);

		out->other[s] = malloc(size);
		if (!out->other[s]) {
			return no_memory();
		}
		memset(out->other[s], 0xff, size);
	}
	return KT_OK;
}

static int find(struct matching *m)
{
	struct kt_match *match = m->match;
	const struct kt_joint *joint = m->joint;
	int code = begin(match, joint);

	if (code) {
		return code;
	}
	take(m, joint->side[0].fsm->start, joint->side[1].fsm->start);
	if (match->by_words) {
		take_common_words(m);
	}
	code = find_landmarks(m);
	code = code ? code : expand(m);
	match->n_states = m->n_taken;
	for (size_t i = 0; !code && i < joint->side[0].fsm->n_transitions; i++) {
		match->n_kept += kt_match_transition(match, joint, i) != SIZE_MAX;
	}
	return code;
}

/* One of the two ways to match. */
static int try(struct kt_match *out, const struct kt_joint *joint,
	       const struct kt_product *product, const struct kt_similarity *similar,
	       const struct kt_arrivals *arrivals, bool by_words)
{
	size_t n = joint->side[0].fsm->n_states;
	struct matching m = {.match = out,
			     .joint = joint,
			     .product = product,
			     .similar = similar,
			     .arrivals = arrivals};
	int code;

	*out = (struct kt_match){.by_words = by_words, .scored = !similar->cut};
	m.taken = calloc(n, sizeof(*m.taken));
	code = m.taken ? find(&m) : no_memory();
	free(m.taken);
	free(m.candidates);
	if (code) {
		kt_match_clear(out);
	}
	return code;
}

static bool is_better(const struct kt_match *a, const struct kt_match *b)
{
	return a->n_kept != b->n_kept ? a->n_kept > b->n_kept : a->n_states > b->n_states;
}

/* The same machine twice, whatever is in reach: nothing is left open. */
static bool is_same(const struct kt_joint *joint)
{
	const struct kt_fsm *old = joint->side[0].fsm;
	const struct kt_fsm *new = joint->side[1].fsm;

	if (old->n_states != new->n_states || old->start != new->start ||
	    old->n_transitions != new->n_transitions) {
		return false;
	}
	for (size_t i = 0; i < old->n_transitions; i++) {
		if (old->transitions[i].from != new->transitions[i].from ||
		    old->transitions[i].to != new->transitions[i].to ||
		    kt_joint_letter(&joint->side[0], i) !=
			    kt_joint_letter(&joint->side[1], i)) {
			return false;
		}
	}
	return true;
}

static int match_same(struct kt_match *out, const struct kt_joint *joint)
{
	int code;

	*out = (struct kt_match){.scored = true, .by_words = true};
	code = begin(out, joint);
	if (code) {
		kt_match_clear(out);
		return code;
	}
	out->n_states = joint->side[0].fsm->n_states;
	out->n_kept = joint->side[0].fsm->n_transitions;
	for (uint32_t s = 0; s < out->n_states; s++) {
		out->other[0][s] = s;
		out->other[1][s] = s;
	}
	return KT_OK;
}

int kt_match_init(struct kt_match *out, const struct kt_joint *joint,
		  const struct kt_product *product)
{
	struct kt_arrivals arrivals[2] = {{0}};
	struct kt_similarity similar = {0};
	struct kt_match words = {0};
	int code = KT_OK;

	if (is_same(joint)) {
		return match_same(out, joint);
	}
	for (int s = 0; !code && s < 2; s++) {
		code = kt_arrivals_init(&arrivals[s], joint->side[s].fsm);
	}
	code = code ? code
		    : kt_similarity_init(&similar, joint, arrivals,
					 KT_SIMILARITY_PAIRS_MAX);
	code = code ? code : try(out, joint, product, &similar, arrivals, false);
	if (!code) {
		code = try(&words, joint, product, &similar, arrivals, true);
		if (code || is_better(&words, out)) {
			kt_match_clear(out);
			*out = words;
		} else {
			kt_match_clear(&words);
		}
	}
	kt_similarity_clear(&similar);
	kt_arrivals_clear(&arrivals[0]);
	kt_arrivals_clear(&arrivals[1]);
	return code;
}

void kt_match_clear(struct kt_match *match)
{
	free(match->other[0]);
	free(match->other[1]);
	*match = (struct kt_match){0};
}
