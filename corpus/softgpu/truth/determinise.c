/* SPDX-License-Identifier: MIT */
/*
 * The subset construction (Rabin and Scott). Of a set only those states count that a letter
 * leaves: two sets that agree in them go on alike.
 */
#include "corpus/softgpu/truth/automaton.h"

#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/hash-index.h"
#include "base/try.h"

/* A set of the automaton's states, ascending. */
struct set {
	uint32_t *items; /* Owned by this */
	size_t n;
};

struct work {
	const struct kt_automaton *in; /* Weak */
	struct kt_machine *machine;    /* Weak */
	size_t *first;                 /* Owned by this; a state's first edge in `order` */
	uint32_t *order;               /* Owned by this; edges by their state */
	uint32_t *letter_of;           /* Owned by this; a point's letter */
	struct set *sets;              /* Owned by this; of the machine's states */
	size_t sets_capacity;
	struct kt_hash_index states_of; /* of sets: the machine's state */
	/* room for one set */
	uint32_t *stack; /* Owned by this */
	bool *seen;      /* Owned by this; by the automaton's state */
	uint32_t *found; /* Owned by this; what is seen, in order of discovery */
	size_t n_found;
};

void kt_machine_free(struct kt_machine *machine)
{
	if (!machine) {
		return;
	}
	for (size_t i = 0; i < machine->n_states; i++) {
		free(machine->states[i].points);
	}
	free(machine->letters);
	free(machine->states);
	free(machine->transitions);
	free(machine);
}

/* --- letters --- */

static int compare_texts(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static const char *letter_text(const struct work *w, uint32_t point)
{
	return w->in->points[point].statement->letter;
}

/* The letters that edges have, sorted, and the number of each point's. */
static int number_letters(struct work *w)
{
	struct kt_machine *m = w->machine;
	size_t n = 0;

	m->letters = calloc(w->in->n_edges + 1, sizeof(*m->letters));
	w->letter_of = calloc(w->in->n_points + 1, sizeof(*w->letter_of));
	if (!m->letters || !w->letter_of) {
		return kt_no_memory("determinise");
	}
	for (size_t i = 0; i < w->in->n_edges; i++) {
		if (w->in->edges[i].kind == KT_EDGE_LETTER) {
			m->letters[n++] = letter_text(w, w->in->edges[i].point);
		}
	}
	qsort(m->letters, n, sizeof(*m->letters), compare_texts);
	for (size_t i = 0; i < n; i++) {
		if (i == 0 || strcmp(m->letters[m->n_letters - 1], m->letters[i]) != 0) {
			m->letters[m->n_letters++] = m->letters[i];
		}
	}
	for (uint32_t i = 0; i < w->in->n_points; i++) {
		const char *text = letter_text(w, i);
		const char **found = bsearch(&text, m->letters, m->n_letters,
					     sizeof(*m->letters), compare_texts);

		w->letter_of[i] = found ? (uint32_t)(found - m->letters) : UINT32_MAX;
	}
	return KT_OK;
}

/* --- sets --- */

/* Adds a state and all that silent edges lead to. */
static void add_closure(struct work *w, uint32_t state)
{
	size_t depth = 0;

	if (w->seen[state]) {
		return;
	}
	w->seen[state] = true;
	w->stack[depth++] = state;
	while (depth > 0) {
		uint32_t s = w->stack[--depth];

		w->found[w->n_found++] = s;
		for (size_t i = w->first[s]; i < w->first[s + (size_t)1]; i++) {
			const struct kt_edge *e = &w->in->edges[w->order[i]];

			if (e->kind == KT_EDGE_SILENT && !w->seen[e->to]) {
				w->seen[e->to] = true;
				w->stack[depth++] = e->to;
			}
		}
	}
}

static int compare_numbers(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a;
	uint32_t y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

/* What was found becomes a set, without what no letter leaves; the room is clear again. */
static int take_set(struct work *w, struct set *out)
{
	out->n = 0;
	out->items = calloc(w->n_found + 1, sizeof(*out->items));
	if (!out->items) {
		return kt_no_memory("determinise");
	}
	for (size_t i = 0; i < w->n_found; i++) {
		uint32_t state = w->found[i];
		size_t j = w->first[state];
		size_t end = w->first[state + (size_t)1];

		w->seen[state] = false;
		while (j < end && w->in->edges[w->order[j]].kind != KT_EDGE_LETTER) {
			j++;
		}
		if (j < end) {
			out->items[out->n++] = state;
		}
	}
	w->n_found = 0;
	qsort(out->items, out->n, sizeof(*out->items), compare_numbers);
	return KT_OK;
}

/* The machine's state of a set, which is taken over, be it new or not. */
static int find_state(struct work *w, struct set *set, uint32_t *out)
{
	struct kt_machine *m = w->machine;
	size_t bytes = set->n * sizeof(*set->items);
	uint32_t hash = kt_hash_bytes(set->items, bytes);
	struct kt_hash_probe probe = kt_hash_probe(&w->states_of, hash);
	struct kt_machine_state *state;
	bool *here = NULL;
	int code;

	while (kt_hash_next(&w->states_of, &probe, out)) {
		if (w->sets[*out].n == set->n &&
		    memcmp(w->sets[*out].items, set->items, bytes) == 0) {
			free(set->items);
			return KT_OK;
		}
	}
	if (m->n_states == KT_AUTOMATON_MAX_STATES) {
		code = kt_error(KT_E_MALFORMED, "determinise: more than %d states",
				KT_AUTOMATON_MAX_STATES);
		goto end;
	}
	KT_TRY_END(kt_array_reserve(&w->sets, &w->sets_capacity, m->n_states + 1));
	KT_TRY_END(kt_array_reserve(&m->states, &m->states_capacity, m->n_states + 1));
	if (kt_hash_add(&w->states_of, hash, m->n_states)) {
		code = kt_no_memory("determinise");
		goto end;
	}
	*out = (uint32_t)m->n_states++;
	w->sets[*out] = *set;
	state = &m->states[*out];

	/* The points at which a letter comes next. */
	here = calloc(w->in->n_points + 1, sizeof(*here));
	state->n_points = 0;
	state->points = calloc(w->in->n_points + 1, sizeof(*state->points));
	if (!here || !state->points) {
		free(here);
		return kt_no_memory("determinise");
	}
	for (size_t i = 0; i < set->n; i++) {
		uint32_t s = set->items[i];

		for (size_t j = w->first[s]; j < w->first[s + (size_t)1]; j++) {
			const struct kt_edge *e = &w->in->edges[w->order[j]];

			here[e->point] |= e->kind == KT_EDGE_LETTER;
		}
	}
	for (uint32_t i = 0; i < w->in->n_points; i++) {
		if (here[i]) {
			state->points[state->n_points++] = i;
		}
	}
	free(here);
	return KT_OK;

end:
	free(set->items);
	return code;
}

/* --- transitions --- */

static int add_transition(struct work *w, uint32_t from, uint32_t letter)
{
	struct kt_machine *m = w->machine;
	const struct set *set = &w->sets[from];
	struct set next = {0};
	uint32_t to = 0;

	for (size_t i = 0; i < set->n; i++) {
		uint32_t s = set->items[i];

		for (size_t j = w->first[s]; j < w->first[s + (size_t)1]; j++) {
			const struct kt_edge *e = &w->in->edges[w->order[j]];

			if (e->kind == KT_EDGE_LETTER && w->letter_of[e->point] == letter) {
				add_closure(w, e->to);
			}
		}
	}
	if (w->n_found == 0) {
		return KT_OK;
	}
	KT_TRY(take_set(w, &next));
	KT_TRY(find_state(w, &next, &to));
	KT_TRY(kt_array_reserve(&m->transitions, &m->transitions_capacity,
				m->n_transitions + 1));
	m->transitions[m->n_transitions++] =
		(struct kt_machine_transition){from, letter, to};
	return KT_OK;
}

int kt_determinise(struct kt_machine **out, const struct kt_automaton *in)
{
	struct work w = {.in = in, .machine = calloc(1, sizeof(*w.machine))};
	struct set start = {0};
	uint32_t state;
	int code;

	*out = NULL;
	if (!w.machine) {
		return kt_no_memory("determinise");
	}
	w.stack = calloc((size_t)in->n_states + 1, sizeof(*w.stack));
	w.found = calloc((size_t)in->n_states + 1, sizeof(*w.found));
	w.seen = calloc((size_t)in->n_states + 1, sizeof(*w.seen));
	if (!w.stack || !w.found || !w.seen ||
	    !kt_automaton_sort_edges(in, &w.first, &w.order)) {
		code = kt_no_memory("determinise");
		goto end;
	}
	KT_TRY_END(number_letters(&w));
	add_closure(&w, 0);
	KT_TRY_END(take_set(&w, &start));
	KT_TRY_END(find_state(&w, &start, &state));
	/* States come in order of their numbers, so these are breadth first. */
	for (uint32_t i = 0; i < w.machine->n_states; i++) {
		for (uint32_t letter = 0; letter < w.machine->n_letters; letter++) {
			KT_TRY_END(add_transition(&w, i, letter));
		}
	}
	*out = w.machine;
end:
	for (size_t i = 0; i < w.machine->n_states; i++) {
		free(w.sets[i].items);
	}
	free(w.sets);
	free(w.first);
	free(w.order);
	free(w.letter_of);
	kt_hash_free(&w.states_of);
	free(w.stack);
	free(w.found);
	free(w.seen);
	if (code) {
		kt_machine_free(w.machine);
	}
	return code;
}
