/* SPDX-License-Identifier: MIT */
#include "viz/machine/collapse.h"

#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

/* A transition with its number of traversals, or a state with its number of visits. */
struct choice {
	uint64_t count;
	uint32_t id;
};

/* Orders by descending count, then by id. */
static int compare_choices(const void *a, const void *b)
{
	const struct choice *x = a;
	const struct choice *y = b;

	if (x->count != y->count) {
		return x->count > y->count ? -1 : 1;
	}
	return x->id < y->id ? -1 : x->id > y->id;
}

/* Working data while the drawing is built. */
struct work {
	struct kt_drawing *drawing; /* Weak */
	/*
	 * Owned by this, for each state: index of its first outgoing transition; a last
	 * element holds the number of all transitions
	 */
	size_t *first;
	uint32_t *in;    /* Owned by this, for each state: number of incoming transitions */
	uint32_t *enter; /* Owned by this, for each state: its last incoming transition */
	size_t n_presences; /* number of possible origins: 1, or 4 in a difference */
	/*
	 * Owned by this, for each target state and origin: index of the edge of
	 * alternatives that was found last
	 */
	uint32_t *edge_of;
	/* Owned by this, for each element of edge_of: the state that this edge leaves */
	uint32_t *last_from;
	unsigned char *seen; /* Owned by this, for each state: 1 if walk_from() marked it */
	/* Owned by this, for each transition: 1 + index of its edge; 0: it is in a chain */
	uint32_t *edge_at;
	/* Owned by this, for each edge: how many of its transitions `order` has so far */
	uint32_t *filled;
	struct choice *choices; /* Owned by this: buffer for sorting */
};

static void mark_states(struct kt_drawing *drawing)
{
	const struct kt_fsm *fsm = drawing->fsm;

	/*
	 * The machine does not record how many words are truncated in a state, so compute
	 * it: the number of words that exit there, without those that `ends` counts.
	 */
	for (size_t i = 0; i < fsm->n_words; i++) {
		drawing->states[fsm->words[i].entry].begins++;
		drawing->states[fsm->words[i].exit].cuts++;
	}
	for (size_t i = 0; i < fsm->n_states; i++) {
		struct kt_drawn_state *s = &drawing->states[i];
		uint64_t ends = fsm->states[i].ends;

		s->cuts = s->cuts > ends ? s->cuts - ends : 0;
		s->marks |= i == fsm->start ? KT_MARK_START : 0;
		s->marks |= ends ? KT_MARK_END : 0;
		s->marks |= s->begins && i != fsm->start ? KT_MARK_ENTRY : 0;
		s->marks |= s->cuts ? KT_MARK_CUT : 0;
		if (fsm->states[i].visits > drawing->max_visits) {
			drawing->max_visits = fsm->states[i].visits;
		}
	}
	/*
	 * Machines without k ("truth", "imported") have no counts. A difference has counts
	 * if any of its states or transitions has a count.
	 */
	drawing->counted = drawing->diff ? drawing->max_visits > 0 : !fsm->no_k;
	for (size_t i = 0; i < fsm->n_transitions && drawing->diff; i++) {
		drawing->counted = drawing->counted || fsm->transitions[i].count;
	}
}

/* Returns the transition after t if t leads into a hidden state, else NULL. */
static const struct kt_fsm_transition *next_hidden(const struct work *w,
						   const struct kt_fsm_transition *t)
{
	return w->drawing->states[t->to].hidden
		       ? &w->drawing->fsm->transitions[w->first[t->to]]
		       : NULL;
}

/* Marks as seen the hidden states of all chains that begin at a state. */
static void walk_from(struct work *w, uint32_t state)
{
	for (size_t i = w->first[state]; i < w->first[state + (size_t)1]; i++) {
		const struct kt_fsm_transition *t = &w->drawing->fsm->transitions[i];

		for (; w->drawing->states[t->to].hidden; t = next_hidden(w, t)) {
			w->seen[t->to] = 1;
		}
	}
}

static void hide_chains(struct work *w)
{
	struct kt_drawn_state *states = w->drawing->states;
	const struct kt_fsm *fsm = w->drawing->fsm;

	/*
	 * Hide an unmarked state with one incoming transition and one outgoing transition
	 * to another state. In a difference, the state and both transitions must have the
	 * same origin.
	 */
	for (uint32_t i = 0; i < fsm->n_states; i++) {
		const struct kt_fsm_transition *out = &fsm->transitions[w->first[i]];

		states[i].hidden =
			!states[i].marks && w->in[i] == 1 &&
			w->first[i + (size_t)1] - w->first[i] == 1 && out->to != i &&
			(!w->drawing->diff ||
			 (out->presence == fsm->states[i].presence &&
			  out->presence == fsm->transitions[w->enter[i]].presence));
	}
	for (uint32_t i = 0; i < fsm->n_states; i++) {
		if (!states[i].hidden) {
			walk_from(w, i);
		}
	}
	/*
	 * A hidden state that no chain from a drawn state reaches is on a cycle of hidden
	 * states only: draw one state of this cycle.
	 */
	for (uint32_t i = 0; i < fsm->n_states; i++) {
		if (states[i].hidden && !w->seen[i]) {
			states[i].hidden = false;
			walk_from(w, i);
		}
	}
	/* If a chain leads back to its beginning, draw the middle state of the chain. */
	for (size_t i = 0; i < fsm->n_transitions; i++) {
		const struct kt_fsm_transition *middle = &fsm->transitions[i];
		const struct kt_fsm_transition *t = middle;
		size_t n = 0;

		if (states[t->from].hidden) {
			continue;
		}
		for (; next_hidden(w, t); t = next_hidden(w, t)) {
			n++;
		}
		if (n == 0 || t->to != middle->from) {
			continue;
		}
		for (size_t j = 0; j < (n - 1) / 2; j++) {
			middle = next_hidden(w, middle);
		}
		states[middle->to].hidden = false;
		states[middle->to].opened = true;
	}
}

/* Returns the counts of a transition in both machines of a difference, otherwise zeros. */
static struct kt_fsm_origin origin_of(const struct kt_drawing *d,
				      const struct kt_fsm_transition *t)
{
	return d->diff ? d->fsm->transition_origins[t - d->fsm->transitions]
		       : (struct kt_fsm_origin){0, 0};
}

static uint64_t larger(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static void find_edges(struct work *w)
{
	struct kt_drawing *d = w->drawing;

	for (uint32_t s = 0; s < d->fsm->n_states; s++) {
		if (d->states[s].hidden) {
			continue;
		}
		d->n_drawn++;
		for (size_t i = w->first[s]; i < w->first[s + (size_t)1]; i++) {
			const struct kt_fsm_transition *t = &d->fsm->transitions[i];
			struct kt_fsm_origin origin = origin_of(d, t);
			size_t slot = t->to * w->n_presences + (d->diff ? t->presence : 0);
			bool chain = d->states[t->to].hidden;
			struct kt_drawn_edge *edge;

			if (!chain && w->last_from[slot] == t->from) {
				edge = &d->edges[w->edge_of[slot]];
				w->edge_at[i] = w->edge_of[slot] + 1;
				edge->n++;
				edge->count += t->count;
				edge->origin.in_old += origin.in_old;
				edge->origin.in_new += origin.in_new;
				continue;
			}
			edge = &d->edges[d->n_edges];
			*edge = (struct kt_drawn_edge){
				.from = t->from,
				.ordinal = (uint32_t)(i - w->first[s]),
				.chain = chain,
				.n = 1,
				.count = t->count,
				.presence = d->diff ? t->presence : KT_PRESENCE_NONE,
				.origin = origin};
			/* Add the chain's other transitions. */
			for (const struct kt_fsm_transition *next = next_hidden(w, t); next;
			     next = next_hidden(w, t)) {
				t = next;
				origin = origin_of(d, t);
				edge->n++;
				edge->count = larger(edge->count, t->count);
				edge->origin.in_old =
					larger(edge->origin.in_old, origin.in_old);
				edge->origin.in_new =
					larger(edge->origin.in_new, origin.in_new);
			}
			edge->to = t->to;
			if (!chain) {
				w->last_from[slot] = t->from;
				w->edge_of[slot] = (uint32_t)d->n_edges;
				w->edge_at[i] = (uint32_t)d->n_edges + 1;
			}
			d->n_edges++;
		}
	}
	for (size_t e = 0, first = 0; e < d->n_edges; e++) {
		d->edges[e].first = first;
		first += d->edges[e].n;
		if (d->edges[e].count > d->max_edge) {
			d->max_edge = d->edges[e].count;
		}
	}
}

/*
 * Fills in drawing->order: the transitions of a chain in sequence, alternatives by
 * descending count.
 */
static void fill_order(struct work *w)
{
	struct kt_drawing *d = w->drawing;
	const struct kt_fsm_transition *transitions = d->fsm->transitions;

	for (size_t i = 0; i < d->fsm->n_transitions; i++) {
		if (w->edge_at[i]) {
			size_t e = w->edge_at[i] - (size_t)1;

			d->order[d->edges[e].first + w->filled[e]++] = (uint32_t)i;
		}
	}
	for (size_t e = 0; e < d->n_edges; e++) {
		const struct kt_drawn_edge *edge = &d->edges[e];
		uint32_t *order = d->order + edge->first;

		if (edge->chain) {
			const struct kt_fsm_transition *t =
				&transitions[w->first[edge->from] + edge->ordinal];

			for (size_t i = 0; t; t = next_hidden(w, t)) {
				order[i++] = (uint32_t)(t - transitions);
			}
			continue;
		}
		for (size_t i = 0; i < edge->n; i++) {
			w->choices[i] =
				(struct choice){transitions[order[i]].count, order[i]};
		}
		qsort(w->choices, edge->n, sizeof(*w->choices), compare_choices);
		for (size_t i = 0; i < edge->n; i++) {
			order[i] = w->choices[i].id;
		}
	}
}

void kt_drawing_number(struct kt_drawing *drawing)
{
	size_t n = 0;

	for (int changed = 1; changed >= 0; changed--) {
		for (size_t e = 0; e < drawing->n_edges; e++) {
			struct kt_drawn_edge *edge = &drawing->edges[e];

			if (!edge->rare && kt_edge_is_changed(edge) == changed) {
				edge->key = n++;
			}
		}
	}
}

int kt_drawing_new(struct kt_drawing **out, const struct kt_fsm *fsm, bool collapse)
{
	size_t n = fsm->n_states;
	size_t m = fsm->n_transitions;
	struct kt_drawing *d = calloc(1, sizeof(*d));
	struct work w = {.drawing = d, .n_presences = 1};
	int code = KT_OK;

	*out = NULL;
	if (!d) {
		return kt_no_memory("make drawing");
	}
	d->fsm = fsm;
	d->diff = fsm->state_origins && fsm->transition_origins;
	if (d->diff) {
		w.n_presences = KT_PRESENCE_NEW + 1;
	}
	d->states = calloc(n + 1, sizeof(*d->states));
	d->edges = calloc(m + 1, sizeof(*d->edges));
	d->order = calloc(m + 1, sizeof(*d->order));
	w.first = calloc(n + 1, sizeof(*w.first));
	w.in = calloc(n + 1, sizeof(*w.in));
	w.enter = calloc(n + 1, sizeof(*w.enter));
	w.edge_of = calloc((n + 1) * w.n_presences, sizeof(*w.edge_of));
	w.last_from = malloc((n + 1) * w.n_presences * sizeof(*w.last_from));
	w.seen = calloc(n + 1, 1);
	w.edge_at = calloc(m + 1, sizeof(*w.edge_at));
	w.filled = calloc(m + 1, sizeof(*w.filled));
	w.choices = calloc(m + 1, sizeof(*w.choices));
	if (!d->states || !d->edges || !d->order || !w.first || !w.in || !w.enter ||
	    !w.edge_of || !w.last_from || !w.seen || !w.edge_at || !w.filled ||
	    !w.choices) {
		code = kt_no_memory("make drawing");
		goto end;
	}
	/* An element of last_from with all bits set means no state. */
	memset(w.last_from, 0xff, (n + 1) * w.n_presences * sizeof(*w.last_from));
	mark_states(d);
	for (size_t i = 0; i < m; i++) {
		w.in[fsm->transitions[i].to]++;
		w.enter[fsm->transitions[i].to] = (uint32_t)i;
		w.first[fsm->transitions[i].from + (size_t)1]++;
	}
	for (size_t i = 0; i < n; i++) {
		w.first[i + 1] += w.first[i];
	}
	if (collapse) {
		hide_chains(&w);
	}
	find_edges(&w);
	fill_order(&w);
	kt_drawing_number(d);
	*out = d;
end:
	free(w.first);
	free(w.in);
	free(w.enter);
	free(w.edge_of);
	free(w.last_from);
	free(w.seen);
	free(w.edge_at);
	free(w.filled);
	free(w.choices);
	if (code) {
		kt_drawing_free(d);
	}
	return code;
}

int kt_arrange_states(uint32_t **out, const struct kt_drawing *drawing)
{
	struct choice *busiest = calloc(drawing->n_drawn + 1, sizeof(*busiest));
	uint32_t *order = calloc(drawing->n_drawn + 1, sizeof(*order));
	size_t n = 0;

	*out = order;
	if (!busiest || !order) {
		free(busiest);
		free(order);
		*out = NULL;
		return kt_no_memory("arrange states");
	}
	for (uint32_t id = 0; id < drawing->fsm->n_states; id++) {
		if (drawing->states[id].marks & (KT_MARK_START | KT_MARK_ENTRY)) {
			*order++ = id;
		} else if (!drawing->states[id].hidden && !drawing->states[id].folded) {
			busiest[n++] = (struct choice){drawing->fsm->states[id].visits, id};
		}
	}
	qsort(busiest, n, sizeof(*busiest), compare_choices);
	/*
	 * Place the busiest state in the middle, and the next busiest states alternately
	 * left and right of it.
	 */
	for (size_t i = 0; i < n; i++) {
		order[i % 2 ? n / 2 - 1 - i / 2 : n / 2 + i / 2] = busiest[i].id;
	}
	free(busiest);
	return KT_OK;
}

void kt_drawing_free(struct kt_drawing *drawing)
{
	if (drawing) {
		free(drawing->states);
		free(drawing->edges);
		free(drawing->order);
		free(drawing);
	}
}
