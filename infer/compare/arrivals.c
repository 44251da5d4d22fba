/* SPDX-License-Identifier: MIT */
#include "infer/compare/arrivals.h"

#include <stdlib.h>

#include <ktail/status.h>

/* Puts the borders of n groups, whose sizes stand behind them, in place. */
static void add_up(size_t *first, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		first[i + 1] += first[i];
	}
}

/* All transitions by letter: within a letter they stay in order of where they come from. */
static void sort_by_letter(uint32_t *out, size_t *next, const struct kt_fsm *fsm)
{
	for (size_t i = 0; i < fsm->n_transitions; i++) {
		next[fsm->transitions[i].letter + (size_t)1]++;
	}
	add_up(next, fsm->n_letters);
	for (size_t i = 0; i < fsm->n_transitions; i++) {
		out[next[fsm->transitions[i].letter]++] = (uint32_t)i;
	}
}

/* Then by target, keeping that order. */
static void sort_by_target(struct kt_arrivals *arrivals, size_t *next,
			   const uint32_t *by_letter, const struct kt_fsm *fsm)
{
	for (size_t i = 0; i < fsm->n_transitions; i++) {
		arrivals->first[fsm->transitions[i].to + (size_t)1]++;
	}
	add_up(arrivals->first, fsm->n_states);
	for (size_t s = 0; s < fsm->n_states; s++) {
		next[s] = arrivals->first[s];
	}
	for (size_t i = 0; i < fsm->n_transitions; i++) {
		uint32_t to = fsm->transitions[by_letter[i]].to;

		arrivals->transition[next[to]++] = by_letter[i];
	}
}

int kt_arrivals_init(struct kt_arrivals *out, const struct kt_fsm *fsm)
{
	uint32_t *by_letter = calloc(fsm->n_transitions + 1, sizeof(*by_letter));
	size_t *letters = calloc(fsm->n_letters + 1, sizeof(*letters));
	size_t *next = calloc(fsm->n_states + 1, sizeof(*next));
	int code = KT_OK;

	out->first = calloc(fsm->n_states + 1, sizeof(*out->first));
	out->transition = calloc(fsm->n_transitions + 1, sizeof(*out->transition));
	if (!by_letter || !letters || !next || !out->first || !out->transition) {
		code = kt_error(KT_E_MEMORY, "match states: out of memory");
	} else if (fsm->n_transitions > UINT32_MAX) {
		code = kt_error(KT_E_USAGE, "match states: too many transitions");
	} else {
		sort_by_letter(by_letter, letters, fsm);
		sort_by_target(out, next, by_letter, fsm);
	}
	free(by_letter);
	free(letters);
	free(next);
	if (code) {
		kt_arrivals_clear(out);
	}
	return code;
}

void kt_arrivals_clear(struct kt_arrivals *arrivals)
{
	free(arrivals->first);
	free(arrivals->transition);
	*arrivals = (struct kt_arrivals){0};
}
