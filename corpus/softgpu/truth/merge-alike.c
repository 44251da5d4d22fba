/* SPDX-License-Identifier: MIT */
/*
 * States that stand for the same points and go on alike are one: they differ only in the
 * calls that led there and will not matter any more. Partition refinement (Moore), the
 * first partition being by points.
 */
#define _GNU_SOURCE
#include "corpus/softgpu/truth/automaton.h"

#include <stdlib.h>

#include <ktail/status.h>

struct work {
	struct kt_machine *machine; /* Weak */
	size_t *first;              /* Owned by this; a state's first transition; n + 1 */
	uint32_t *order;            /* Owned by this; states, sorted */
	uint32_t *class_of;         /* Owned by this */
	uint32_t *next_class_of;    /* Owned by this */
	uint32_t n_classes;
};

static int compare_numbers(uint32_t a, uint32_t b)
{
	return a < b ? -1 : a > b;
}

static int compare_points(const void *a, const void *b, void *context)
{
	const struct work *w = context;
	const struct kt_machine_state *x = &w->machine->states[*(const uint32_t *)a];
	const struct kt_machine_state *y = &w->machine->states[*(const uint32_t *)b];
	int result = (x->n_points > y->n_points) - (x->n_points < y->n_points);

	for (size_t i = 0; !result && i < x->n_points; i++) {
		result = compare_numbers(x->points[i], y->points[i]);
	}
	return result;
}

/* By class, then by letters and the classes that they lead to. */
static int compare_futures(const void *a, const void *b, void *context)
{
	const struct work *w = context;
	const struct kt_machine_transition *transitions = w->machine->transitions;
	uint32_t x = *(const uint32_t *)a;
	uint32_t y = *(const uint32_t *)b;
	size_t n = w->first[x + (size_t)1] - w->first[x];
	int result = compare_numbers(w->class_of[x], w->class_of[y]);

	if (!result) {
		size_t m = w->first[y + (size_t)1] - w->first[y];

		result = (n > m) - (n < m);
	}
	for (size_t i = 0; !result && i < n; i++) {
		const struct kt_machine_transition *s = &transitions[w->first[x] + i];
		const struct kt_machine_transition *t = &transitions[w->first[y] + i];

		result = compare_numbers(s->letter, t->letter);
		result = result ? result
				: compare_numbers(w->class_of[s->to], w->class_of[t->to]);
	}
	return result;
}

/* Equal states get one class. */
static void divide(struct work *w, int (*compare)(const void *, const void *, void *))
{
	size_t n = w->machine->n_states;
	uint32_t *swap = w->class_of;

	qsort_r(w->order, n, sizeof(*w->order), compare, w);
	w->n_classes = 0;
	for (size_t i = 0; i < n; i++) {
		w->n_classes += i == 0 || compare(&w->order[i - 1], &w->order[i], w) != 0;
		w->next_class_of[w->order[i]] = w->n_classes - 1;
	}
	w->class_of = w->next_class_of;
	w->next_class_of = swap;
}

/*
 * The machine with a state for each class, breadth first. number[c] is the class's new
 * number + 1, queue the first state seen of each, by number.
 */
static void renumber(struct work *w, struct kt_machine_state *states,
		     struct kt_machine_transition *out, uint32_t *number, uint32_t *queue)
{
	struct kt_machine *m = w->machine;
	size_t n = 0;
	uint32_t seen = 0;

	queue[seen++] = 0;
	number[w->class_of[0]] = seen;
	for (uint32_t i = 0; i < seen; i++) {
		uint32_t s = queue[i];

		for (size_t j = w->first[s]; j < w->first[s + (size_t)1]; j++) {
			const struct kt_machine_transition *t = &m->transitions[j];
			uint32_t *to = &number[w->class_of[t->to]];

			if (*to == 0) {
				queue[seen++] = t->to;
				*to = seen;
			}
			out[n++] = (struct kt_machine_transition){i, t->letter, *to - 1};
		}
	}
	for (uint32_t i = 0; i < seen; i++) {
		states[i] = m->states[queue[i]];
		m->states[queue[i]] = (struct kt_machine_state){0};
	}
	for (size_t i = 0; i < m->n_states; i++) {
		free(m->states[i].points);
	}
	free(m->transitions);
	free(m->states);
	m->states = states;
	m->n_states = m->states_capacity = seen;
	m->transitions = out;
	m->n_transitions = m->transitions_capacity = n;
}

int kt_merge_alike(struct kt_machine *machine)
{
	size_t n = machine->n_states;
	struct work w = {
		.machine = machine,
		.first = calloc(n + 1, sizeof(*w.first)),
		.order = calloc(n + 1, sizeof(*w.order)),
		.class_of = calloc(n + 1, sizeof(*w.class_of)),
		.next_class_of = calloc(n + 1, sizeof(*w.next_class_of)),
	};
	struct kt_machine_state *states = calloc(n + 1, sizeof(*states));
	struct kt_machine_transition *transitions =
		calloc(machine->n_transitions + 1, sizeof(*transitions));
	uint32_t *number = calloc(n + 1, sizeof(*number));
	uint32_t *queue = calloc(n + 1, sizeof(*queue));
	uint32_t before;
	int code = KT_OK;

	if (!w.first || !w.order || !w.class_of || !w.next_class_of || !states ||
	    !transitions || !number || !queue) {
		free(states);
		free(transitions);
		code = kt_no_memory("merge states");
		goto end;
	}
	for (size_t i = 0; i < machine->n_transitions; i++) {
		w.first[machine->transitions[i].from + (size_t)1]++;
	}
	for (uint32_t i = 0; i < n; i++) {
		w.first[i + (size_t)1] += w.first[i];
		w.order[i] = i;
	}
	divide(&w, compare_points);
	do {
		before = w.n_classes;
		divide(&w, compare_futures);
	} while (w.n_classes > before);
	renumber(&w, states, transitions, number, queue);
end:
	free(w.first);
	free(w.order);
	free(w.class_of);
	free(w.next_class_of);
	free(number);
	free(queue);
	return code;
}
