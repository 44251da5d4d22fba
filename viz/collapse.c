/* SPDX-License-Identifier: MIT */
#include "viz/collapse.h"

#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

struct choice {
	uint64_t count;
	uint32_t transition;
};

/* What is needed while the drawing is made. */
struct work {
	struct kt_drawing *drawing; /* Weak */
	size_t *first;              /* Owned by this; a state's first transition; n + 1 */
	uint32_t *in;               /* Owned by this; incoming transitions of a state */
	uint32_t *enter;            /* Owned by this; the last of them */
	size_t sides;               /* how many sides there are: 1, in a difference 4 */
	uint32_t *edge_of;   /* Owned by this; the edge of a slot's direct transition */
	uint32_t *last_from; /* Owned by this; for which state edge_of is */
	unsigned char *seen; /* Owned by this; hidden states that a chain was found for */
	uint32_t *edge_at;   /* Owned by this; 1 + edge of a direct transition, else 0 */
	uint32_t *filled;    /* Owned by this; how much of an edge is in the order */
	struct choice *choices; /* Owned by this; room for sorting */
};

/* Truth is not counted, nor is the difference of two truths. */
static bool is_counted(const struct kt_drawing *drawing)
{
	const struct kt_fsm *fsm = drawing->fsm;

	if (!drawing->diff) {
		return !fsm->no_k;
	}
	for (size_t i = 0; i < fsm->n_transitions; i++) {
		if (fsm->transitions[i].count) {
			return true;
		}
	}
	return drawing->max_visits > 0;
}

static void mark_states(struct kt_drawing *drawing)
{
	const struct kt_fsm *fsm = drawing->fsm;

	/* A word's cut end is not written down: it is an exit that `ends` does not count.
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
}

static void count_degrees(struct work *w)
{
	const struct kt_fsm *fsm = w->drawing->fsm;

	for (size_t i = 0; i < fsm->n_transitions; i++) {
		w->in[fsm->transitions[i].to]++;
		w->enter[fsm->transitions[i].to] = (uint32_t)i;
		w->first[fsm->transitions[i].from + (size_t)1]++;
	}
	for (size_t i = 0; i < fsm->n_states; i++) {
		w->first[i + 1] += w->first[i];
	}
}

/* The transition behind t when t leads into a hidden state, else NULL. */
static const struct kt_fsm_transition *behind(const struct work *w,
					      const struct kt_fsm_transition *t)
{
	return w->drawing->states[t->to].hidden
		       ? &w->drawing->fsm->transitions[w->first[t->to]]
		       : NULL;
}

static void walk_chain(struct work *w, const struct kt_fsm_transition *t)
{
	for (; w->drawing->states[t->to].hidden; t = behind(w, t)) {
		w->seen[t->to] = 1;
	}
}

/* Walks the chains that begin at a state which is drawn. */
static void walk_from(struct work *w, uint32_t state)
{
	for (size_t i = w->first[state]; i < w->first[state + (size_t)1]; i++) {
		walk_chain(w, &w->drawing->fsm->transitions[i]);
	}
}

/* Draws the middle state of a chain that leads back to where it began. */
static void open_loop(struct work *w, const struct kt_fsm_transition *first)
{
	const struct kt_fsm_transition *middle = first;
	const struct kt_fsm_transition *t = first;
	size_t n = 0;

	for (; behind(w, t); t = behind(w, t)) {
		n++;
	}
	if (n == 0 || t->to != first->from) {
		return;
	}
	for (size_t i = 0; i < (n - 1) / 2; i++) {
		middle = behind(w, middle);
	}
	w->drawing->states[middle->to].hidden = false;
	w->drawing->states[middle->to].opened = true;
}

static void open_loops(struct work *w)
{
	for (uint32_t s = 0; s < w->drawing->fsm->n_states; s++) {
		for (size_t i = w->first[s]; i < w->first[s + (size_t)1]; i++) {
			if (!w->drawing->states[s].hidden) {
				open_loop(w, &w->drawing->fsm->transitions[i]);
			}
		}
	}
}

/* Whether one transition leads into a state, and one on to another; all on one side. */
static bool is_passage(const struct work *w, uint32_t state)
{
	const struct kt_fsm *fsm = w->drawing->fsm;
	const struct kt_fsm_transition *out = &fsm->transitions[w->first[state]];

	return w->in[state] == 1 && w->first[state + (size_t)1] - w->first[state] == 1 &&
	       out->to != state &&
	       (!w->drawing->diff || (out->side == fsm->states[state].side &&
				      out->side == fsm->transitions[w->enter[state]].side));
}

static void hide_chains(struct work *w)
{
	struct kt_drawn_state *states = w->drawing->states;
	const struct kt_fsm *fsm = w->drawing->fsm;

	for (uint32_t i = 0; i < fsm->n_states; i++) {
		states[i].hidden = !states[i].marks && is_passage(w, i);
	}
	for (uint32_t i = 0; i < fsm->n_states; i++) {
		if (!states[i].hidden) {
			walk_from(w, i);
		}
	}
	/* What no chain reached is a cycle on its own: its first state is drawn. */
	for (uint32_t i = 0; i < fsm->n_states; i++) {
		if (states[i].hidden && !w->seen[i]) {
			states[i].hidden = false;
			walk_from(w, i);
		}
	}
	open_loops(w);
}

/* The counts that each machine has for a transition; of no difference, none. */
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

/* One more way from the edge's beginning to its end. */
static void add_choice(struct kt_drawn_edge *edge, const struct kt_drawing *d,
		       const struct kt_fsm_transition *t)
{
	struct kt_fsm_origin origin = origin_of(d, t);

	edge->n++;
	edge->count += t->count;
	edge->origin.in_old += origin.in_old;
	edge->origin.in_new += origin.in_new;
}

/* One more letter of a chain. */
static void add_link(struct kt_drawn_edge *edge, const struct kt_drawing *d,
		     const struct kt_fsm_transition *t)
{
	struct kt_fsm_origin origin = origin_of(d, t);

	edge->n++;
	edge->count = larger(edge->count, t->count);
	edge->origin.in_old = larger(edge->origin.in_old, origin.in_old);
	edge->origin.in_new = larger(edge->origin.in_new, origin.in_new);
}

/* Adds transition i, and all that a chain brings along, to an edge, new or not. */
static void add_to_edge(struct work *w, size_t i, uint32_t ordinal)
{
	struct kt_drawing *d = w->drawing;
	const struct kt_fsm_transition *t = &d->fsm->transitions[i];
	size_t slot = t->to * w->sides + (d->diff ? t->side : 0);
	bool chain = d->states[t->to].hidden;
	struct kt_drawn_edge *edge;

	if (!chain && w->last_from[slot] == t->from) {
		w->edge_at[i] = w->edge_of[slot] + 1;
		add_choice(&d->edges[w->edge_of[slot]], d, t);
		return;
	}
	edge = &d->edges[d->n_edges];
	*edge = (struct kt_drawn_edge){.from = t->from,
				       .ordinal = ordinal,
				       .chain = chain,
				       .n = 1,
				       .count = t->count,
				       .side = d->diff ? t->side : KT_SIDE_NONE,
				       .origin = origin_of(d, t)};
	for (const struct kt_fsm_transition *next = behind(w, t); next;
	     next = behind(w, t)) {
		t = next;
		add_link(edge, d, t);
	}
	edge->to = t->to;
	if (!chain) {
		w->last_from[slot] = t->from;
		w->edge_of[slot] = (uint32_t)d->n_edges;
		w->edge_at[i] = (uint32_t)d->n_edges + 1;
	}
	d->n_edges++;
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
			add_to_edge(w, i, (uint32_t)(i - w->first[s]));
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

static int compare_choices(const void *a, const void *b)
{
	const struct choice *x = a;
	const struct choice *y = b;

	if (x->count != y->count) {
		return x->count > y->count ? -1 : 1;
	}
	return x->transition < y->transition ? -1 : x->transition > y->transition;
}

static void fill_chain(struct work *w, const struct kt_drawn_edge *edge)
{
	const struct kt_fsm *fsm = w->drawing->fsm;
	const struct kt_fsm_transition *t =
		&fsm->transitions[w->first[edge->from] + edge->ordinal];

	for (size_t i = 0; t; t = behind(w, t)) {
		w->drawing->order[edge->first + i++] = (uint32_t)(t - fsm->transitions);
	}
}

static void sort_choices(struct work *w, const struct kt_drawn_edge *edge)
{
	const struct kt_fsm *fsm = w->drawing->fsm;
	uint32_t *order = w->drawing->order + edge->first;

	for (size_t i = 0; i < edge->n; i++) {
		w->choices[i] = (struct choice){fsm->transitions[order[i]].count, order[i]};
	}
	qsort(w->choices, edge->n, sizeof(*w->choices), compare_choices);
	for (size_t i = 0; i < edge->n; i++) {
		order[i] = w->choices[i].transition;
	}
}

static void fill_order(struct work *w)
{
	struct kt_drawing *d = w->drawing;

	for (size_t i = 0; i < d->fsm->n_transitions; i++) {
		if (w->edge_at[i]) {
			size_t e = w->edge_at[i] - (size_t)1;

			d->order[d->edges[e].first + w->filled[e]++] = (uint32_t)i;
		}
	}
	for (size_t e = 0; e < d->n_edges; e++) {
		if (d->edges[e].chain) {
			fill_chain(w, &d->edges[e]);
		} else if (d->edges[e].n > 1) {
			sort_choices(w, &d->edges[e]);
		}
	}
}

static int make_room(struct work *w)
{
	struct kt_drawing *d = w->drawing;
	size_t n = d->fsm->n_states;
	size_t m = d->fsm->n_transitions;

	d->states = calloc(n + 1, sizeof(*d->states));
	d->edges = calloc(m + 1, sizeof(*d->edges));
	d->order = calloc(m + 1, sizeof(*d->order));
	w->first = calloc(n + 1, sizeof(*w->first));
	w->in = calloc(n + 1, sizeof(*w->in));
	w->enter = calloc(n + 1, sizeof(*w->enter));
	w->edge_of = calloc((n + 1) * w->sides, sizeof(*w->edge_of));
	w->last_from = malloc((n + 1) * w->sides * sizeof(*w->last_from));
	w->seen = calloc(n + 1, 1);
	w->edge_at = calloc(m + 1, sizeof(*w->edge_at));
	w->filled = calloc(m + 1, sizeof(*w->filled));
	w->choices = calloc(m + 1, sizeof(*w->choices));
	if (!d->states || !d->edges || !d->order || !w->first || !w->in || !w->enter ||
	    !w->edge_of || !w->last_from || !w->seen || !w->edge_at || !w->filled ||
	    !w->choices) {
		return KT_E_MEMORY;
	}
	/* no state */
	memset(w->last_from, 0xff, (n + 1) * w->sides * sizeof(*w->last_from));
	return KT_OK;
}

int kt_drawing_new(struct kt_drawing **out, const struct kt_fsm *fsm, bool collapse)
{
	struct work w = {.drawing = calloc(1, sizeof(*w.drawing))};
	int code = KT_E_MEMORY;

	*out = NULL;
	if (w.drawing) {
		w.drawing->fsm = fsm;
		w.drawing->diff = fsm->state_origins && fsm->transition_origins;
		w.sides = w.drawing->diff ? KT_SIDE_NEW + 1 : 1;
		code = make_room(&w);
	}
	if (!code) {
		mark_states(w.drawing);
		w.drawing->counted = is_counted(w.drawing);
		count_degrees(&w);
		if (collapse) {
			hide_chains(&w);
		}
		find_edges(&w);
		fill_order(&w);
	}
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
		kt_drawing_free(w.drawing);
		return kt_error(code, "make drawing: out of memory");
	}
	*out = w.drawing;
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
