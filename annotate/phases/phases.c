/* SPDX-License-Identifier: MIT */
#include "annotate/phases/phases.h"

#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/try.h"

/* --- comparison --- */

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
		return "the driver also submits this way for itself, and mostly does so "
		       "here";
	}
	if (of->structure == KT_API_PHASE_USE) {
		return "on a path of the work that writes doorbells, but no call that uses "
		       "the GPU takes it: the driver submits for itself";
	}
	if (of->calls == KT_API_PHASE_USE) {
		return "visited in calls that use the GPU, but on a path that writes no "
		       "doorbell";
	}
	if (of->structure == KT_API_PHASE_INIT) {
		return "lies between doorbells that the driver wrote for itself";
	}
	if (of->calls == KT_API_PHASE_DESTROY) {
		return "resources are released, and work continues afterwards";
	}
	if (of->structure == KT_API_PHASE_DESTROY) {
		return "no doorbell is written afterwards, but calls still create "
		       "resources";
	}
	return "calls and doorbells put the boundary at different points";
}

void kt_phase_check_clear(struct kt_phase_check *check)
{
	free(check->states);
	free(check->transitions);
	*check = (struct kt_phase_check){0};
}

/* --- creation --- */

/*
 * Counts a letter with its phase by calls. If the letter has another phase by structure,
 * keeps it as an example, up to --evidence letters per state.
 */
static int count_letter(void *context, const struct kt_course_letter *letter,
			const char *process, enum kt_api_phase calls)
{
	struct kt_phases *phases = context;
	const struct kt_fsm *fsm = phases->input->fsm;
	uint32_t state = fsm->transitions[letter->transition].to;

	kt_phase_check_letter(&phases->check, fsm, letter->transition, calls);
	phases->letters_of_calls += calls != KT_API_PHASE_NONE;
	if (phases->refusal || calls == KT_API_PHASE_NONE || calls == letter->structure ||
	    phases->n_of_state[state] >= phases->input->evidence) {
		return KT_OK;
	}
	KT_TRY(kt_array_reserve(&phases->examples, &phases->capacity,
				phases->n_examples + 1));
	phases->examples[phases->n_examples++] = (struct kt_phase_example){
		.state = state,
		.trace = phases->course.trace,
		.process = process,
		.seq = letter->seq,
		.time = letter->time,
		.call = letter->name,
		.calls = calls,
	};
	phases->n_of_state[state]++;
	return KT_OK;
}

static void free_part(void *part)
{
	struct kt_phases *phases = part;

	if (!phases) {
		return;
	}
	free(phases->examples);
	free(phases->n_of_state);
	free(phases->transitions);
	free(phases->refusal);
	kt_structure_clear(&phases->structure);
	kt_phase_check_clear(&phases->check);
	kt_course_clear(&phases->course);
	free(phases);
}

static int make(void **part, const struct kt_annotation_input *input)
{
	const struct kt_fsm *fsm = input->fsm;
	struct kt_phases *phases = calloc(1, sizeof(*phases));
	int code = KT_OK;

	*part = NULL;
	if (!phases) {
		return kt_no_memory("find phases");
	}
	phases->input = input;
	phases->course.each = count_letter;
	phases->course.context = phases;
	phases->n_of_state = calloc(fsm->n_states + 1, sizeof(*phases->n_of_state));
	phases->transitions = calloc(fsm->n_transitions + 1, sizeof(*phases->transitions));
	if (!phases->n_of_state || !phases->transitions) {
		code = kt_no_memory("find phases");
		goto end;
	}
	code = kt_structure_find(&phases->structure, fsm);
	if (code == KT_E_EMPTY) {
		/* The message is "verb what: reason"; the report shows the reason alone. */
		const char *colon = strstr(kt_error_message(), ": ");

		phases->refusal = strdup(colon ? colon + 2 : kt_error_message());
		code = phases->refusal ? KT_OK : kt_no_memory("find phases");
	}
	if (!code) {
		code = kt_phase_check_begin(&phases->check, fsm,
					    phases->refusal ? NULL : &phases->structure);
	}
end:
	if (code) {
		free_part(phases);
		return code;
	}
	*part = phases;
	return KT_OK;
}

/* --- events --- */

static int begin(void *part, const char *path)
{
	struct kt_phases *phases = part;

	(void)path;
	phases->course.trace = phases->input->trace;
	return KT_OK;
}

static int end(void *part)
{
	return kt_course_finish_trace(&((struct kt_phases *)part)->course);
}

static int put_letter(void *part, const struct kt_moment *moment,
		      const struct kt_placed *placed)
{
	struct kt_phases *phases = part;
	const struct kt_fsm *fsm = phases->input->fsm;
	const struct kt_course_letter letter = {
		.transition = placed->transition,
		.doorbell = kt_letter_is_doorbell(fsm->letters[placed->letter]),
		.structure = phases->refusal
				     ? KT_API_PHASE_NONE
				     : phases->structure.transitions[placed->transition],
		.time = moment->time,
		.seq = moment->seq,
		.name = moment->call ? moment->call->name : NULL,
	};

	return kt_course_letter(&phases->course, moment, &letter);
}

static int event(void *part, const struct kt_moment *moment, const struct kt_event *what)
{
	struct kt_phases *phases = part;

	(void)what;
	return kt_course_placed(&phases->course, phases->input->placement, moment,
				put_letter, phases);
}

static int call_enter(void *part, const struct kt_moment *moment,
		      const struct kt_activity_call *call)
{
	return kt_course_enter(&((struct kt_phases *)part)->course, moment, call);
}

static int process_end(void *part, const struct kt_moment *moment,
		       const struct kt_process_end_fields *fields)
{
	(void)fields;
	return kt_course_end(&((struct kt_phases *)part)->course, moment);
}

static const struct kt_activity_visitor visitor = {
	.begin = begin,
	.end = end,
	.event = event,
	.call_enter = call_enter,
	.process_end = process_end,
};

/* --- results --- */

static const char *name_of(enum kt_api_phase phase)
{
	return phase == KT_API_PHASE_NONE ? NULL : kt_api_phase_name(phase);
}

static int finish(void *part, struct kt_annotation *annotation)
{
	struct kt_phases *phases = part;
	struct kt_fsm *fsm = annotation->fsm;

	kt_phase_check_settle(&phases->check);
	for (size_t i = 0; i < fsm->n_states; i++) {
		const char *name = name_of(phases->check.states[i].taken);

		free(fsm->states[i].phase);
		fsm->states[i].phase = name ? strdup(name) : NULL;
		if (name && !fsm->states[i].phase) {
			return kt_no_memory("find phases");
		}
	}
	for (size_t i = 0; i < fsm->n_transitions; i++) {
		phases->transitions[i] = name_of(phases->check.transitions[i].taken);
	}
	annotation->transition_phases = phases->transitions;
	return KT_OK;
}

const struct kt_annotation_part kt_phases_part = {
	.name = "phases",
	.make = make,
	.visitor = &visitor,
	.finish = finish,
	.json = kt_phases_json,
	.text = kt_phases_text,
	.free = free_part,
};
