/* SPDX-License-Identifier: MIT */
#include "infer/score/walks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/try.h"

#define NOWHERE UINT32_MAX

/* --- random numbers --- */

/*
 * splitmix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators",
 * OOPSLA 2014), which gives equal numbers on every platform. Not for secrets.
 */
struct kt_random {
	uint64_t state;
};

static uint64_t random_mix(uint64_t x)
{
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

static uint64_t random_next(struct kt_random *random)
{
	random->state += 0x9e3779b97f4a7c15u;
	return random_mix(random->state);
}

/* Returns the generator with the number `stream` of all generators with the same seed. */
static struct kt_random random_stream(uint64_t seed, uint64_t stream)
{
	return (struct kt_random){.state = random_mix(seed) ^
					   random_mix(~random_mix(stream))};
}

/* Returns a uniform number below n, n > 0. Rejects some numbers to avoid a bias. */
static uint64_t random_below(struct kt_random *random, uint64_t n)
{
	uint64_t unfair = -n % n;
	uint64_t x = random_next(random);

	while (x < unfair) {
		x = random_next(random);
	}
	return x % n;
}

/* --- walks --- */

/*
 * Returns the index of the machine's transition from `state` with a joint letter, or
 * SIZE_MAX.
 */
static size_t find(const struct kt_joint_machine *machine, uint32_t state, uint32_t letter)
{
	size_t begin = machine->first[state];
	size_t end = machine->first[state + (size_t)1];

	while (begin < end) {
		size_t middle = begin + (end - begin) / 2;
		uint32_t found = kt_joint_letter(machine, middle);

		if (found == letter) {
			return middle;
		}
		if (found < letter) {
			begin = middle + 1;
		} else {
			end = middle;
		}
	}
	return SIZE_MAX;
}

/*
 * Returns whether `state` of machine a has the same next letters as `other` of machine b.
 */
static bool is_exact(const struct kt_joint_machine *a, uint32_t state,
		     const struct kt_joint_machine *b, uint32_t other)
{
	size_t i = a->first[state];
	size_t j = b->first[other];
	size_t n = a->first[state + (size_t)1] - i;

	if (b->first[other + (size_t)1] - j != n) {
		return false;
	}
	for (; n > 0; n--) {
		if (kt_joint_letter(a, i++) != kt_joint_letter(b, j++)) {
			return false;
		}
	}
	return true;
}

/* Chooses one of the transitions t[0..n), and returns its index. */
static size_t choose(const struct kt_fsm_transition *t, size_t n,
		     enum kt_score_choice choice, struct kt_random *random)
{
	uint64_t sum = 0; /* stays 0 for KT_SCORE_UNIFORM and if all counts are 0 */
	uint64_t left;
	size_t i = 0;

	for (size_t j = 0; choice == KT_SCORE_COUNTS && j < n; j++) {
		sum += t[j].count;
	}
	if (!sum) {
		return n == 1 ? 0 : (size_t)random_below(random, n);
	}
	left = random_below(random, sum);
	while (left >= t[i].count) {
		left -= t[i++].count;
	}
	return i;
}

void kt_walk_tally(struct kt_walk_tally *out, const struct kt_joint *joint, int which,
		   const struct kt_score_options *options)
{
	const struct kt_joint_machine *from = &joint->machine[which];
	const struct kt_joint_machine *in = &joint->machine[!which];

	*out = (struct kt_walk_tally){0};
	for (uint64_t i = 0; i < options->walks; i++) {
		struct kt_random random = random_stream(options->seed, i);
		uint32_t state = from->fsm->start;
		uint32_t there = in->fsm->start;
		uint64_t length = 0;

		for (;; length++) {
			size_t t = from->first[state];
			size_t n = from->first[state + (size_t)1] - t;

			out->exact += there != NOWHERE && is_exact(from, state, in, there);
			if (n == 0 || length == options->length) {
				out->stuck += length < options->length;
				break;
			}
			t += choose(from->fsm->transitions + t, n, options->choice,
				    &random);
			state = from->fsm->transitions[t].to;
			if (there != NOWHERE) {
				size_t u = find(in, there, kt_joint_letter(from, t));

				there = u == SIZE_MAX ? NOWHERE
						      : in->fsm->transitions[u].to;
				out->fitting += there != NOWHERE;
			}
		}
		out->letters += length;
		out->positions += length + 1;
		out->accepted += there != NOWHERE;
	}
}

/* --- expected values --- */

#define STEPS_MAX 1000000000u

/* A Markov chain: nodes that a walk visits, and the probability of each edge. */
struct chain {
	size_t n;
	size_t start;
	const size_t *first; /* Weak: node i has edges first[i] to first[i + 1] - 1 */
	uint32_t *to;        /* Owned by this, by edge */
	/*
	 * Owned by this: for each edge, its probability. The sum over a node is below 1 if
	 * some walks misfit after the node.
	 */
	double *weight;
	bool *stuck; /* Owned by this: for each node, whether a walk ends here */
	/* Owned by this: for each node, whether both machines have the same next letters */
	bool *exact;
};

struct outcome {
	double ended;   /* probability that a walk reaches its end without a misfit */
	double letters; /* expected number of letters of a walk */
	double exact;   /* expected number of exact nodes that a walk visits */
};

static int make_chain(struct chain *out, size_t n, size_t edges)
{
	out->n = n;
	out->to = calloc(edges + 1, sizeof(*out->to));
	out->weight = calloc(edges + 1, sizeof(*out->weight));
	out->stuck = calloc(n + 1, sizeof(*out->stuck));
	out->exact = calloc(n + 1, sizeof(*out->exact));
	return out->to && out->weight && out->stuck && out->exact
		       ? KT_OK
		       : kt_no_memory("evaluate walks");
}

static void clear_chain(struct chain *chain)
{
	free(chain->to);
	free(chain->weight);
	free(chain->stuck);
	free(chain->exact);
	*chain = (struct chain){0};
}

/* Returns the probability that a walk in the transition's state takes the transition. */
static double weigh(const struct kt_joint_machine *from, size_t transition,
		    enum kt_score_choice choice)
{
	const struct kt_fsm_transition *t = from->fsm->transitions;
	uint32_t state = t[transition].from;
	size_t end = from->first[state + (size_t)1];
	double sum = 0;

	for (size_t i = from->first[state]; choice == KT_SCORE_COUNTS && i < end; i++) {
		sum += (double)t[i].count;
	}
	return sum > 0 ? (double)t[transition].count / sum
		       : 1 / (double)(end - from->first[state]);
}

static bool is_stuck(const struct kt_joint_machine *from, uint32_t state)
{
	return from->first[state] == from->first[state + (size_t)1];
}

/*
 * Fills in the chain of a machine's walks without regard to the other machine. The nodes of
 * the chain are states.
 */
static int fill_from_machine(struct chain *out, const struct kt_joint_machine *from,
			     enum kt_score_choice choice)
{
	const struct kt_fsm *fsm = from->fsm;

	KT_TRY(make_chain(out, fsm->n_states, fsm->n_transitions));
	out->first = from->first;
	out->start = fsm->start;
	for (uint32_t i = 0; i < fsm->n_states; i++) {
		out->stuck[i] = is_stuck(from, i);
	}
	for (size_t i = 0; i < fsm->n_transitions; i++) {
		out->to[i] = fsm->transitions[i].to;
		out->weight[i] = weigh(from, i, choice);
	}
	return KT_OK;
}

/*
 * Fills in the chain of the walks of machine `which`, each walk only as far as the other
 * machine can read it. The nodes of the chain are pairs of states.
 */
static int fill_from_links(struct chain *out, const struct kt_joint *joint,
			   const struct kt_product *product, const struct kt_links *links,
			   int which, enum kt_score_choice choice)
{
	KT_TRY(make_chain(out, product->n_pairs, links->n));
	out->first = links->first;
	for (size_t i = 0; i < product->n_pairs; i++) {
		out->stuck[i] =
			is_stuck(&joint->machine[which], product->pairs[i].state[which]);
		out->exact[i] = links->exact[i];
	}
	for (size_t i = 0; i < links->n; i++) {
		out->to[i] = links->list[i].to;
		out->weight[i] = weigh(&joint->machine[which],
				       links->list[i].transition[which], choice);
	}
	return KT_OK;
}

/* The probability that a walk is at each node; it is 0 for nodes that are not listed. */
struct front {
	double *mass;    /* Owned by this, by node */
	uint32_t *nodes; /* Owned by this: nodes with a nonzero mass */
	size_t n;
};

static int make_front(struct front *out, size_t n)
{
	*out = (struct front){
		.mass = calloc(n + 1, sizeof(*out->mass)),
		.nodes = calloc(n + 1, sizeof(*out->nodes)),
	};
	return out->mass && out->nodes ? KT_OK : kt_no_memory("evaluate walks");
}

static void clear_front(struct front *front)
{
	free(front->mass);
	free(front->nodes);
}

static void arrive(struct front *front, uint32_t node, double mass)
{
	/*
	 * A mass that has underflowed to 0 is dropped, since listed nodes have a nonzero
	 * mass.
	 */
	if (mass > 0) {
		if (front->mass[node] == 0) {
			front->nodes[front->n++] = node;
		}
		front->mass[node] += mass;
	}
}

static int run(struct outcome *out, const struct chain *chain, uint64_t length)
{
	struct front fronts[2] = {{0}};
	int code;

	*out = (struct outcome){0};
	KT_TRY_END(make_front(&fronts[0], chain->n));
	KT_TRY_END(make_front(&fronts[1], chain->n));
	arrive(&fronts[0], (uint32_t)chain->start, 1);
	for (uint64_t steps = 0; fronts[steps % 2].n > 0; steps++) {
		struct front *now = &fronts[steps % 2];
		struct front *next = &fronts[!(steps % 2)];
		double left = 0;

		/*
		 * Add the contributions of the current nodes. After the last letter all
		 * walks end.
		 */
		for (size_t i = 0; i < now->n; i++) {
			uint32_t node = now->nodes[i];
			bool ends = chain->stuck[node] || steps == length;

			out->exact += chain->exact[node] ? now->mass[node] : 0;
			out->ended += ends ? now->mass[node] : 0;
		}
		if (steps == length) {
			break;
		}
		/* Advance by one letter; this empties `now`. */
		for (size_t i = 0; i < now->n; i++) {
			uint32_t node = now->nodes[i];
			double mass = now->mass[node];

			for (size_t e = chain->first[node];
			     e < chain->first[node + (size_t)1]; e++) {
				arrive(next, chain->to[e], mass * chain->weight[e]);
				left += mass * chain->weight[e];
			}
			now->mass[node] = 0;
		}
		now->n = 0;
		out->letters += left;
	}
end:
	clear_front(&fronts[0]);
	clear_front(&fronts[1]);
	return code;
}

int kt_expect_walks(struct kt_expectation *out, const struct kt_joint *joint,
		    const struct kt_product *product, const struct kt_links *links,
		    int which, const struct kt_score_options *options)
{
	const struct kt_joint_machine *from = &joint->machine[which];
	uint64_t nodes = product->n_pairs + links->n + from->fsm->n_states +
			 from->fsm->n_transitions;
	struct outcome alone = {0};
	struct outcome together = {0};
	struct chain chain = {0};
	int code;

	*out = (struct kt_expectation){NAN, NAN, NAN, NAN, NAN};
	if (!product->complete ||
	    (options->length && nodes > STEPS_MAX / options->length)) {
		return KT_OK;
	}
	KT_TRY_END(fill_from_machine(&chain, from, options->choice));
	KT_TRY_END(run(&alone, &chain, options->length));
	clear_chain(&chain);
	KT_TRY_END(fill_from_links(&chain, joint, product, links, which, options->choice));
	KT_TRY_END(run(&together, &chain, options->length));
	*out = (struct kt_expectation){together.ended, alone.letters, together.letters,
				       alone.letters + 1, together.exact};
end:
	clear_chain(&chain);
	return code;
}
