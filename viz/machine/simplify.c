/* SPDX-License-Identifier: MIT */
#include "viz/machine/simplify.h"

#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#define FAN 3 /* the fewest loops that become a list */

#define NONE SIZE_MAX

/* --- rare edges --- */

/* The edges of a drawing, by the state that they leave or enter. */
struct lists {
	size_t *first; /* Owned by this, for each state: an edge, or NONE */
	size_t *next;  /* Owned by this, for each edge: another edge of the same state, or
			* NONE */
};

struct ranked {
	uint64_t count;
	size_t edge;
};

struct hiding {
	struct kt_drawing *d;  /* Weak */
	struct ranked *sorted; /* Owned by this: edges by descending count */
	bool *added;           /* Owned by this, for each edge */
	bool *kept;            /* Owned by this, for each edge */
	size_t *by;            /* Owned by this, for each state: the edge that reached it */
	bool *reached;         /* Owned by this, for each state */
	uint32_t *stack;       /* Owned by this: states whose edges are to be followed */
	struct lists lists;
};

static int compare_edges(const void *a, const void *b)
{
	const struct ranked *x = a;
	const struct ranked *y = b;

	if (x->count != y->count) {
		return x->count > y->count ? -1 : 1;
	}
	return x->edge < y->edge ? -1 : x->edge > y->edge;
}

static uint32_t tail_of(const struct hiding *h, size_t edge, bool backwards)
{
	return backwards ? h->d->edges[edge].to : h->d->edges[edge].from;
}

static uint32_t head_of(const struct hiding *h, size_t edge, bool backwards)
{
	return backwards ? h->d->edges[edge].from : h->d->edges[edge].to;
}

/*
 * Follows the edges that were added so far, from a state that `edge` has just reached;
 * NONE: a state at which ways begin.
 */
static void reach(struct hiding *h, uint32_t state, size_t edge, bool backwards)
{
	size_t n = 0;

	h->reached[state] = true;
	h->by[state] = edge;
	h->stack[n++] = state;
	while (n > 0) {
		uint32_t at = h->stack[--n];

		for (size_t e = h->lists.first[at]; e != NONE; e = h->lists.next[e]) {
			uint32_t to = head_of(h, e, backwards);

			if (h->added[e] && !h->reached[to]) {
				h->reached[to] = true;
				h->by[to] = e;
				h->stack[n++] = to;
			}
		}
	}
}

/*
 * Finds the strongest ways from all states with one of `marks` or, if `backwards`, to them.
 * Edges are added from the most to the least frequent, so that the way that first reaches a
 * state is the strongest.
 */
static void find_ways(struct hiding *h, unsigned marks, bool backwards)
{
	const struct kt_drawing *d = h->d;

	memset(h->added, 0, d->n_edges * sizeof(*h->added));
	memset(h->reached, 0, d->fsm->n_states * sizeof(*h->reached));
	for (size_t i = 0; i < d->fsm->n_states; i++) {
		h->lists.first[i] = NONE;
		h->by[i] = NONE;
	}
	for (size_t e = d->n_edges; e-- > 0;) {
		uint32_t at = tail_of(h, e, backwards);

		h->lists.next[e] = h->lists.first[at];
		h->lists.first[at] = e;
	}
	for (uint32_t i = 0; i < d->fsm->n_states; i++) {
		if (!d->states[i].hidden && (d->states[i].marks & marks)) {
			reach(h, i, NONE, backwards);
		}
	}
	for (size_t i = 0; i < d->n_edges; i++) {
		size_t e = h->sorted[i].edge;

		h->added[e] = true;
		if (h->reached[tail_of(h, e, backwards)] &&
		    !h->reached[head_of(h, e, backwards)]) {
			reach(h, head_of(h, e, backwards), e, backwards);
		}
	}
}

/*
 * Keeps the way that find_ways() found for a state; returns true if a part of it was not
 * kept yet.
 */
static bool keep_way(struct hiding *h, uint32_t state, bool backwards)
{
	bool more = false;

	while (h->by[state] != NONE && !h->kept[h->by[state]]) {
		size_t e = h->by[state];

		more = true;
		h->kept[e] = true;
		state = tail_of(h, e, backwards);
	}
	return more;
}

static bool is_drawn(const struct hiding *h, size_t edge)
{
	return h->kept[edge] || h->d->edges[edge].count >= h->d->least;
}

/*
 * Keeps the strongest ways to all drawn states or, if `backwards`, from them. Returns
 * whether this has added an edge.
 */
static bool keep_ways(struct hiding *h, bool backwards)
{
	const struct kt_drawing *d = h->d;
	bool more = false;

	find_ways(h, backwards ? KT_MARK_END | KT_MARK_CUT : KT_MARK_START | KT_MARK_ENTRY,
		  backwards);
	for (size_t e = 0; e < d->n_edges; e++) {
		if (is_drawn(h, e)) {
			more |= keep_way(h, d->edges[e].from, backwards);
			more |= keep_way(h, d->edges[e].to, backwards);
		}
	}
	for (uint32_t i = 0; i < d->fsm->n_states; i++) {
		if (!d->states[i].hidden && d->states[i].marks) {
			more |= keep_way(h, i, backwards);
		}
	}
	return more;
}

static void hide(struct hiding *h)
{
	struct kt_drawing *d = h->d;

	/*
	 * A kept way passes other states, which need their own ways in both directions. So
	 * repeat until no edge is added.
	 */
	for (int unchanged = 0, backwards = 0; unchanged < 2; backwards = !backwards) {
		unchanged = keep_ways(h, backwards) ? 0 : unchanged + 1;
	}
	memset(h->reached, 0, d->fsm->n_states * sizeof(*h->reached));
	for (size_t e = 0; e < d->n_edges; e++) {
		struct kt_drawn_edge *edge = &d->edges[e];

		edge->rare = !is_drawn(h, e);
		d->n_rare += edge->rare;
		if (!edge->rare) {
			h->reached[edge->from] = true;
			h->reached[edge->to] = true;
		}
	}
	kt_drawing_number(d);
	for (size_t i = 0; i < d->fsm->n_states; i++) {
		if (!d->states[i].hidden && !d->states[i].marks && !h->reached[i]) {
			d->states[i].hidden = true;
			d->n_drawn--;
		}
	}
}

int kt_drawing_hide(struct kt_drawing *drawing, uint64_t least)
{
	size_t n = drawing->fsm->n_states + 1;
	size_t m = drawing->n_edges + 1;
	struct hiding h = {
		.d = drawing,
		.sorted = calloc(m, sizeof(*h.sorted)),
		.added = calloc(m, sizeof(*h.added)),
		.kept = calloc(m, sizeof(*h.kept)),
		.by = calloc(n, sizeof(*h.by)),
		.reached = calloc(n, sizeof(*h.reached)),
		.stack = calloc(n, sizeof(*h.stack)),
		.lists = {calloc(n, sizeof(size_t)), calloc(m, sizeof(size_t))},
	};
	int code = KT_OK;

	if (!h.sorted || !h.added || !h.kept || !h.by || !h.reached || !h.stack ||
	    !h.lists.first || !h.lists.next) {
		code = kt_no_memory("make drawing");
	} else {
		drawing->least = least;
		for (size_t i = 0; i < drawing->n_edges; i++) {
			h.sorted[i] = (struct ranked){drawing->edges[i].count, i};
		}
		qsort(h.sorted, drawing->n_edges, sizeof(*h.sorted), compare_edges);
		hide(&h);
	}
	free(h.sorted);
	free(h.added);
	free(h.kept);
	free(h.by);
	free(h.reached);
	free(h.stack);
	free(h.lists.first);
	free(h.lists.next);
	return code;
}

uint64_t kt_drawing_share(const struct kt_drawing *drawing, uint64_t shares)
{
	const uint64_t most = drawing->max_edge;

	return most / KT_SHARES * shares +
	       (most % KT_SHARES * shares + KT_SHARES - 1) / KT_SHARES;
}

/* --- loops --- */

/* The edges of a state. */
struct degree {
	uint32_t in, out;  /* number of edges */
	uint32_t from, to; /* the state at the other end of the last such edge */
	uint32_t n_loops;  /* loops of two edges that begin here */
};

static bool is_turn(const struct kt_drawing *d, const struct degree *degrees,
		    uint32_t state)
{
	const struct degree *at = &degrees[state];

	return !d->states[state].hidden && !d->states[state].marks && at->in == 1 &&
	       at->out == 1 && at->from == at->to && at->from != state;
}

int kt_drawing_fold(struct kt_drawing *drawing)
{
	size_t n = drawing->fsm->n_states;
	struct degree *degrees = calloc(n + 1, sizeof(*degrees));

	if (!degrees) {
		return kt_no_memory("make drawing");
	}
	for (size_t e = 0; e < drawing->n_edges && !drawing->diff; e++) {
		const struct kt_drawn_edge *edge = &drawing->edges[e];

		if (!edge->rare) {
			degrees[edge->from].out++;
			degrees[edge->from].to = edge->to;
			degrees[edge->to].in++;
			degrees[edge->to].from = edge->from;
		}
	}
	for (uint32_t i = 0; i < n; i++) {
		degrees[degrees[i].to].n_loops += is_turn(drawing, degrees, i);
	}
	for (uint32_t i = 0; i < n; i++) {
		if (is_turn(drawing, degrees, i) && degrees[degrees[i].to].n_loops >= FAN) {
			drawing->states[i].folded = true;
			drawing->n_drawn--;
			drawing->states[i].hub = degrees[i].to;
		}
	}
	for (size_t e = 0; e < drawing->n_edges; e++) {
		struct kt_drawn_edge *edge = &drawing->edges[e];

		edge->folded = drawing->states[edge->from].folded ||
			       drawing->states[edge->to].folded;
	}
	free(degrees);
	return KT_OK;
}
