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

int kt_arrivals_init(struct kt_arrivals *out, const struct kt_fsm *fsm)
{
	const struct kt_fsm_transition *t = fsm->transitions;
	size_t n = fsm->n_transitions;
	uint32_t *by_letter = calloc(n + 1, sizeof(*by_letter));
	size_t *letters = calloc(fsm->n_letters + 1, sizeof(*letters));
	size_t *next = calloc(fsm->n_states + 1, sizeof(*next));
	int code = KT_OK;

	out->first = calloc(fsm->n_states + 1, sizeof(*out->first));
	out->transition = calloc(n + 1, sizeof(*out->transition));
	if (!by_letter || !letters || !next || !out->first || !out->transition) {
		code = kt_no_memory("match states");
		goto end;
	}
	if (n > UINT32_MAX) {
		code = kt_error(KT_E_USAGE, "match states: too many transitions");
		goto end;
	}
	/* By letter: within a letter they stay in order of where they come from. */
	for (size_t i = 0; i < n; i++) {
		letters[t[i].letter + (size_t)1]++;
	}
	add_up(letters, fsm->n_letters);
	for (size_t i = 0; i < n; i++) {
		by_letter[letters[t[i].letter]++] = (uint32_t)i;
	}
	/* Then by target, keeping that order. */
	for (size_t i = 0; i < n; i++) {
		out->first[t[i].to + (size_t)1]++;
	}
	add_up(out->first, fsm->n_states);
	for (size_t s = 0; s < fsm->n_states; s++) {
		next[s] = out->first[s];
	}
	for (size_t i = 0; i < n; i++) {
		out->transition[next[t[by_letter[i]].to]++] = by_letter[i];
	}
end:
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
