/* SPDX-License-Identifier: MIT */
#include "annotate/distil/distil.h"

#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/try.h"

/* Intermediate result for a step. */
struct sorted {
	size_t kind; /* index of a state of the column */
	const char *reason;
	struct kt_distil_ties ties;
	size_t next;  /* index of the thread's next step in the word, or NONE */
	bool settled; /* the step took the state of the submission it prepares */
	bool last;    /* the step writes the doorbell, or is settled */
};

#define NONE SIZE_MAX

/*
 * A thread in the current word, with the index of its step that was visited most recently.
 * Steps are visited backwards, so this is the thread's next step.
 */
struct thread {
	uint32_t tid;
	size_t step;
};

/* --- state of each step --- */

/* Sets `next` of each step to the next step of the same thread in the same word. */
static int link_threads(struct sorted *sorted, const struct kt_distil_input *input)
{
	struct thread *threads = NULL;
	size_t capacity = 0;
	size_t n = 0;
	int code = KT_OK;

	for (size_t i = input->n_steps; i-- > 0 && !code;) {
		const struct kt_distil_step *step = &input->steps[i];
		size_t t = 0;

		n = i + 1 < input->n_steps && step[1].word == step->word ? n : 0;
		while (t < n && threads[t].tid != step->tid) {
			t++;
		}
		sorted[i].next = t < n ? threads[t].step : NONE;
		code = kt_array_reserve(&threads, &capacity, n + 1);
		if (!code) {
			threads[t] = (struct thread){step->tid, i};
			n += t == n;
		}
	}
	free(threads);
	return code;
}

static struct kt_distil_facts facts_of(const struct kt_distil_input *input,
				       const struct kt_distil_step *step)
{
	return (struct kt_distil_facts){
		.role = step->role,
		.phase = step->phase,
		.letter =
			input->fsm
				->letters[input->fsm->transitions[step->transition].letter],
		.label =
			step->label == KT_NO_TEXT ? NULL : input->texts->items[step->label],
		.doorbell = step->doorbell,
	};
}

/* Gives each step its state without regard to other steps. */
static void sort_alone(struct sorted *sorted, const struct kt_distil_input *input,
		       const kt_label_rules *column)
{
	for (size_t i = 0; i < input->n_steps; i++) {
		const struct kt_distil_facts facts = facts_of(input, &input->steps[i]);
		const struct kt_label_rule *rule = kt_distil_rule(column, &facts);

		sorted[i] = (struct sorted){.kind = rule->state,
					    .reason = rule->source,
					    .ties = kt_distil_ties_of(&facts),
					    .next = NONE};
	}
}

/* Returns the index of a state with this name, or NONE. */
static size_t find(const kt_label_rules *column, const char *name)
{
	size_t n;
	const struct kt_column_state *states = kt_column_states(column, &n);
	size_t i = 0;

	while (i < n && strcmp(states[i].name, name) != 0) {
		i++;
	}
	return i < n ? i : NONE;
}

/* In the user's column, some steps take the states of steps around them. */
static int sort_together(struct sorted *sorted, const struct kt_distil_input *input,
			 const kt_label_rules *column)
{
	const size_t wait = find(column, "wait");
	const size_t own = find(column, "own work");
	const size_t submit = find(column, "submit");
	const size_t release = find(column, "release");

	KT_TRY(link_threads(sorted, input));
	/* Go backwards, so that steps that prepare a submission take its state. */
	for (size_t i = input->n_steps; i-- > 0;) {
		const struct kt_distil_step *step = &input->steps[i];
		size_t next = sorted[i].next;

		sorted[i].last = step->doorbell;
		if (sorted[i].ties.prepares && next != NONE && sorted[next].last &&
		    input->steps[next].call_id == step->call_id) {
			sorted[i].kind = sorted[next].kind;
			sorted[i].reason = "prepares the next submission";
			sorted[i].settled = true;
			sorted[i].last = true;
		}
	}
	/*
	 * Go forwards: a poll takes the state of the thread's previous step if that state
	 * is "wait", "own work", "submit" or "release". If the previous step is a doorbell,
	 * the poll takes the state "wait", unless the doorbell has the state "own work".
	 */
	for (size_t i = 0; i < input->n_steps; i++) {
		size_t kind = sorted[i].kind;
		size_t next = sorted[i].next;

		if (next == NONE || !sorted[next].ties.polls || sorted[next].settled) {
			continue;
		}
		if (input->steps[i].doorbell && kind != own && wait != NONE) {
			sorted[next].kind = wait;
			sorted[next].reason = "polled after the submission";
		} else if (kind == wait || kind == own || kind == submit ||
			   kind == release) {
			sorted[next].kind = kind;
			sorted[next].reason = "polled in between";
		}
	}
	return KT_OK;
}

/* --- lists --- */

static int add_to_list(struct kt_distilled_list *list, uint32_t text, uint64_t count,
		       uint64_t calls)
{
	for (size_t i = 0; i < list->n; i++) {
		if (list->items[i].text == text) {
			list->items[i].count += count;
			list->items[i].calls += calls;
			return KT_OK;
		}
	}
	KT_TRY(kt_array_reserve(&list->items, &list->capacity, list->n + 1));
	list->items[list->n++] = (struct kt_distilled_count){text, count, calls};
	return KT_OK;
}

static int compare_counts(const void *a, const void *b)
{
	const struct kt_distilled_count *x = a;
	const struct kt_distilled_count *y = b;

	if (x->count != y->count) {
		return x->count < y->count ? 1 : -1;
	}
	return (x->text > y->text) - (x->text < y->text);
}

static void sort_list(struct kt_distilled_list *list)
{
	if (list->n > 0) {
		qsort(list->items, list->n, sizeof(*list->items), compare_counts);
	}
}

/* --- merges: steps by kind, state, label, reason --- */

struct entry {
	const struct kt_distil_step *step;
	const struct kt_fsm *fsm;
	struct sorted sorted;
};

static uint32_t state_of(const struct entry *e)
{
	return e->fsm->transitions[e->step->transition].to;
}

static int compare_merges(const void *a, const void *b)
{
	const struct entry *x = a;
	const struct entry *y = b;

	if (x->sorted.kind != y->sorted.kind) {
		return x->sorted.kind < y->sorted.kind ? -1 : 1;
	}
	if (state_of(x) != state_of(y)) {
		return state_of(x) < state_of(y) ? -1 : 1;
	}
	if (x->step->label != y->step->label) {
		return x->step->label < y->step->label ? -1 : 1;
	}
	return strcmp(x->sorted.reason, y->sorted.reason);
}

static int compare_calls(const void *a, const void *b)
{
	const struct entry *x = a;
	const struct entry *y = b;

	if (x->sorted.kind != y->sorted.kind) {
		return x->sorted.kind < y->sorted.kind ? -1 : 1;
	}
	if (x->step->call != y->step->call) {
		return x->step->call < y->step->call ? -1 : 1;
	}
	return (x->step->call_id > y->step->call_id) -
	       (x->step->call_id < y->step->call_id);
}

/* --- counts --- */

/*
 * Counts the transitions of each word: from the first state through the states of the
 * letters and, if the end of the word is known, to the last state. Words without letters
 * count, too.
 */
static int count_words(struct kt_distilled_column *d, const struct kt_distil_input *input,
		       const struct sorted *sorted)
{
	const size_t end = d->n_states - 1;
	size_t at = 0;

	for (size_t w = 0; w < input->n_words; w++) {
		size_t last = 0;

		d->states[0].visits++;
		for (; at < input->n_steps && input->steps[at].word == w; at++) {
			const struct kt_distil_step *step = &input->steps[at];
			const uint32_t letter =
				input->fsm->transitions[step->transition].letter;
			struct kt_distilled_state *state = &d->states[sorted[at].kind];
			struct kt_distilled_edge *edge =
				kt_distilled_edge(d, last, sorted[at].kind);

			last = sorted[at].kind;
			edge->count++;
			state->visits++;
			state->by_phase[step->phase]++;
			KT_TRY(add_to_list(&edge->letters, letter, 1, 0));
			KT_TRY(add_to_list(&state->letters, letter, 1, 0));
		}
		if (input->words[w].end) {
			kt_distilled_edge(d, last, end)->count++;
			d->states[end].visits++;
		}
	}
	return KT_OK;
}

/*
 * Checks that no visit was lost or counted twice: the transitions into a state add up to
 * the visits of the state (not checked for the first state), and so do the visits of its
 * merges (not checked for the first and the last state).
 */
static int check(const struct kt_distilled *all, const struct kt_distilled_column *d)
{
	uint64_t arrows = 0;
	bool fits = true;

	for (size_t i = 0; i < d->n_states; i++) {
		uint64_t in = 0;
		uint64_t merged = 0;

		for (size_t j = 0; j < d->n_states; j++) {
			in += kt_distilled_edge(d, j, i)->count;
			arrows += kt_distilled_edge(d, i, j)->count;
		}
		for (size_t j = 0; j < d->states[i].n_merges; j++) {
			merged += d->states[i].merges[j].visits;
		}
		if (i > 0) {
			fits = fits && in == d->states[i].visits;
		}
		if (i > 0 && i + 1 < d->n_states) {
			fits = fits && merged == d->states[i].visits;
		}
	}
	if (!fits || arrows != all->letters + all->ended ||
	    d->states[0].visits != all->words ||
	    d->states[d->n_states - 1].visits != all->ended) {
		return kt_error(KT_E_INTERNAL, "distil machine: counts do not add up");
	}
	return KT_OK;
}

/* Collects the merges, labels and calls of the states. `entries` is a buffer. */
static int collect(struct kt_distilled_column *d, const struct kt_distil_input *input,
		   const struct sorted *sorted, struct entry *entries)
{
	size_t capacities[KT_COLUMN_STATES] = {0}; /* of `merges` of each state */
	size_t n = input->n_steps;

	for (size_t i = 0; i < n; i++) {
		entries[i] = (struct entry){&input->steps[i], input->fsm, sorted[i]};
	}
	qsort(entries, n, sizeof(*entries), compare_merges);
	for (size_t from = 0, to; from < n; from = to) {
		const struct entry *entry = &entries[from];
		struct kt_distilled_state *state = &d->states[entry->sorted.kind];

		for (to = from + 1; to < n && compare_merges(entry, &entries[to]) == 0;) {
			to++;
		}
		KT_TRY(kt_array_reserve(&state->merges, &capacities[entry->sorted.kind],
					state->n_merges + 1));
		state->merges[state->n_merges++] = (struct kt_distilled_merge){
			.state = state_of(entry),
			.label = entry->step->label,
			.reason = entry->sorted.reason,
			.visits = to - from,
		};
		KT_TRY(add_to_list(&state->labels, entry->step->label, to - from, 0));
	}
	qsort(entries, n, sizeof(*entries), compare_calls);
	for (size_t i = 0; i < n; i++) {
		bool first = i == 0 || compare_calls(&entries[i - 1], &entries[i]) != 0;
		uint32_t call = entries[i].step->call;

		KT_TRY(add_to_list(&d->states[entries[i].sorted.kind].calls, call, 1,
				   first && call != KT_NO_TEXT));
	}
	for (size_t i = 0; i < d->n_states; i++) {
		sort_list(&d->states[i].labels);
		sort_list(&d->states[i].letters);
		sort_list(&d->states[i].calls);
		sort_list(&d->states[i].during);
	}
	for (size_t i = 0; i < d->n_states * d->n_states; i++) {
		sort_list(&d->edges[i].letters);
	}
	return KT_OK;
}

/* Makes the states of a column, not yet visited. */
static int make_column(struct kt_distilled_column *d, const kt_label_rules *rules)
{
	size_t n;
	const struct kt_column_state *states = kt_column_states(rules, &n);

	d->states = calloc(n, sizeof(*d->states));
	d->edges = calloc(n * n, sizeof(*d->edges));
	if (!d->states || !d->edges) {
		return kt_no_memory("distil machine");
	}
	d->n_states = n;
	for (size_t i = 0; i < n; i++) {
		d->states[i].name = states[i].name;
		d->states[i].paper = kt_distilled_in_paper(&states[i]);
	}
	return KT_OK;
}

int kt_distil(struct kt_distilled **out, const struct kt_distil_input *input)
{
	size_t n = input->n_steps;
	struct kt_distilled *d = calloc(1, sizeof(*d));
	struct sorted *sorted[KT_COLUMNS] = {NULL};
	struct entry *entries = calloc(n + 1, sizeof(*entries));
	bool whole = d && entries;
	int code = KT_OK;

	*out = NULL;
	for (int i = 0; i < KT_COLUMNS; i++) {
		sorted[i] = calloc(n + 1, sizeof(*sorted[i]));
		whole = whole && sorted[i];
	}
	if (!whole) {
		code = kt_no_memory("distil machine");
		goto end;
	}
	d->letters = n;
	d->words = input->n_words;
	for (size_t w = 0; w < input->n_words; w++) {
		d->ended += input->words[w].end;
	}
	for (int i = 0; i < KT_COLUMNS; i++) {
		const kt_label_rules *rules =
			kt_label_rules_column(input->rules, (enum kt_state_column)i);

		KT_TRY_END(make_column(&d->columns[i], rules));
		sort_alone(sorted[i], input, rules);
		if (i == KT_COLUMN_USER) {
			KT_TRY_END(sort_together(sorted[i], input, rules));
		}
		KT_TRY_END(count_words(&d->columns[i], input, sorted[i]));
	}
	for (size_t i = 0; i < n; i++) {
		struct kt_distilled_state *state =
			&d->columns[KT_COLUMN_SYSTEM]
				 .states[sorted[KT_COLUMN_SYSTEM][i].kind];

		KT_TRY_END(add_to_list(&state->during,
				       (uint32_t)sorted[KT_COLUMN_USER][i].kind, 1, 0));
	}
	for (int i = 0; i < KT_COLUMNS; i++) {
		KT_TRY_END(collect(&d->columns[i], input, sorted[i], entries));
		KT_TRY_END(check(d, &d->columns[i]));
	}
end:
	for (int i = 0; i < KT_COLUMNS; i++) {
		free(sorted[i]);
	}
	free(entries);
	if (code) {
		kt_distilled_free(d);
		return code;
	}
	*out = d;
	return KT_OK;
}

static void free_column(struct kt_distilled_column *column)
{
	for (size_t i = 0; i < column->n_states; i++) {
		free(column->states[i].labels.items);
		free(column->states[i].letters.items);
		free(column->states[i].calls.items);
		free(column->states[i].during.items);
		free(column->states[i].merges);
	}
	for (size_t i = 0; i < column->n_states * column->n_states; i++) {
		free(column->edges[i].letters.items);
	}
	free(column->states);
	free(column->edges);
}

void kt_distilled_free(struct kt_distilled *distilled)
{
	if (!distilled) {
		return;
	}
	for (int i = 0; i < KT_COLUMNS; i++) {
		free_column(&distilled->columns[i]);
	}
	free(distilled);
}
