/* SPDX-License-Identifier: MIT */
#include "annotate/annotate.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/fsm-json.h"
#include "base/try.h"

int kt_annotate_begin(struct kt_annotate *annotate, struct kt_fsm *fsm)
{
	struct kt_annotation *annotation = &annotate->annotation;

	for (size_t i = 0; i < fsm->n_states; i++) {
		free(fsm->states[i].label);
		free(fsm->states[i].phase);
		fsm->states[i].label = NULL;
		fsm->states[i].label_share = 0;
		fsm->states[i].phase = NULL;
	}
	for (size_t i = 0; i < fsm->n_transitions; i++) {
		free(fsm->transitions[i].label);
		fsm->transitions[i].label = NULL;
		fsm->transitions[i].label_share = 0;
	}
	annotate->input.fsm = fsm;
	annotate->input.meanings = &annotate->meanings;
	annotation->fsm = fsm;
	annotation->state_roles =
		calloc(fsm->n_states + 1, sizeof(*annotation->state_roles));
	annotation->roles = calloc(fsm->n_transitions + 1, sizeof(*annotation->roles));
	annotation->letters = calloc(fsm->n_transitions + 1, sizeof(*annotation->letters));
	if (!annotation->state_roles || !annotation->roles || !annotation->letters) {
		return kt_no_memory("annotate");
	}
	for (size_t i = 0; annotate->table[i] && i < KT_PARTS; i++) {
		KT_TRY(annotate->table[i]->make(&annotate->parts[i], &annotate->input));
		annotate->n_parts++;
	}
	return KT_OK;
}

void kt_annotate_free(struct kt_annotate *annotate)
{
	for (size_t i = annotate->n_parts; i > 0; i--) {
		annotate->table[i - 1]->free(annotate->parts[i - 1]);
	}
	free(annotate->annotation.state_roles);
	free(annotate->annotation.roles);
	free(annotate->annotation.letters);
	kt_meanings_free(&annotate->meanings);
	kt_given_up_rows_free(&annotate->given_up);
	memset(annotate, 0, sizeof(*annotate));
}

/* --- traces --- */

static int note_report(struct kt_annotate *annotate, const char *path, FILE *warnings)
{
	const kt_placement *placement = annotate->input.placement;
	const struct kt_trace_report *report = kt_placement_report(placement);

	if (warnings) {
		kt_trace_report_warn(warnings, path, report);
	}
	kt_trace_losses_add(&annotate->gaps.losses, report);
	annotate->annotation.unplaced += kt_placement_unplaced(placement);
	for (size_t i = 0; warnings && i < kt_placement_words(placement); i++) {
		const struct kt_placed_word *word = kt_placement_word(placement, i);

		if (word->fitting < word->letters) {
			fprintf(warnings,
				"ktail: warning: %s: word %s does not fit the machine "
				"from letter %" PRIu64 " on: %" PRIu64 " of %" PRIu64
				" letters not placed\n",
				path, word->name, word->fitting + 1,
				word->letters - word->placed, word->letters);
		} else if (word->placed < word->letters) {
			fprintf(warnings,
				"ktail: warning: %s: word %s has no known beginning: "
				"%" PRIu64 " of %" PRIu64
				" letters not placed at its start\n",
				path, word->name, word->letters - word->placed,
				word->letters);
		}
	}
	return kt_given_up_rows_add(&annotate->given_up, path, report);
}

/* Reports the events of a trace, in one reading, to the parts of annotations[0..n). */
static int report_to_parts(struct kt_annotate *const *annotations, size_t n,
			   const char *path, FILE *warnings)
{
	const struct kt_annotate *first = annotations[0];
	const struct kt_activity_visitor **visitors =
		calloc(n * KT_PARTS, sizeof(*visitors));
	void **contexts = calloc(n * KT_PARTS, sizeof(*contexts));
	struct kt_activity_totals totals = {
		.reading.trace = kt_placement_trace(first->input.placement),
		.reading.part = first->input.part};
	size_t n_visitors = 0;
	int code = visitors && contexts ? KT_OK : kt_no_memory("annotate");

	for (size_t i = 0; i < n && !code; i++) {
		for (size_t j = 0; j < annotations[i]->n_parts; j++) {
			if (annotations[i]->table[j]->visitor) {
				visitors[n_visitors] = annotations[i]->table[j]->visitor;
				contexts[n_visitors++] = annotations[i]->parts[j];
			}
		}
	}
	if (!code) {
		code = kt_activity_read(path, visitors, contexts, n_visitors, &totals);
	}
	for (size_t i = 0; i < n; i++) {
		kt_gaps_note_words(&annotations[i]->gaps, path, &totals.submissions,
				   i ? NULL : warnings);
		annotations[i]->calls += totals.calls;
	}
	kt_activity_totals_free(&totals);
	free(visitors);
	free(contexts);
	return code;
}

static int locate_letters(kt_placement **out, const struct kt_annotation_input *input,
			  size_t i)
{
	if (input->traces) {
		return kt_placement_of(out, input->fsm, input->traces[i]);
	}
	return kt_placement_make(out, input->fsm, input->fsm_name, input->paths[i],
				 input->filter, input->source, input->part);
}

/*
 * Locates the letters of the i-th trace in the machine. end_trace() frees what this
 * function allocates.
 */
static int begin_trace(struct kt_annotate *annotate, size_t i)
{
	kt_placement *placement = NULL;

	annotate->input.trace = i;
	KT_TRY(locate_letters(&placement, &annotate->input, i));
	annotate->input.placement = placement;
	return kt_meanings_begin(&annotate->meanings, placement);
}

static void end_trace(struct kt_annotate *annotate)
{
	kt_placement *placement = (kt_placement *)(uintptr_t)annotate->input.placement;

	annotate->input.placement = NULL;
	annotate->input.roles = NULL;
	kt_meanings_end(&annotate->meanings);
	kt_placement_free(placement);
}

int kt_annotate_read_all(struct kt_annotate *const *annotations, size_t n, size_t i,
			 FILE *warnings)
{
	const char *path = annotations[0]->input.paths[i];
	const struct kt_activity_visitor *visitor = &kt_roles_visitor;
	struct kt_activity_totals totals = {0};
	kt_roles *roles = NULL;
	void *context;
	int code;

	for (size_t j = 0; j < n; j++) {
		KT_TRY_END(begin_trace(annotations[j], i));
	}
	KT_TRY_END(kt_roles_new(&roles));
	context = roles;
	totals.reading.trace = kt_placement_trace(annotations[0]->input.placement);
	code = kt_activity_read(path, &visitor, &context, 1, &totals);
	kt_activity_totals_free(&totals);
	kt_roles_settle(roles);
	KT_TRY_END(code);
	for (size_t j = 0; j < n; j++) {
		annotations[j]->input.roles = roles;
		KT_TRY_END(note_report(annotations[j], path, j ? NULL : warnings));
	}
	KT_TRY_END(report_to_parts(annotations, n, path, warnings));
end:
	for (size_t j = 0; j < n; j++) {
		end_trace(annotations[j]);
	}
	kt_roles_free(roles);
	return code;
}

int kt_annotate_read(struct kt_annotate *annotate, size_t i, FILE *warnings)
{
	return kt_annotate_read_all(&annotate, 1, i, warnings);
}

int kt_annotate_finish(struct kt_annotate *annotate)
{
	for (size_t i = 0; i < annotate->n_parts; i++) {
		if (annotate->table[i]->finish) {
			KT_TRY(annotate->table[i]->finish(annotate->parts[i],
							  &annotate->annotation));
		}
	}
	return KT_OK;
}

/* --- results --- */

static void free_objects(json_t **objects, size_t n)
{
	for (size_t i = 0; objects && i < n; i++) {
		json_decref(objects[i]);
	}
	free(objects);
}

/* Returns n empty objects, or NULL if out of memory. */
static json_t **make_objects(size_t n)
{
	json_t **objects = calloc(n + 1, sizeof(json_t *));

	for (size_t i = 0; objects && i < n; i++) {
		objects[i] = json_object();
		if (!objects[i]) {
			free_objects(objects, i);
			return NULL;
		}
	}
	return objects;
}

/* Adds what the recorder gave up, if it did, to the annotation. */
static int add_given_up(json_t *top, const struct kt_annotate *annotate)
{
	struct kt_table table;
	int code;

	if (annotate->given_up.n == 0) {
		return KT_OK;
	}
	code = kt_given_up_rows_table(&annotate->given_up, &table);
	if (!code && json_object_set_new(top, "given_up", kt_table_to_json(&table))) {
		code = kt_no_memory("annotate");
	}
	kt_table_free(&table);
	return code;
}

static int print_given_up(FILE *out, const struct kt_annotate *annotate)
{
	struct kt_table table;
	int code;

	if (annotate->given_up.n == 0) {
		return KT_OK;
	}
	fputs(KT_GIVEN_UP_SENTENCE "\n", out);
	code = kt_given_up_rows_table(&annotate->given_up, &table);
	if (!code) {
		code = kt_table_print_text(out, &table, 0);
	}
	kt_table_free(&table);
	fputs("Calls that returned after the end of commands are not in the table of calls "
	      "that submit\nwork; requests after the end of accesses may have been noticed "
	      "unseen.\n\n",
	      out);
	return code;
}

int kt_annotate_write_json(const struct kt_annotate *annotate, FILE *out)
{
	const struct kt_fsm *fsm = annotate->input.fsm;
	json_t *top = json_object();
	json_t *whole = json_pack("{s:O?}", "annotation", top);
	json_t **states = make_objects(fsm->n_states);
	json_t **transitions = make_objects(fsm->n_transitions);
	const struct kt_fsm_more more = {whole, states, transitions};
	int code;

	if (!top || !whole || !states || !transitions) {
		code = kt_no_memory("annotate");
		goto end;
	}
	for (size_t i = 0; i < annotate->n_parts; i++) {
		if (annotate->table[i]->json) {
			KT_TRY_END(annotate->table[i]->json(annotate->parts[i], top, states,
							    transitions));
		}
	}
	KT_TRY_END(add_given_up(top, annotate));
	KT_TRY_END(kt_fsm_write_with(fsm, &more, out));
end:
	free_objects(states, fsm->n_states);
	free_objects(transitions, fsm->n_transitions);
	json_decref(whole);
	json_decref(top);
	return code;
}

int kt_annotate_write_text(const struct kt_annotate *annotate, FILE *out)
{
	KT_TRY(print_given_up(out, annotate));
	for (size_t i = 0; i < annotate->n_parts; i++) {
		if (annotate->table[i]->text) {
			KT_TRY(annotate->table[i]->text(annotate->parts[i], out));
		}
	}
	return ferror(out) ? kt_error_errno(KT_E_IO, "write report") : KT_OK;
}
