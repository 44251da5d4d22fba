/* SPDX-License-Identifier: MIT */
#include <ktail/fsm.h>

#include <stdlib.h>

#include <ktail/status.h>

int kt_fsm_new(struct kt_fsm **out)
{
	*out = calloc(1, sizeof(**out));
	if (!*out) {
		return kt_error(KT_E_MEMORY, "make machine: out of memory");
	}
	return KT_OK;
}

void kt_fsm_free(struct kt_fsm *fsm)
{
	if (!fsm) {
		return;
	}
	for (size_t i = 0; i < fsm->n_letters; i++) {
		free(fsm->letters[i]);
	}
	for (size_t i = 0; i < fsm->n_words; i++) {
		free(fsm->words[i].name);
	}
	for (size_t i = 0; i < fsm->n_states; i++) {
		for (size_t j = 0; j < fsm->states[i].n_points; j++) {
			free(fsm->states[i].points[j]);
		}
		free(fsm->states[i].points);
		free(fsm->states[i].label);
		free(fsm->states[i].phase);
	}
	for (size_t i = 0; i < fsm->n_transitions; i++) {
		free(fsm->transitions[i].label);
	}
	free(fsm->machine);
	free(fsm->word);
	free(fsm->alphabet_json);
	free(fsm->letters);
	free(fsm->words);
	free(fsm->states);
	free(fsm->transitions);
	free(fsm->state_origins);
	free(fsm->transition_origins);
	free(fsm);
}

int kt_fsm_count_complex(const struct kt_fsm *fsm, size_t *out)
{
	/* Degrees capped at two: one byte for both, in in bits 0-1, out in bits 2-3. */
	unsigned char *degree = calloc(fsm->n_states ? fsm->n_states : 1, 1);

	if (!degree) {
		return kt_error(KT_E_MEMORY, "count complex states: out of memory");
	}
	for (size_t i = 0; i < fsm->n_transitions; i++) {
		const struct kt_fsm_transition *t = &fsm->transitions[i];

		if ((degree[t->to] & 3) < 2) {
			degree[t->to] += 1;
		}
		if ((degree[t->from] >> 2) < 2) {
			degree[t->from] += 4;
		}
	}
	*out = 0;
	for (size_t i = 0; i < fsm->n_states; i++) {
		*out += (degree[i] & 3) > 1 || (degree[i] >> 2) > 1;
	}
	free(degree);
	return KT_OK;
}
