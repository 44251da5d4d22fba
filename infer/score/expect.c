/* SPDX-License-Identifier: MIT */
#include "infer/score/expect.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/try.h"

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

static int make_chain(struct chain *out, size_t n, size_t edges)
{
	out->n = n;
	out->to = calloc(edges + 1, sizeof(*out->to));
	out->weight = calloc(edges + 1, sizeof(*out->weight));
	out->stuck = calloc(n + 1, sizeof(*out->stuck));
	out->exact = calloc(n + 1, sizeof(*out->exact));
	return out->to && out->weight && out->stuck && out->exact
		       ? KT_OK
		       : kt_no_memory("expect of walks");
}

static void clear_chain(struct chain *chain)
{
	free(chain->to);
	free(chain->weight);
	free(chain->stuck);
	free(chain->exact);
	*chain = (struct chain){0};
}

/* How likely a walk takes a transition where it leaves from. */
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

/* The walk of a machine by itself. */
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

/* The walk as long as the other machine reads it: from pair to pair. */
static int fill_from_links(struct chain *out, const struct kt_joint *joint,
			   const struct kt_product *product, const struct kt_links *links,
			   int side, enum kt_score_choice choice)
{
	KT_TRY(make_chain(out, product->n_pairs, links->n));
	out->first = links->first;
	for (size_t i = 0; i < product->n_pairs; i++) {
		out->stuck[i] = is_stuck(&joint->side[side], product->pairs[i].state[side]);
		out->exact[i] = links->exact[i];
	}
	for (size_t i = 0; i < links->n; i++) {
		out->to[i] = links->list[i].to;
		out->weight[i] =
			weigh(&joint->side[side], links->list[i].transition[side], choice);
	}
	return KT_OK;
}

/* Where walks are, and how many of them: all other places hold none. */
struct front {
	double *mass;     /* Owned by this, by place */
	uint32_t *places; /* Owned by this: those that hold some */
	size_t n;
};

static int make_front(struct front *out, size_t n)
{
	*out = (struct front){
		.mass = calloc(n + 1, sizeof(*out->mass)),
		.places = calloc(n + 1, sizeof(*out->places)),
	};
	return out->mass && out->places ? KT_OK : kt_no_memory("expect of walks");
}

static void clear_front(struct front *front)
{
	free(front->mass);
	free(front->places);
}

static void arrive(struct front *front, uint32_t place, double mass)
{
	/* What is too small for a number is gone. */
	if (mass > 0) {
		if (front->mass[place] == 0) {
			front->places[front->n++] = place;
		}
		front->mass[place] += mass;
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
	for (uint64_t made = 0; fronts[made % 2].n > 0; made++) {
		struct front *now = &fronts[made % 2];
		struct front *next = &fronts[!(made % 2)];
		double left = 0;

		/* What the walks add where they are; after the last letter they all end. */
		for (size_t i = 0; i < now->n; i++) {
			uint32_t place = now->places[i];
			bool ends = chain->stuck[place] || made == length;

			out->exact += chain->exact[place] ? now->mass[place] : 0;
			out->ended += ends ? now->mass[place] : 0;
		}
		if (made == length) {
			break;
		}
		/* One letter further; `now` is empty then. */
		for (size_t i = 0; i < now->n; i++) {
			uint32_t place = now->places[i];
			double mass = now->mass[place];

			for (size_t e = chain->first[place];
			     e < chain->first[place + (size_t)1]; e++) {
				arrive(next, chain->to[e], mass * chain->weight[e]);
				left += mass * chain->weight[e];
			}
			now->mass[place] = 0;
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
		    int side, const struct kt_score_options *options)
{
	const struct kt_joint_machine *from = &joint->side[side];
	uint64_t places = product->n_pairs + links->n + from->fsm->n_states +
			  from->fsm->n_transitions;
	struct outcome alone = {0};
	struct outcome together = {0};
	struct chain chain = {0};
	int code;

	*out = (struct kt_expectation){NAN, NAN, NAN, NAN, NAN};
	if (!product->complete ||
	    (options->length && places > STEPS_MAX / options->length)) {
		return KT_OK;
	}
	KT_TRY_END(fill_from_machine(&chain, from, options->choice));
	KT_TRY_END(run(&alone, &chain, options->length));
	clear_chain(&chain);
	KT_TRY_END(fill_from_links(&chain, joint, product, links, side, options->choice));
	KT_TRY_END(run(&together, &chain, options->length));
	*out = (struct kt_expectation){together.ended, alone.letters, together.letters,
				       alone.letters + 1, together.exact};
end:
	clear_chain(&chain);
	return code;
}
