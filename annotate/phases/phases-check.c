/* SPDX-License-Identifier: MIT */
#include "annotate/phases/phases-check.h"

#include <stdlib.h>

#include <ktail/status.h>

int kt_phase_check_begin(struct kt_phase_check *out, const struct kt_fsm *fsm,
			 const struct kt_structure *structure)
{
	*out = (struct kt_phase_check){
		.states = calloc(fsm->n_states + 1, sizeof(*out->states)),
		.transitions = calloc(fsm->n_transitions + 1, sizeof(*out->transitions)),
		.n_states = fsm->n_states,
		.n_transitions = fsm->n_transitions,
	};
	if (!out->states || !out->transitions) {
		kt_phase_check_clear(out);
		return kt_no_memory("check phases");
	}
	for (size_t i = 0; i < fsm->n_states && structure; i++) {
		out->states[i].structure = structure->states[i];
	}
	for (size_t i = 0; i < fsm->n_transitions && structure; i++) {
		out->transitions[i].structure = structure->transitions[i];
	}
	return KT_OK;
}

void kt_phase_check_letter(struct kt_phase_check *check, const struct kt_fsm *fsm,
			   uint32_t transition, enum kt_api_phase calls)
{
	struct kt_phase_of *of = &check->transitions[transition];

	of->by_calls[calls]++;
	check->states[fsm->transitions[transition].to].by_calls[calls]++;
	check->letters.cells[of->structure][calls]++;
}

static void decide(struct kt_phase_of *of)
{
	of->calls = KT_API_PHASE_NONE;
	for (int i = KT_API_PHASE_CREATE; i < KT_PHASES; i++) {
		if (of->by_calls[i] > 0 && of->by_calls[i] >= of->by_calls[of->calls]) {
			of->calls = (enum kt_api_phase)i;
		}
	}
	of->taken = of->structure;
	if (of->calls != KT_API_PHASE_NONE &&
	    (of->structure == KT_API_PHASE_NONE || of->by_calls[of->structure] == 0)) {
		of->taken = of->calls;
	}
}

void kt_phase_check_settle(struct kt_phase_check *check)
{
	for (size_t i = 0; i < check->n_states; i++) {
		struct kt_phase_of *of = &check->states[i];

		decide(of);
		check->state_table.cells[of->structure][of->calls]++;
	}
	for (size_t i = 0; i < check->n_transitions; i++) {
		struct kt_phase_of *of = &check->transitions[i];

		decide(of);
		for (int j = 0; j < KT_PHASES; j++) {
			check->taken_letters.cells[of->taken][j] += of->by_calls[j];
		}
	}
}

bool kt_phase_disagrees(const struct kt_phase_of *of)
{
	return of->structure != KT_API_PHASE_NONE && of->calls != KT_API_PHASE_NONE &&
	       of->structure != of->calls;
}

const char *kt_phase_reason(const struct kt_phase_of *of)
{
	bool shared = of->by_calls[of->structure] > 0;

	if (of->structure == KT_API_PHASE_USE && shared) {
		return "the driver submits in the same way for itself, and mostly so here";
	}
	if (of->structure == KT_API_PHASE_USE) {
		return "on a way of the work that rings, but no call that uses the GPU "
		       "takes it: the driver submits for itself";
	}
	if (of->calls == KT_API_PHASE_USE) {
		return "passed in calls that use the GPU, but on a way that rings no "
		       "doorbell";
	}
	if (of->structure == KT_API_PHASE_INIT) {
		return "it lies between doorbells, and the driver rang those for itself";
	}
	if (of->calls == KT_API_PHASE_DESTROY) {
		return "things are taken down, and the work goes on behind it";
	}
	if (of->structure == KT_API_PHASE_DESTROY) {
		return "no doorbell rings any more, though calls still set things up";
	}
	return "calls and doorbells draw the line at another place";
}

void kt_phase_check_clear(struct kt_phase_check *check)
{
	free(check->states);
	free(check->transitions);
	*check = (struct kt_phase_check){0};
}
