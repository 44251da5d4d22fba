/* SPDX-License-Identifier: MIT */
#include "annotate/distil/distil.h"

#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/try.h"

/* Intermediate result for a step. */
struct sorted {
	enum kt_distilled_kind kind;
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

static int sort_steps(struct sorted *sorted, const struct kt_distil_input *input)
{
	for (size_t i = 0; i < input->n_steps; i++) {
		const struct kt_distil_step *step = &input->steps[i];
		const struct kt_distil_facts facts = {
			.role = step->role,
			.phase = step->phase,
			.label = step->label == KT_NO_TEXT
					 ? NULL
					 : input->texts->items[step->label],
			.doorbell = step->doorbell,
		};

		sorted[i] = (struct sorted){.next = NONE};
		sorted[i].kind = kt_distil_kind(&facts, &sorted[i].reason, &sorted[i].ties);
	}
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
	 * is WAIT, OWN, SUBMIT or RELEASE. But if the previous step is a doorbell in
	 * another state than OWN, the poll gets the state WAIT.
	 */
	for (size_t i = 0; i < input->n_steps; i++) {
		enum kt_distilled_kind kind = sorted[i].kind;
		size_t next = sorted[i].next;

		if (next == NONE || !sorted[next].ties.polls || sorted[next].settled) {
			continue;
		}
		if (input->steps[i].doorbell && kind != KT_DISTILLED_OWN) {
			sorted[next].kind = KT_DISTILLED_WAIT;
			sorted[next].reason = "polled after the submission";
		} else if (kind == KT_DISTILLED_WAIT || kind == KT_DISTILLED_OWN ||
			   kind == KT_DISTILLED_SUBMIT || kind == KT_DISTILLED_RELEASE) {
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
 * Counts the transitions of each word: from begin through the states of the letters and, if
 * the end of the word is known, to end. Words without letters count, too.
 */
static int count_words(struct kt_distilled *d, const struct kt_distil_input *input,
		       const struct sorted *sorted)
{
	size_t at = 0;

	for (size_t w = 0; w < input->n_words; w++) {
		enum kt_distilled_kind last = KT_DISTILLED_BEGIN;

		d->states[KT_DISTILLED_BEGIN].visits++;
		for (; at < input->n_steps && input->steps[at].word == w; at++) {
			const struct kt_distil_step *step = &input->steps[at];
			struct kt_distilled_state *state = &d->states[sorted[at].kind];

			d->counts[last][sorted[at].kind]++;
			last = sorted[at].kind;
			state->visits++;
			state->by_phase[step->phase]++;
			KT_TRY(add_to_list(&state->letters,
					   input->fsm->transitions[step->transition].letter,
					   1, 0));
		}
		if (input->words[w].end) {
			d->counts[last][KT_DISTILLED_END]++;
			d->states[KT_DISTILLED_END].visits++;
			d->ended++;
		}
	}
	return KT_OK;
}

/*
 * Checks that no visit was lost or counted twice. The transitions
 * into a state must add up to the visits of the state (except for begin), and so must the
 * visits of its merges (except for begin and end).
 */
static int check(const struct kt_distilled *d)
{
	uint64_t arrows = 0;
	bool fits = true;

	for (int i = 0; i < KT_DISTILLED_KINDS; i++) {
		uint64_t in = 0;
		uint64_t merged = 0;

		for (int j = 0; j < KT_DISTILLED_KINDS; j++) {
			in += d->counts[j][i];
			arrows += d->counts[i][j];
		}
		for (size_t j = 0; j < d->states[i].n_merges; j++) {
			merged += d->states[i].merges[j].visits;
		}
		if (i != KT_DISTILLED_BEGIN) {
			fits = fits && in == d->states[i].visits;
		}
		if (i != KT_DISTILLED_BEGIN && i != KT_DISTILLED_END) {
			fits = fits && merged == d->states[i].visits;
		}
	}
	if (!fits || arrows != d->letters + d->ended ||
	    d->states[KT_DISTILLED_BEGIN].visits != d->words ||
	    d->states[KT_DISTILLED_END].visits != d->ended) {
		return kt_error(KT_E_INTERNAL, "distil machine: counts do not add up");
	}
	return KT_OK;
}

int kt_distil(struct kt_distilled **out, const struct kt_distil_input *input)
{
	size_t n = input->n_steps;
	struct kt_distilled *d = calloc(1, sizeof(*d));
	struct sorted *sorted = calloc(n + 1, sizeof(*sorted));
	struct entry *entries = calloc(n + 1, sizeof(*entries));
	size_t capacities[KT_DISTILLED_KINDS] = {0}; /* of `merges` of each state */
	int code = KT_OK;

	*out = NULL;
	if (!d || !sorted || !entries) {
		code = kt_no_memory("distil machine");
		goto end;
	}
	d->letters = n;
	d->words = input->n_words;
	for (int i = 0; i < KT_DISTILLED_KINDS; i++) {
		d->states[i].kind = (enum kt_distilled_kind)i;
	}
	KT_TRY_END(sort_steps(sorted, input));
	for (size_t i = 0; i < n; i++) {
		entries[i] = (struct entry){&input->steps[i], input->fsm, sorted[i]};
	}
	KT_TRY_END(count_words(d, input, sorted));
	qsort(entries, n, sizeof(*entries), compare_merges);
	for (size_t from = 0, to; from < n; from = to) {
		const struct entry *entry = &entries[from];
		struct kt_distilled_state *state = &d->states[entry->sorted.kind];

		for (to = from + 1; to < n && compare_merges(entry, &entries[to]) == 0;) {
			to++;
		}
		KT_TRY_END(kt_array_reserve(&state->merges, &capacities[entry->sorted.kind],
					    state->n_merges + 1));
		state->merges[state->n_merges++] = (struct kt_distilled_merge){
			.state = state_of(entry),
			.label = entry->step->label,
			.reason = entry->sorted.reason,
			.visits = to - from,
		};
		KT_TRY_END(add_to_list(&state->labels, entry->step->label, to - from, 0));
	}
	qsort(entries, n, sizeof(*entries), compare_calls);
	for (size_t i = 0; i < n; i++) {
		bool first = i == 0 || compare_calls(&entries[i - 1], &entries[i]) != 0;
		uint32_t call = entries[i].step->call;

		KT_TRY_END(add_to_list(&d->states[entries[i].sorted.kind].calls, call, 1,
				       first && call != KT_NO_TEXT));
	}
	for (int i = 0; i < KT_DISTILLED_KINDS; i++) {
		sort_list(&d->states[i].labels);
		sort_list(&d->states[i].letters);
		sort_list(&d->states[i].calls);
	}
	code = check(d);
end:
	free(sorted);
	free(entries);
	if (code) {
		kt_distilled_free(d);
		return code;
	}
	*out = d;
	return KT_OK;
}

void kt_distilled_free(struct kt_distilled *distilled)
{
	if (!distilled) {
		return;
	}
	for (int i = 0; i < KT_DISTILLED_KINDS; i++) {
		free(distilled->states[i].labels.items);
		free(distilled->states[i].letters.items);
		free(distilled->states[i].calls.items);
		free(distilled->states[i].merges);
	}
	free(distilled);
}
