/* SPDX-License-Identifier: MIT */
#include "annotate/phases/phases.h"

#include <ktail/status.h>

#include "base/json.h"
#include "infer/graph/dominators.h"

/* Maximum number of course pieces in the JSON. */
#define PIECES_MAX 256

static json_t *state_or_null(uint32_t state)
{
	return state == KT_NO_STATE ? json_null() : kt_json_integer(state);
}

/*
 * Returns the non-zero counts as an object, for example {"CREATE": 5, "USE": 3}; the key
 * "-" stands for no phase.
 */
static json_t *counts(const uint64_t by[KT_PHASES])
{
	json_t *object = json_object();
	bool failed = !object;

	for (int i = 0; i < KT_PHASES && !failed; i++) {
		failed =
			by[i] > 0 &&
			json_object_set_new(object, kt_api_phase_name((enum kt_api_phase)i),
					    kt_json_integer(by[i])) != 0;
	}
	return kt_json_if_whole(object, !failed);
}

static json_t *table(const struct kt_phase_table *table)
{
	json_t *object = json_object();
	bool failed = !object;

	for (int i = 0; i < KT_PHASES; i++) {
		uint64_t sum = 0;

		for (int j = 0; j < KT_PHASES; j++) {
			sum += table->cells[i][j];
		}
		failed |=
			sum > 0 &&
			json_object_set_new(object, kt_api_phase_name((enum kt_api_phase)i),
					    counts(table->cells[i])) != 0;
	}
	return kt_json_if_whole(object, !failed);
}

static json_t *examples_of(const struct kt_phases *phases, uint32_t state)
{
	json_t *array = json_array();

	for (size_t i = 0; i < phases->n_examples; i++) {
		const struct kt_phase_example *e = &phases->examples[i];

		if (e->state == state &&
		    json_array_append_new(
			    array,
			    json_pack("{s:s, s:s, s:o, s:o, s:s?, s:s}", "trace",
				      phases->input->paths[e->trace], "process", e->process,
				      "seq", kt_json_integer(e->seq), "time",
				      kt_json_integer(e->time), "call", e->call, "phase",
				      kt_api_phase_name(e->calls))) != 0) {
			json_decref(array);
			return NULL;
		}
	}
	return array;
}

static json_t *disagreements(const struct kt_phases *phases)
{
	json_t *array = json_array();
	bool failed = !array;

	for (size_t i = 0; i < phases->check.n_states && !failed; i++) {
		const struct kt_phase_of *of = &phases->check.states[i];

		failed = kt_phase_disagrees(of) &&
			 json_array_append_new(
				 array, json_pack("{s:o, s:s, s:s, s:s, s:o, s:s, s:o}",
						  "state", kt_json_integer(i), "structure",
						  kt_api_phase_name(of->structure), "calls",
						  kt_api_phase_name(of->calls), "taken",
						  kt_api_phase_name(of->taken), "letters",
						  counts(of->by_calls), "reason",
						  kt_phase_reason(of), "evidence",
						  examples_of(phases, (uint32_t)i))) != 0;
	}
	return kt_json_if_whole(array, !failed);
}

static json_t *piece_calls(const struct kt_course_piece *piece)
{
	json_t *array = json_array();

	for (size_t i = 0; i < piece->n_calls; i++) {
		const struct kt_course_call *c = &piece->calls[i];

		if (json_array_append_new(
			    array, json_pack("{s:s?, s:s, s:o, s:o, s:o, s:o}", "name",
					     c->name, "phase", kt_api_phase_name(c->phase),
					     "calls", kt_json_integer(c->calls), "letters",
					     kt_json_integer(c->letters), "doorbells",
					     kt_json_integer(c->doorbells), "structure",
					     counts(c->structure))) != 0) {
			json_decref(array);
			return NULL;
		}
	}
	return array;
}

static json_t *course(const struct kt_phases *phases)
{
	json_t *array = json_array();
	size_t n = phases->course.n_pieces;
	bool failed = !array;

	for (size_t i = 0; i < n && i < PIECES_MAX && !failed; i++) {
		const struct kt_course_piece *p = &phases->course.pieces[i];

		failed =
			json_array_append_new(
				array, json_pack("{s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:o}",
						 "trace", phases->input->paths[p->trace],
						 "process", p->process, "phase",
						 kt_api_phase_name(p->phase), "begin",
						 kt_json_integer(p->begin), "end",
						 kt_json_integer(p->end), "letters",
						 kt_json_integer(p->letters), "doorbells",
						 kt_json_integer(p->doorbells), "calls",
						 piece_calls(p))) != 0;
	}
	if (!failed && n > PIECES_MAX) {
		failed = json_array_append_new(
				 array, json_pack("{s:o}", "more",
						  kt_json_integer(n - PIECES_MAX))) != 0;
	}
	return kt_json_if_whole(array, !failed);
}

int kt_phases_json(void *part, json_t *top, json_t *const *states,
		   json_t *const *transitions)
{
	const struct kt_phases *phases = part;
	const struct kt_structure *s = &phases->structure;
	json_t *structure =
		phases->refusal
			? json_pack("{s:s}", "refused", phases->refusal)
			: json_pack("{s:o, s:{s:o, s:b, s:o}, s:o, s:o}", "doorbells",
				    kt_json_integer(s->doorbells), "work", "states",
				    kt_json_integer(s->work_states), "repeats",
				    (int)s->repeats, "taken_at_least",
				    kt_json_integer(s->threshold), "gate",
				    state_or_null(s->gate), "exit", state_or_null(s->exit));
	json_t *object = json_pack(
		"{s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "structure", structure,
		"letters_of_calls", kt_json_integer(phases->letters_of_calls), "letters",
		table(&phases->check.letters), "states", table(&phases->check.state_table),
		"taken", table(&phases->check.taken_letters), "disagreements",
		disagreements(phases), "course", course(phases));

	(void)transitions;
	if (json_object_set_new(top, "phases", object) != 0) {
		return kt_no_memory("write phases");
	}
	for (size_t i = 0; i < phases->check.n_states; i++) {
		const struct kt_phase_of *of = &phases->check.states[i];

		object = json_pack("{s:s, s:o}", "structure",
				   kt_api_phase_name(of->structure), "calls",
				   counts(of->by_calls));
		if (json_object_set_new(states[i], "phases", object) != 0) {
			return kt_no_memory("write phases");
		}
	}
	return KT_OK;
}
