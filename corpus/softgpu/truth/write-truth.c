/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "corpus/softgpu/truth/truth.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "corpus/softgpu/truth/automaton.h"
#include "infer/words/alphabet/alphabet.h"

static int no_memory(void)
{
	return kt_error(KT_E_MEMORY, "make truth: out of memory");
}

static int duplicate(char **out, const char *text)
{
	*out = strdup(text);
	return *out ? KT_OK : no_memory();
}

static int describe(struct kt_fsm *fsm)
{
	kt_alphabet *alphabet = NULL;
	int code = kt_alphabet_open(&alphabet, "table1");

	code = code ? code : kt_alphabet_json(&fsm->alphabet_json, alphabet);
	kt_alphabet_free(alphabet);
	fsm->no_k = true;
	code = code ? code : duplicate(&fsm->machine, "truth");
	return code ? code : duplicate(&fsm->word, "process");
}

static int compare_texts(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static int write_points(struct kt_fsm_state *state, const struct kt_machine_state *from,
			const struct kt_automaton *automaton)
{
	state->points = calloc(from->n_points + 1, sizeof(*state->points));
	if (!state->points) {
		return no_memory();
	}
	for (size_t i = 0; i < from->n_points; i++) {
		const struct kt_point *point = &automaton->points[from->points[i]];

		if (asprintf(&state->points[i], "%s:%zu: %s", point->procedure,
			     point->statement->line, point->statement->text) < 0) {
			return no_memory();
		}
		state->n_points++;
	}
	qsort(state->points, state->n_points, sizeof(*state->points), compare_texts);
	return KT_OK;
}

static int write_machine(struct kt_fsm *fsm, const struct kt_machine *machine,
			 const struct kt_automaton *automaton)
{
	int code = KT_OK;

	fsm->letters = calloc(machine->n_letters + 1, sizeof(*fsm->letters));
	fsm->states = calloc(machine->n_states + 1, sizeof(*fsm->states));
	fsm->transitions = calloc(machine->n_transitions + 1, sizeof(*fsm->transitions));
	if (!fsm->letters || !fsm->states || !fsm->transitions) {
		return no_memory();
	}
	for (size_t i = 0; i < machine->n_letters && !code; i++) {
		code = duplicate(&fsm->letters[i], machine->letters[i]);
		fsm->n_letters += !code;
	}
	for (size_t i = 0; i < machine->n_states && !code; i++) {
		fsm->n_states++;
		code = write_points(&fsm->states[i], &machine->states[i], automaton);
	}
	for (size_t i = 0; i < machine->n_transitions; i++) {
		const struct kt_machine_transition *t = &machine->transitions[i];

		fsm->transitions[i] = (struct kt_fsm_transition){
			.from = t->from, .letter = t->letter, .to = t->to};
	}
	fsm->n_transitions = machine->n_transitions;
	return code;
}

int kt_truth_make(struct kt_fsm **out, const struct kt_points *points)
{
	struct kt_automaton *accesses = NULL;
	struct kt_automaton *letters = NULL;
	struct kt_machine *machine = NULL;
	struct kt_fsm *fsm = NULL;
	int code = kt_expand(&accesses, points);

	*out = NULL;
	code = code ? code : kt_form_runs(&letters, accesses, points);
	code = code ? code : kt_determinise(&machine, letters);
	code = code ? code : kt_merge_alike(machine);
	code = code ? code : kt_fsm_new(&fsm);
	code = code ? code : describe(fsm);
	code = code ? code : write_machine(fsm, machine, letters);
	kt_automaton_free(accesses);
	kt_automaton_free(letters);
	kt_machine_free(machine);
	if (code) {
		kt_fsm_free(fsm);
		return code;
	}
	*out = fsm;
	return KT_OK;
}
