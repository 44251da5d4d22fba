/* SPDX-License-Identifier: MIT */
#include "infer/compare/similarity.h"

#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/try.h"

#define DEPTH_MAX 8
/* Limit of pairs of states with a common outgoing letter, counted once per such letter. */
#define WORK_MAX ((uint64_t)400000000)

/*
 * Counts of a pair for one direction (incoming or outgoing letters), which stay the same in
 * all passes.
 */
struct weight {
	uint32_t common; /* outgoing: common letters; incoming: pairs of transitions with a
			  * common letter */
	uint32_t all; /* `common`, plus the letters that only one state of the pair has */
};

struct scoring {
	struct kt_similarity *result;     /* Weak */
	const struct kt_joint *joint;     /* Weak */
	const struct kt_groups *arrivals; /* Weak; two, old and new */
	size_t *bucket; /* Owned by this: letter l has bucketed[bucket[l]] to
			 * bucketed[bucket[l + 1] - 1] */
	/*
	 * Owned by this: for each letter, the new states that have it as an outgoing
	 * letter, ascending
	 */
	uint32_t *bucketed;
	/*
	 * Owned by this: for each state of each machine, the sketch() of the letters that
	 * lead to it
	 */
	uint64_t *incoming[2];
	/*
	 * Owned by this: for each state of each machine, the sketch() of the letters that
	 * lead from it
	 */
	uint64_t *outgoing[2];
	size_t most;
	/* Owned by this: for each new state, the last old state paired with it */
	uint32_t *stamp;
	struct weight *out; /* Owned by this, by pair */
	struct weight *in;  /* Owned by this, by pair */
	uint32_t *edge;     /* Owned by this: for each pair, the pairs that its common
			     * letters lead to */
	size_t *edges;      /* Owned by this: pair p has edge[edges[p]] to edge[edges[p + 1]
			     * - 1] */
	uint64_t *sum;      /* Owned by this, by pair */
	size_t others_capacity; /* of result->other */
	size_t edge_capacity;
};

/* --- choosing pairs --- */

/*
 * Computes a mask for each state: one bit for each string of `depth` letters that leads
 * from the state or, if `backwards` is set, to it; several strings can share a bit. If a
 * string cannot be extended to `depth` letters, bit 63 stands for the missing ones.
 */
static int sketch(uint64_t **out, const struct kt_joint_machine *machine, unsigned depth,
		  bool backwards)
{
	const struct kt_fsm *fsm = machine->fsm;
	uint64_t *next = calloc(fsm->n_states, sizeof(*next));
	uint64_t *now = calloc(fsm->n_states, sizeof(*now));

	free(*out);
	*out = now;
	if (!now || !next) {
		free(next);
		return kt_no_memory("match states");
	}
	for (size_t s = 0; s < fsm->n_states; s++) {
		now[s] = 1;
	}
	for (unsigned d = 0; d < depth; d++) {
		for (size_t i = 0; i < fsm->n_transitions; i++) {
			const struct kt_fsm_transition *t = &fsm->transitions[i];
			uint64_t letter = (uint64_t)kt_joint_letter(machine, i) << 6;
			uint64_t mask = now[backwards ? t->from : t->to];
			uint64_t extended = 0;

			/*
			 * Each bit stands for strings of d letters. Hashing its number with
			 * the letter gives the bit of the strings extended by the letter.
			 */
			for (; mask; mask &= mask - 1) {
				uint64_t key = (letter | (uint64_t)__builtin_ctzll(mask)) *
					       UINT64_C(0x9e3779b97f4a7c15);

				extended |= UINT64_C(1) << (key >> 58);
			}
			next[backwards ? t->to : t->from] |= extended;
		}
		for (size_t s = 0; s < fsm->n_states; s++) {
			now[s] = next[s] ? next[s] : UINT64_C(1) << 63;
			next[s] = 0;
		}
	}
	free(next);
	return KT_OK;
}

static struct weight weigh_in(const struct scoring *s, uint32_t a, uint32_t b)
{
	const uint32_t state[2] = {a, b};
	struct weight weight = {0};
	size_t at[2];
	size_t end[2];

	for (int i = 0; i < 2; i++) {
		at[i] = s->arrivals[i].first[state[i]];
		end[i] = s->arrivals[i].first[state[i] + (size_t)1];
	}
	while (at[0] < end[0] || at[1] < end[1]) {
		uint32_t letter[2] = {UINT32_MAX, UINT32_MAX};
		uint32_t n[2] = {0, 0};

		for (int i = 0; i < 2; i++) {
			if (at[i] < end[i]) {
				letter[i] = kt_joint_letter(&s->joint->machine[i],
							    s->arrivals[i].member[at[i]]);
			}
		}
		/* Count the incoming transitions with the lesser of both next letters. */
		for (int i = 0; i < 2; i++) {
			const uint32_t *transition = s->arrivals[i].member;

			if (letter[i] > letter[1 - i]) {
				continue;
			}
			do {
				n[i]++;
				at[i]++;
			} while (at[i] < end[i] &&
				 kt_joint_letter(&s->joint->machine[i],
						 transition[at[i]]) == letter[i]);
		}
		weight.common += n[0] * n[1];
		weight.all += n[0] && n[1] ? n[0] * n[1] : 1;
	}
	return weight;
}

/*
 * Adds the pairs of the old state `a` with all new states that may have enough letters in
 * common with it.
 */
static int add_row(struct scoring *s, uint32_t a)
{
	const struct kt_joint_machine *old = &s->joint->machine[0];
	struct kt_similarity *result = s->result;
	size_t begin = result->n;

	for (size_t i = old->first[a]; i < old->first[a + (size_t)1]; i++) {
		uint32_t letter = kt_joint_letter(old, i);

		for (size_t j = s->bucket[letter]; j < s->bucket[letter + 1]; j++) {
			uint32_t b = s->bucketed[j];

			if (s->stamp[b] == a) {
				continue;
			}
			s->stamp[b] = a;
			if (!(s->incoming[0][a] & s->incoming[1][b]) ||
			    !(s->outgoing[0][a] & s->outgoing[1][b]) ||
			    weigh_in(s, a, b).common == 0) {
				continue;
			}
			if (result->n == s->most) {
				result->cut = true;
				continue;
			}
			KT_TRY(kt_array_reserve(&result->other, &s->others_capacity,
						result->n + 1));
			result->other[result->n++] = b;
		}
	}
	if (result->n > begin + 1) {
		qsort(result->other + begin, result->n - begin, sizeof(*result->other),
		      kt_compare_u32);
	}
	result->first[a + (size_t)1] = result->n;
	return KT_OK;
}

/*
 * Finds the pairs to be scored. While there are too many, doubles the required number of
 * common letters (the depth), which drops pairs.
 */
static int find_pairs(struct scoring *s)
{
	struct kt_similarity *result = s->result;
	const struct kt_joint_machine *old = &s->joint->machine[0];
	const struct kt_joint_machine *new = &s->joint->machine[1];
	uint64_t work = 0;

	/* Sort the new states by their outgoing letters. */
	s->bucket = calloc(s->joint->n_letters + 2, sizeof(*s->bucket));
	s->bucketed = calloc(new->fsm->n_transitions + 1, sizeof(*s->bucketed));
	if (!s->bucket || !s->bucketed) {
		return kt_no_memory("match states");
	}
	for (size_t i = 0; i < new->fsm->n_transitions; i++) {
		s->bucket[kt_joint_letter(new, i) + (size_t)2]++;
	}
	for (size_t l = 1; l <= s->joint->n_letters; l++) {
		s->bucket[l + 1] += s->bucket[l];
	}
	/*
	 * bucket[l + 1] is the slot of the next state with letter l; after the last state,
	 * it is the end of l's bucket.
	 */
	for (size_t i = 0; i < new->fsm->n_transitions; i++) {
		size_t *at = &s->bucket[kt_joint_letter(new, i) + (size_t)1];

		s->bucketed[(*at)++] = new->fsm->transitions[i].from;
	}
	for (size_t i = 0; i < old->fsm->n_transitions && work <= WORK_MAX; i++) {
		uint32_t letter = kt_joint_letter(old, i);

		work += s->bucket[letter + (size_t)1] - s->bucket[letter];
	}
	result->cut = true;
	if (work > WORK_MAX) {
		return KT_OK;
	}
	s->stamp = malloc(new->fsm->n_states * sizeof(*s->stamp));
	if (!s->stamp) {
		return kt_no_memory("match states");
	}
	for (unsigned depth = 1; result->cut && depth <= DEPTH_MAX; depth *= 2) {
		result->cut = false;
		result->n = 0;
		result->depth = depth;
		for (int version = 0; version < 2; version++) {
			KT_TRY(sketch(&s->incoming[version], &s->joint->machine[version],
				      depth, true));
			KT_TRY(sketch(&s->outgoing[version], &s->joint->machine[version],
				      depth, false));
		}
		for (size_t b = 0; b < new->fsm->n_states; b++) {
			s->stamp[b] = UINT32_MAX;
		}
		for (size_t a = 0; !result->cut && a < old->fsm->n_states; a++) {
			KT_TRY(add_row(s, (uint32_t)a));
		}
	}
	return KT_OK;
}

/* --- the constants of each pair --- */

static int weigh(struct scoring *s)
{
	const struct kt_joint *joint = s->joint;
	struct kt_similarity *result = s->result;
	uint32_t a = 0;

	s->out = calloc(result->n + 1, sizeof(*s->out));
	s->in = calloc(result->n + 1, sizeof(*s->in));
	s->edges = calloc(result->n + 1, sizeof(*s->edges));
	s->sum = calloc(result->n + 1, sizeof(*s->sum));
	result->score = calloc(result->n + 1, sizeof(*result->score));
	if (!s->out || !s->in || !s->edges || !s->sum || !result->score) {
		return kt_no_memory("match states");
	}
	for (size_t p = 0; p < result->n; p++) {
		struct kt_joint_step step;

		while (p >= result->first[a + (size_t)1]) {
			a++;
		}
		s->in[p] = weigh_in(s, a, result->other[p]);
		s->edges[p + 1] = s->edges[p];
		step = kt_joint_begin(joint, a, result->other[p]);
		while (kt_joint_next(joint, &step)) {
			uint32_t to[2];
			size_t next;

			s->out[p].all++;
			if (!kt_joint_both(joint, &step, to)) {
				continue;
			}
			s->out[p].common++;
			next = kt_similarity_find(result, to[0], to[1]);
			if (next == SIZE_MAX) {
				continue;
			}
			KT_TRY(kt_array_reserve(&s->edge, &s->edge_capacity,
						s->edges[p + 1] + 1));
			s->edge[s->edges[p + 1]++] = (uint32_t)next;
		}
	}
	return KT_OK;
}

/* --- solving --- */

/* Updates a score. Returns whether the score changed. */
static bool rate(uint32_t *score, struct weight weight, uint64_t sum)
{
	uint32_t before = *score;

	*score = (uint32_t)(((uint64_t)weight.common * KT_SIMILARITY_ONE + sum * 3 / 5) /
			    ((uint64_t)weight.all * 2));
	return *score != before;
}

/*
 * Begins with all scores at 0 and updates them until none changes. No score ever falls, so
 * the order of updates does not affect the result. Each pass reduces the remaining error to
 * at most three tenths.
 */
static int solve(struct scoring *s)
{
	size_t n = s->result->n;
	uint32_t *out = s->result->score;
	uint32_t *in = calloc(n + 1, sizeof(*in));
	bool changed;

	if (!in) {
		return kt_no_memory("match states");
	}
	do {
		changed = false;
		for (size_t p = n; p-- > 0;) {
			uint64_t sum = 0;

			for (size_t e = s->edges[p]; e < s->edges[p + 1]; e++) {
				sum += out[s->edge[e]];
			}
			changed |= rate(&out[p], s->out[p], sum);
		}
	} while (changed);
	do {
		changed = false;
		for (size_t p = 0; p < n; p++) {
			s->sum[p] = 0;
		}
		for (size_t p = 0; p < n; p++) {
			for (size_t e = s->edges[p]; e < s->edges[p + 1]; e++) {
				s->sum[s->edge[e]] += in[p];
			}
		}
		for (size_t p = 0; p < n; p++) {
			changed |= rate(&in[p], s->in[p], s->sum[p]);
		}
	} while (changed);
	for (size_t p = 0; p < n; p++) {
		out[p] += in[p];
	}
	free(in);
	return KT_OK;
}

/* --- all steps --- */

int kt_similarity_init(struct kt_similarity *out, const struct kt_joint *joint,
		       const struct kt_groups arrivals[2], size_t most)
{
	struct scoring s = {
		.result = out, .joint = joint, .arrivals = arrivals, .most = most};
	size_t n_old = joint->machine[0].fsm->n_states;
	int code = KT_OK;

	*out = (struct kt_similarity){0};
	out->first = calloc(n_old + 1, sizeof(*out->first));
	if (!out->first) {
		return kt_no_memory("match states");
	}
	KT_TRY_END(find_pairs(&s));
	if (out->cut) {
		/* Scores of only some of the pairs would mislead, so keep no pairs. */
		out->n = 0;
		memset(out->first, 0, (n_old + 1) * sizeof(*out->first));
	}
	KT_TRY_END(weigh(&s));
	KT_TRY_END(solve(&s));
end:
	free(s.bucket);
	free(s.bucketed);
	for (int version = 0; version < 2; version++) {
		free(s.incoming[version]);
		free(s.outgoing[version]);
	}
	free(s.stamp);
	free(s.out);
	free(s.in);
	free(s.edge);
	free(s.edges);
	free(s.sum);
	if (code) {
		kt_similarity_clear(out);
	}
	return code;
}

void kt_similarity_clear(struct kt_similarity *similarity)
{
	free(similarity->first);
	free(similarity->other);
	free(similarity->score);
	*similarity = (struct kt_similarity){0};
}

size_t kt_similarity_find(const struct kt_similarity *similarity, uint32_t old,
			  uint32_t new)
{
	size_t first = similarity->first[old];
	size_t n = similarity->first[old + (size_t)1] - first;
	size_t at;

	return n && kt_array_find(&at, &new, similarity->other + first, n, kt_compare_u32)
		       ? first + at
		       : SIZE_MAX;
}
