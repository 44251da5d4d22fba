/* SPDX-License-Identifier: MIT */
#include "infer/ktail/diff/diff-meanings.h"

#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

static int compare_texts(const void *a, const void *b)
{
	return strcmp(((const struct kt_diff_meaning *)a)->text,
		      ((const struct kt_diff_meaning *)b)->text);
}

/* Sorts the list by text, and merges items with equal texts. */
static void merge_equal(struct kt_diff_meaning_list *list)
{
	size_t n = 0;

	if (list->n > 0) {
		qsort(list->items, list->n, sizeof(*list->items), compare_texts);
	}
	for (size_t i = 0; i < list->n; i++) {
		if (n > 0 && compare_texts(&list->items[n - 1], &list->items[i]) == 0) {
			list->items[n - 1].states += list->items[i].states;
			list->items[n - 1].transitions += list->items[i].transitions;
		} else {
			list->items[n++] = list->items[i];
		}
	}
	list->n = n;
}

static void add(struct kt_diff_meaning_list *list, const char *text, bool state)
{
	if (text) {
		list->items[list->n++] = (struct kt_diff_meaning){
			.text = text, .states = state, .transitions = !state};
	}
}

/* Removes the texts that are in both lists. */
static void subtract(struct kt_diff_meaning_list *a, struct kt_diff_meaning_list *b)
{
	size_t n = 0;
	size_t m = 0;
	size_t i = 0;
	size_t j = 0;

	while (i < a->n || j < b->n) {
		int order = i == a->n   ? 1
			    : j == b->n ? -1
					: compare_texts(&a->items[i], &b->items[j]);

		if (order < 0) {
			a->items[n++] = a->items[i];
		} else if (order > 0) {
			b->items[m++] = b->items[j];
		}
		i += order <= 0;
		j += order >= 0;
	}
	a->n = n;
	b->n = m;
}

int kt_diff_meanings(struct kt_diff_meanings *out, const struct kt_fsm *const fsm[2])
{
	*out = (struct kt_diff_meanings){0};
	for (int s = 0; s < 2; s++) {
		struct kt_diff_meaning_list *labels = &out->labels[s];
		struct kt_diff_meaning_list *phases = &out->phases[s];
		size_t n_states = fsm[s]->n_states;
		size_t n_transitions = fsm[s]->n_transitions;

		labels->items =
			calloc(n_states + n_transitions + 1, sizeof(*labels->items));
		phases->items = calloc(n_states + 1, sizeof(*phases->items));
		if (!labels->items || !phases->items) {
			return kt_no_memory("compare labels");
		}
		for (size_t i = 0; i < n_states; i++) {
			add(labels, fsm[s]->states[i].label, true);
			add(phases, fsm[s]->states[i].phase, true);
		}
		for (size_t i = 0; i < n_transitions; i++) {
			add(labels, fsm[s]->transitions[i].label, false);
		}
		merge_equal(labels);
		merge_equal(phases);
		out->known[s] = labels->n > 0;
	}
	if (out->known[0] && out->known[1]) {
		subtract(&out->labels[0], &out->labels[1]);
		subtract(&out->phases[0], &out->phases[1]);
		return KT_OK;
	}
	for (int s = 0; s < 2; s++) {
		out->labels[s].n = 0;
		out->phases[s].n = 0;
	}
	return KT_OK;
}

void kt_diff_meanings_free(struct kt_diff_meanings *meanings)
{
	for (int s = 0; s < 2; s++) {
		free(meanings->labels[s].items);
		free(meanings->phases[s].items);
	}
	*meanings = (struct kt_diff_meanings){0};
}
