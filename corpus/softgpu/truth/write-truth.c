/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "corpus/softgpu/truth/truth.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/try.h"
#include "corpus/softgpu/truth/automaton.h"
#include "infer/words/alphabet/alphabet.h"

static int duplicate(char **out, const char *text)
{
	*out = strdup(text);
	return *out ? KT_OK : kt_no_memory("make truth");
}

static int compare_texts(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static int write_machine(struct kt_fsm *fsm, const struct kt_machine *machine,
			 const struct kt_automaton *automaton)
{
	fsm->letters = calloc(machine->n_letters + 1, sizeof(*fsm->letters));
	fsm->states = calloc(machine->n_states + 1, sizeof(*fsm->states));
	fsm->transitions = calloc(machine->n_transitions + 1, sizeof(*fsm->transitions));
	if (!fsm->letters || !fsm->states || !fsm->transitions) {
		return kt_no_memory("make truth");
	}
	for (size_t i = 0; i < machine->n_letters; i++) {
		KT_TRY(duplicate(&fsm->letters[i], machine->letters[i]));
		fsm->n_letters++;
	}
	for (size_t i = 0; i < machine->n_states; i++) {
		const struct kt_machine_state *from = &machine->states[i];
		struct kt_fsm_state *state = &fsm->states[i];

		fsm->n_states++;
		state->points = calloc(from->n_points + 1, sizeof(*state->points));
		if (!state->points) {
			return kt_no_memory("make truth");
		}
		for (size_t j = 0; j < from->n_points; j++) {
			const struct kt_point *point = &automaton->points[from->points[j]];

			if (asprintf(&state->points[j], "%s:%zu: %s", point->procedure,
				     point->statement->line, point->statement->text) < 0) {
				return kt_no_memory("make truth");
			}
			state->n_points++;
		}
		qsort(state->points, state->n_points, sizeof(*state->points),
		      compare_texts);
	}
	for (size_t i = 0; i < machine->n_transitions; i++) {
		const struct kt_machine_transition *t = &machine->transitions[i];

		fsm->transitions[i] = (struct kt_fsm_transition){
			.from = t->from, .letter = t->letter, .to = t->to};
	}
	fsm->n_transitions = machine->n_transitions;
	return KT_OK;
}

int kt_truth_make(struct kt_fsm **out, const struct kt_points *points)
{
	struct kt_automaton *accesses = NULL;
	struct kt_automaton *letters = NULL;
	struct kt_machine *machine = NULL;
	kt_alphabet *alphabet = NULL;
	struct kt_fsm *fsm = NULL;
	int code;

	*out = NULL;
	KT_TRY_END(kt_expand(&accesses, points));
	KT_TRY_END(kt_form_runs(&letters, accesses, points));
	KT_TRY_END(kt_determinise(&machine, letters));
	KT_TRY_END(kt_merge_alike(machine));
	KT_TRY_END(kt_fsm_new(&fsm));
	KT_TRY_END(kt_alphabet_open(&alphabet, "table1"));
	KT_TRY_END(kt_alphabet_json(&fsm->alphabet_json, alphabet));
	fsm->no_k = true;
	KT_TRY_END(duplicate(&fsm->machine, "truth"));
	KT_TRY_END(duplicate(&fsm->word, "process"));
	KT_TRY_END(write_machine(fsm, machine, letters));
	*out = fsm;
end:
	kt_alphabet_free(alphabet);
	kt_automaton_free(accesses);
	kt_automaton_free(letters);
	kt_machine_free(machine);
	if (code) {
		kt_fsm_free(fsm);
	}
	return code;
}
