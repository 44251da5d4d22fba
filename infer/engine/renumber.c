/* SPDX-License-Identifier: MIT */
#include "infer/engine/renumber.h"

#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/try.h"

#define NO_NUMBER UINT32_MAX

struct renumbering {
	uint32_t *number; /* Owned by this: new number by old number */
	uint32_t *queue;  /* Owned by this: old number by new number */
	size_t n;         /* states numbered so far */
	size_t *leaving;  /* Owned by this: by old number, the index of the state's first
			   * transition */
};

static void number_state(struct renumbering *r, uint32_t state)
{
	if (r->number[state] == NO_NUMBER) {
		r->number[state] = (uint32_t)r->n;
		r->queue[r->n++] = state;
	}
}

static void walk_from(struct renumbering *r, const struct kt_fsm *fsm, uint32_t state)
{
	size_t known = r->n;

	number_state(r, state);
	for (size_t i = known; i < r->n; i++) {
		uint32_t from = r->queue[i];

		for (size_t t = r->leaving[from]; t < r->leaving[from + (size_t)1]; t++) {
			number_state(r, fsm->transitions[t].to);
		}
	}
}

/* Puts the states and transitions in the order of the new numbers. */
static int rearrange(struct kt_fsm *fsm, const struct renumbering *r)
{
	struct kt_fsm_state *states = malloc((fsm->n_states + 1) * sizeof(*states));
	struct kt_fsm_transition *transitions =
		malloc((fsm->n_transitions + 1) * sizeof(*transitions));
	size_t n = 0;

	if (!states || !transitions) {
		free(states);
		free(transitions);
		return kt_no_memory("number states");
	}
	for (size_t i = 0; i < fsm->n_states; i++) {
		uint32_t old = r->queue[i];

		states[i] = fsm->states[old];
		for (size_t t = r->leaving[old]; t < r->leaving[old + (size_t)1]; t++) {
			transitions[n] = fsm->transitions[t];
			transitions[n].from = (uint32_t)i;
			transitions[n].to = r->number[fsm->transitions[t].to];
			n++;
		}
	}
	free(fsm->states);
	free(fsm->transitions);
	fsm->states = states;
	fsm->transitions = transitions;
	return KT_OK;
}

int kt_renumber(struct kt_fsm *fsm, uint32_t *numbers, size_t *reached)
{
	size_t n = fsm->n_states;
	struct renumbering r = {
		.number = malloc((n + 1) * sizeof(*r.number)),
		.queue = malloc((n + 1) * sizeof(*r.queue)),
		.leaving = calloc(n + 1, sizeof(*r.leaving)),
	};
	int code;

	*reached = 0;
	if (!r.number || !r.queue || !r.leaving) {
		code = kt_no_memory("number states");
		goto end;
	}
	memset(r.number, 0xff, (n + 1) * sizeof(*r.number));
	for (size_t i = 0; i < fsm->n_transitions; i++) {
		r.leaving[fsm->transitions[i].from + (size_t)1]++;
	}
	for (size_t i = 0; i < n; i++) {
		r.leaving[i + 1] += r.leaving[i];
	}
	walk_from(&r, fsm, fsm->start);
	for (size_t i = 0; i < fsm->n_words; i++) {
		walk_from(&r, fsm, fsm->words[i].entry);
	}
	*reached = r.n;
	for (size_t i = 0; i < n; i++) {
		number_state(&r, (uint32_t)i);
	}
	KT_TRY_END(rearrange(fsm, &r));
	for (size_t i = 0; i < fsm->n_words; i++) {
		fsm->words[i].entry = r.number[fsm->words[i].entry];
		fsm->words[i].exit = r.number[fsm->words[i].exit];
	}
	fsm->start = r.number[fsm->start];
	if (numbers) {
		memcpy(numbers, r.number, n * sizeof(*numbers));
	}
end:
	free(r.number);
	free(r.queue);
	free(r.leaving);
	return code;
}
