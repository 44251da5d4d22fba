/* SPDX-License-Identifier: MIT */
#include "infer/engine/expect.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#define STEPS_MAX 1000000000u

/* Places that a walk goes through, and how likely it takes which edge. */
struct chain {
	size_t n;
	size_t start;
	const size_t
		*first; /* Weak: the edges of place i are first[i] to first[i + 1] - 1 */
	uint32_t *to;   /* Owned by this, by edge */
	double *weight; /* Owned by this, by edge; those of a place may be below 1 */
	bool *stuck;    /* Owned by this, by place: a walk ends here */
	bool *exact;    /* Owned by this, by place; what `exact` is the mean of */
};

struct outcome {
	double ended;   /* walks that came to their end */
	double letters; /* that walks took */
	double exact;   /* places that walks were at and that are exact */
};

static int out_of_memory(void)
{
	return kt_error(KT_E_MEMORY, "expect of walks: out of memory");
}

static int make_chain(struct chain *out, size_t n, size_t edges)
{
	out->n = n;
	out->to = calloc(edges + 1, sizeof(*out->to));
	out->weight = calloc(edges + 1, sizeof(*out->weight));
	out->stuck = calloc(n + 1, sizeof(*out->stuck));
	out->exact = calloc(n + 1, sizeof(*out->exact));
	return out->to && out->weight && out->stuck && out->exact ? KT_OK : out_of_memory();
}

static void clear_chain(struct chain *chain)
{
	free(chain->to);
	free(chain->weight);
	free(chain->stuck);
	free(chain->exact);
}

/* How likely a state's walk takes one of its n transitions t. */
static double weigh(const struct kt_fsm_transition *t, size_t n, size_t i,
		    enum kt_score_choice choice)
{
	double sum = 0;

	for (size_t j = 0; choice == KT_SCORE_COUNTS && j < n; j++) {
		sum += (double)t[j].count;
	}
	return sum > 0 ? (double)t[i].count / sum : 1 / (double)n;
}

/* The walk of a machine by itself. */
static int fill_from_machine(struct chain *out, const struct kt_walk_side *from,
			     enum kt_score_choice choice)
{
	const struct kt_fsm *fsm = from->arcs.fsm;
	int code = make_chain(out, fsm->n_states, fsm->n_transitions);

	out->first = from->arcs.first;
	out->start = fsm->start;
	for (uint32_t i = 0; !code && i < fsm->n_states; i++) {
		size_t n;
		const struct kt_fsm_transition *t = kt_arcs_of(&from->arcs, i, &n);

		out->stuck[i] = n == 0;
		for (size_t j = 0; j < n; j++) {
			out->to[from->arcs.first[i] + j] = t[j].to;
			out->weight[from->arcs.first[i] + j] = weigh(t, n, j, choice);
		}
	}
	return code;
}

/* The walk as long as the other machine reads it: from pair to pair. */
static int fill_from_pairs(struct chain *out, const struct kt_pairs *pairs,
			   const struct kt_walk_side *from, const struct kt_walk_side *in,
			   bool backwards, enum kt_score_choice choice)
{
	int code = make_chain(out, pairs->n, pairs->n_followers);

	out->first = pairs->first;
	if (code) {
		return code;
	}
	memcpy(out->to, pairs->followers, pairs->n_followers * sizeof(*out->to));
	for (size_t i = 0; i < pairs->n; i++) {
		struct kt_pair pair = pairs->list[i];
		uint32_t state = backwards ? pair.b : pair.a;
		uint32_t there = backwards ? pair.a : pair.b;
		size_t edge = pairs->first[i];
		size_t n;
		const struct kt_fsm_transition *t = kt_arcs_of(&from->arcs, state, &n);

		out->stuck[i] = n == 0;
		out->exact[i] = kt_walk_is_exact(from, state, in, there);
		/* Followers are in the order of letters, as transitions are. */
		for (size_t j = 0; j < n; j++) {
			if (kt_arcs_step(&in->arcs, there, from->there[t[j].letter]) !=
			    KT_ARCS_NONE) {
				out->weight[edge++] = weigh(t, n, j, choice);
			}
		}
	}
	return code;
}

/* One letter further; what is left of the walks. */
static double step(const struct chain *chain, const double *now, double *next)
{
	double left = 0;

	memset(next, 0, chain->n * sizeof(*next));
	for (size_t i = 0; i < chain->n; i++) {
		for (size_t e = chain->first[i]; now[i] > 0 && e < chain->first[i + 1];
		     e++) {
			next[chain->to[e]] += now[i] * chain->weight[e];
			left += now[i] * chain->weight[e];
		}
	}
	return left;
}

static int run(struct outcome *out, const struct chain *chain, uint64_t length)
{
	double *now = calloc(chain->n + 1, sizeof(*now));
	double *next = calloc(chain->n + 1, sizeof(*next));
	double left = 1;

	*out = (struct outcome){0};
	if (!now || !next) {
		free(now);
		free(next);
		return out_of_memory();
	}
	now[chain->start] = 1;
	for (uint64_t made = 0; left > 0; made++) {
		double *swap = now;

		for (size_t i = 0; i < chain->n; i++) {
			out->exact += chain->exact[i] ? now[i] : 0;
			out->ended += chain->stuck[i] || made == length ? now[i] : 0;
		}
		if (made == length) {
			break;
		}
		left = step(chain, now, next);
		out->letters += left;
		now = next;
		next = swap;
	}
	free(now);
	free(next);
	return KT_OK;
}

static bool is_too_much(const struct kt_pairs *pairs, const struct kt_walk_side *from,
			uint64_t length)
{
	uint64_t places = pairs->n + pairs->n_followers + from->arcs.fsm->n_states +
			  from->arcs.fsm->n_transitions;

	return !pairs->complete || (length && places > STEPS_MAX / length);
}

int kt_expect_walks(struct kt_expectation *out, const struct kt_pairs *pairs,
		    const struct kt_walk_side *a, const struct kt_walk_side *b,
		    bool backwards, const struct kt_score_options *options)
{
	const struct kt_walk_side *from = backwards ? b : a;
	const struct kt_walk_side *in = backwards ? a : b;
	struct outcome alone = {0};
	struct outcome together = {0};
	struct chain chain = {0};
	int code;

	*out = (struct kt_expectation){NAN, NAN, NAN, NAN, NAN};
	if (is_too_much(pairs, from, options->length)) {
		return KT_OK;
	}
	code = fill_from_machine(&chain, from, options->choice);
	code = code ? code : run(&alone, &chain, options->length);
	clear_chain(&chain);
	chain = (struct chain){0};
	code = code ? code
		    : fill_from_pairs(&chain, pairs, from, in, backwards, options->choice);
	code = code ? code : run(&together, &chain, options->length);
	clear_chain(&chain);
	if (!code) {
		*out = (struct kt_expectation){together.ended, alone.letters,
					       together.letters, alone.letters + 1,
					       together.exact};
	}
	return code;
}
