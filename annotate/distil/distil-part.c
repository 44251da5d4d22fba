/* SPDX-License-Identifier: MIT */
#include "annotate/distil/distil-part.h"

#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "annotate/distil/distil.h"
#include "annotate/phases/phases-calls.h"
#include "annotate/phases/phases-structure.h"
#include "base/array.h"
#include "base/try.h"

/* A letter of the trace being read, with its position in its word. */
struct draft {
	struct kt_distil_step step;
	uint64_t position;
	bool seen; /* the event of the letter was reported */
};

struct distil {
	const struct kt_annotation_input *input; /* Weak */
	struct kt_course course;                 /* calls set_phase() for each letter */
	struct kt_texts texts;
	struct kt_distil_step *steps; /* Owned by this: steps of the traces read so far */
	size_t n_steps;
	size_t steps_capacity;
	struct kt_distil_word *words; /* Owned by this */
	size_t n_words;
	size_t words_capacity;
	/* Owned by this: of the trace being read, parallel to kt_placement_letters(). */
	struct draft *drafts;
	size_t n_drafts;
	const struct kt_placed *placed; /* Weak: kt_placement_letters() of this trace */
	uint64_t next_call; /* added to call ids, which begin at 1 again in each trace */
	bool calls;
	uint64_t unplaced;
	struct kt_distilled *distilled; /* Owned by this; set after the last trace */
};

/* --- events of a trace --- */

/*
 * A kt_course_fn that stores the phase of a letter; letter->seq is the index of the draft.
 */
static int set_phase(void *context, const struct kt_course_letter *letter,
		     const char *process, enum kt_api_phase phase)
{
	struct distil *distil = context;

	(void)process;
	distil->drafts[letter->seq].step.phase = phase;
	return KT_OK;
}

static int begin(void *part, const char *path)
{
	struct distil *distil = part;

	(void)path;
	distil->placed = kt_placement_letters(distil->input->placement, &distil->n_drafts);
	distil->drafts = calloc(distil->n_drafts + 1, sizeof(*distil->drafts));
	if (!distil->drafts) {
		distil->n_drafts = 0;
		return kt_no_memory("distil machine");
	}
	return KT_OK;
}

static int draft_letter(void *part, const struct kt_moment *moment,
			const struct kt_placed *placed)
{
	struct distil *distil = part;
	const struct kt_fsm *fsm = distil->input->fsm;
	size_t index = (size_t)(placed - distil->placed);
	struct draft *draft = &distil->drafts[index];
	const struct kt_activity_call *call = moment->call;
	const struct kt_course_letter letter = {
		.transition = placed->transition, .time = moment->time, .seq = index};

	draft->seen = true;
	draft->position = placed->position;
	draft->step.word = placed->word;
	draft->step.tid = moment->tid;
	draft->step.transition = placed->transition;
	draft->step.doorbell = kt_letter_is_doorbell(fsm->letters[placed->letter]);
	draft->step.call = KT_NO_TEXT;
	if (call) {
		draft->step.call_id = distil->next_call + call->id;
		KT_TRY(kt_texts_add(&distil->texts, call->name, &draft->step.call));
	}
	return kt_course_letter(&distil->course, moment, &letter);
}

static int event(void *part, const struct kt_moment *moment, const struct kt_event *what)
{
	struct distil *distil = part;

	(void)what;
	return kt_course_placed(&distil->course, distil->input->placement, moment,
				draft_letter, distil);
}

static int call_enter(void *part, const struct kt_moment *moment,
		      const struct kt_activity_call *call)
{
	struct distil *distil = part;

	distil->calls = true;
	return kt_course_enter(&distil->course, moment, call);
}

static int process_end(void *part, const struct kt_moment *moment,
		       const struct kt_process_end_fields *fields)
{
	(void)fields;
	return kt_course_end(&((struct distil *)part)->course, moment);
}

/* --- end of a trace: drafts become steps --- */

static int compare_drafts(const void *a, const void *b)
{
	const struct draft *x = a;
	const struct draft *y = b;

	if (x->step.word != y->step.word) {
		return x->step.word < y->step.word ? -1 : 1;
	}
	return (x->position > y->position) - (x->position < y->position);
}

static void drop_drafts(struct distil *distil)
{
	free(distil->drafts);
	distil->drafts = NULL;
	distil->n_drafts = 0;
}

static int end(void *part)
{
	struct distil *distil = part;
	const struct kt_meanings *meanings = distil->input->meanings;
	const kt_placement *placement = distil->input->placement;
	size_t n_words = kt_placement_words(placement);
	int code;

	KT_TRY_END(kt_course_finish_trace(&distil->course));
	for (size_t i = 0; i < distil->n_drafts; i++) {
		struct kt_distil_step *step = &distil->drafts[i].step;
		uint32_t label = meanings->letters[i].label;

		step->role = meanings->letters[i].role;
		step->label = KT_NO_TEXT;
		if (label != KT_NO_LABEL) {
			KT_TRY_END(kt_texts_add(&distil->texts,
						meanings->labels.items[label],
						&step->label));
		}
	}
	/* Append the words of this trace to the words of earlier traces. */
	KT_TRY_END(kt_array_reserve(&distil->words, &distil->words_capacity,
				    distil->n_words + n_words + 1));
	for (size_t i = 0; i < n_words; i++) {
		const struct kt_placed_word *word = kt_placement_word(placement, i);

		distil->words[distil->n_words + i] = (struct kt_distil_word){
			.end = !word->cut_end && word->fitting == word->letters};
		distil->unplaced += word->letters - word->placed;
	}
	KT_TRY_END(kt_array_reserve(&distil->steps, &distil->steps_capacity,
				    distil->n_steps + distil->n_drafts + 1));
	qsort(distil->drafts, distil->n_drafts, sizeof(*distil->drafts), compare_drafts);
	for (size_t i = 0; i < distil->n_drafts; i++) {
		if (distil->drafts[i].seen) {
			struct kt_distil_step *step = &distil->steps[distil->n_steps++];

			*step = distil->drafts[i].step;
			step->word += distil->n_words;
		}
	}
	distil->n_words += n_words;
	distil->next_call += UINT64_C(1) << 40;
end:
	drop_drafts(distil);
	return code;
}

static const struct kt_activity_visitor visitor = {
	.begin = begin,
	.end = end,
	.event = event,
	.call_enter = call_enter,
	.process_end = process_end,
};

/* --- the part --- */

static void free_part(void *part)
{
	struct distil *distil = part;

	if (!distil) {
		return;
	}
	drop_drafts(distil);
	kt_distilled_free(distil->distilled);
	kt_course_clear(&distil->course);
	kt_texts_free(&distil->texts);
	free(distil->steps);
	free(distil->words);
	free(distil);
}

static int make(void **part, const struct kt_annotation_input *input)
{
	struct distil *distil = calloc(1, sizeof(*distil));

	*part = distil;
	if (!distil) {
		return kt_no_memory("distil machine");
	}
	distil->input = input;
	distil->course.each = set_phase;
	distil->course.context = distil;
	return KT_OK;
}

/* If the calls give a letter no phase, the letter gets the phase of its transition. */
static int finish(void *part, struct kt_annotation *annotation)
{
	struct distil *distil = part;
	const char *const *phases = annotation->transition_phases;
	const struct kt_distil_input input = {
		.fsm = annotation->fsm,
		.texts = &distil->texts,
		.steps = distil->steps,
		.n_steps = distil->n_steps,
		.words = distil->words,
		.n_words = distil->n_words,
		.rules = distil->input->rules,
	};

	for (size_t i = 0; i < distil->n_steps && phases; i++) {
		struct kt_distil_step *step = &distil->steps[i];
		const char *name = phases[step->transition];

		if (step->phase != KT_API_PHASE_NONE || !name) {
			continue;
		}
		for (int j = KT_API_PHASE_CREATE; j <= KT_API_PHASE_DESTROY; j++) {
			if (strcmp(name, kt_api_phase_name((enum kt_api_phase)j)) == 0) {
				step->phase = (enum kt_api_phase)j;
			}
		}
	}
	return kt_distil(&distil->distilled, &input);
}

/* --- the file of the part --- */

static struct kt_distilled_origin origin_of(const struct distil *distil)
{
	return (struct kt_distilled_origin){
		.fsm = distil->input->fsm,
		.texts = &distil->texts,
		.traces = distil->input->paths,
		.n_traces = distil->input->n_paths,
		.unplaced = distil->unplaced,
		.calls = distil->calls,
	};
}

static int write_json(FILE *out, const void *part)
{
	const struct distil *distil = part;
	const struct kt_distilled_origin origin = origin_of(distil);

	return kt_distilled_write_json(out, distil->distilled, &origin);
}

static int write_text(FILE *out, const void *part)
{
	const struct distil *distil = part;
	const struct kt_distilled_origin origin = origin_of(distil);

	return kt_distilled_write_text(out, distil->distilled, &origin);
}

static const struct kt_output_format formats[] = {
	{".txt", NULL, write_text}, {".json", NULL, write_json}, {".svg", "svg", NULL},
	{".png", "png", NULL},      {".pdf", "pdf", NULL},       {".dot", "dot", NULL},
	{".gv", "dot", NULL},       {NULL, NULL, NULL},
};

static const struct kt_output_kind kind = {
	.what = "distilled machine",
	.formats = formats,
	.json = write_json,
};

static const struct kt_annotation_file file = {
	.option = "distil",
	.help = "write the distilled machine: .txt .json .svg .png .pdf .dot .gv",
	.kind = &kind,
};

const struct kt_annotation_part kt_distil_part = {
	.name = "distil",
	.make = make,
	.visitor = &visitor,
	.finish = finish,
	.file = &file,
	.free = free_part,
};
