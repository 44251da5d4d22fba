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
	uint32_t *slots; /* Owned by this; hash of sets -> state + 1 */
	size_t n_slots;  /* a power of two */
	/* room for one set */
	uint32_t *stack; /* Owned by this */
	bool *seen;      /* Owned by this; by the automaton's state */
	uint32_t *found; /* Owned by this; what is seen, in order of discovery */
	size_t n_found;
};

static int no_memory(void)
{
	return kt_error(KT_E_MEMORY, "determinise: out of memory");
}

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
		return no_memory();
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

static bool has_letter(const struct work *w, uint32_t state)
{
	for (size_t i = w->first[state]; i < w->first[state + (size_t)1]; i++) {
		if (w->in->edges[w->order[i]].kind == KT_EDGE_LETTER) {
			return true;
		}
	}
	return false;
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
		return no_memory();
	}
	for (size_t i = 0; i < w->n_found; i++) {
		w->seen[w->found[i]] = false;
		if (has_letter(w, w->found[i])) {
			out->items[out->n++] = w->found[i];
		}
	}
	w->n_found = 0;
	qsort(out->items, out->n, sizeof(*out->items), compare_numbers);
	return KT_OK;
}

static size_t hash_set(const struct set *set)
{
	uint64_t hash = set->n;

	for (size_t i = 0; i < set->n; i++) {
		hash = (hash ^ set->items[i]) * UINT64_C(0x9e3779b97f4a7c15);
		hash ^= hash >> 29;
	}
	return (size_t)hash;
}

static uint32_t *find_slot(const struct work *w, const struct set *set)
{
	size_t mask = w->n_slots - 1;

	for (size_t i = hash_set(set) & mask;; i = (i + 1) & mask) {
		const struct set *other = w->slots[i] ? &w->sets[w->slots[i] - 1] : NULL;

		if (!other ||
		    (other->n == set->n &&
		     memcmp(other->items, set->items, set->n * sizeof(*set->items)) == 0)) {
			return &w->slots[i];
		}
	}
}

/* The points at which a letter comes next. */
static int list_points(const struct work *w, const struct set *set,
		       struct kt_machine_state *out)
{
	bool *here = calloc(w->in->n_points + 1, sizeof(*here));

	out->n_points = 0;
	out->points = calloc(w->in->n_points + 1, sizeof(*out->points));
	if (!here || !out->points) {
		free(here);
		return no_memory();
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
			out->points[out->n_points++] = i;
		}
	}
	free(here);
	return KT_OK;
}

/* The machine's state of a set, which is taken over, be it new or not. */
static int find_state(struct work *w, struct set *set, uint32_t *out)
{
	struct kt_machine *m = w->machine;
	uint32_t *slot = find_slot(w, set);
	int code = KT_OK;

	if (!*slot && m->n_states == KT_AUTOMATON_MAX_STATES) {
		code = kt_error(KT_E_MALFORMED, "determinise: more than %d states",
				KT_AUTOMATON_MAX_STATES);
	} else if (!*slot) {
		code = kt_array_reserve(&w->sets, &w->sets_capacity, m->n_states + 1);
		code = code ? code
			    : kt_array_reserve(&m->states, &m->states_capacity,
					       m->n_states + 1);
	}
	if (code || *slot) {
		*out = *slot - 1;
		free(set->items);
		return code;
	}
	w->sets[m->n_states] = *set;
	*out = (uint32_t)m->n_states++;
	*slot = *out + 1;
	return list_points(w, set, &m->states[*out]);
}

/* --- transitions --- */

static int add_transition(struct work *w, uint32_t from, uint32_t letter)
{
	struct kt_machine *m = w->machine;
	const struct set *set = &w->sets[from];
	struct set next = {0};
	uint32_t to = 0;
	int code;

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
	code = take_set(w, &next);
	code = code ? code : find_state(w, &next, &to);
	code = code ? code
		    : kt_array_reserve(&m->transitions, &m->transitions_capacity,
				       m->n_transitions + 1);
	if (!code) {
		m->transitions[m->n_transitions++] =
			(struct kt_machine_transition){from, letter, to};
	}
	return code;
}

/* States come in order of their numbers, so these are breadth first. */
static int add_all(struct work *w)
{
	struct set start = {0};
	uint32_t state;
	int code;

	add_closure(w, 0);
	code = take_set(w, &start);
	code = code ? code : find_state(w, &start, &state);
	for (uint32_t i = 0; !code && i < w->machine->n_states; i++) {
		for (uint32_t letter = 0; !code && letter < w->machine->n_letters;
		     letter++) {
			code = add_transition(w, i, letter);
		}
	}
	return code;
}

static int make_room(struct work *w)
{
	size_t n = w->in->n_states;
	size_t *filled = calloc(n + 1, sizeof(*filled));

	w->first = calloc(n + 1, sizeof(*w->first));
	w->order = calloc(w->in->n_edges + 1, sizeof(*w->order));
	w->stack = calloc(n + 1, sizeof(*w->stack));
	w->found = calloc(n + 1, sizeof(*w->found));
	w->seen = calloc(n + 1, sizeof(*w->seen));
	w->n_slots = (size_t)1 << 17; /* at most half full */
	w->slots = calloc(w->n_slots, sizeof(*w->slots));
	if (!filled || !w->first || !w->order || !w->stack || !w->found || !w->seen ||
	    !w->slots) {
		free(filled);
		return no_memory();
	}
	for (size_t i = 0; i < w->in->n_edges; i++) {
		w->first[w->in->edges[i].from + (size_t)1]++;
	}
	for (size_t i = 0; i < n; i++) {
		w->first[i + 1] += w->first[i];
	}
	for (uint32_t i = 0; i < w->in->n_edges; i++) {
		uint32_t from = w->in->edges[i].from;

		w->order[w->first[from] + filled[from]++] = i;
	}
	free(filled);
	return KT_OK;
}

static void free_work(struct work *w)
{
	for (size_t i = 0; w->machine && i < w->machine->n_states; i++) {
		free(w->sets[i].items);
	}
	free(w->sets);
	free(w->first);
	free(w->order);
	free(w->letter_of);
	free(w->slots);
	free(w->stack);
	free(w->found);
	free(w->seen);
}

int kt_determinise(struct kt_machine **out, const struct kt_automaton *in)
{
	struct work w = {.in = in, .machine = calloc(1, sizeof(*w.machine))};
	int code = w.machine ? make_room(&w) : no_memory();

	*out = NULL;
	code = code ? code : number_letters(&w);
	code = code ? code : add_all(&w);
	free_work(&w);
	if (code) {
		kt_machine_free(w.machine);
		return code;
	}
	*out = w.machine;
	return KT_OK;
}
