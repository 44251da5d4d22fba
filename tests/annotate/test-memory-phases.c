/* SPDX-License-Identifier: MIT */
/*
 * Finding phases and distilling a machine report each failed allocation and leak nothing.
 */
#include <stdio.h>
#include <string.h>

#include <ktail/status.h>

#include "annotate/distil/distil.h"
#include "annotate/phases/phases-calls.h"
#include "annotate/phases/phases.h"
#include "annotate/phases/phases-structure.h"
#include "tests/refuse.h"

static char letter_a[] = "ioctl:0x2b";
static char letter_b[] = "W:reg";
static char *letters[] = {letter_a, letter_b};
static struct kt_fsm_state states[5] = {[4].ends = 1};
static struct kt_fsm_transition transitions[] = {
	{.from = 0, .letter = 0, .to = 1, .count = 1},
	{.from = 1, .letter = 1, .to = 2, .count = 9},
	{.from = 2, .letter = 0, .to = 1, .count = 9},
	{.from = 1, .letter = 0, .to = 3, .count = 1},
	{.from = 3, .letter = 0, .to = 4, .count = 1},
};
static struct kt_fsm fsm = {
	.letters = letters,
	.n_letters = 2,
	.states = states,
	.n_states = 5,
	.transitions = transitions,
	.n_transitions = 5,
};

static int find_structure(void *context)
{
	struct kt_phase_check check = {0};
	struct kt_structure structure;
	int code = kt_structure_find(&structure, &fsm);

	(void)context;
	code = code ? code : kt_phase_check_begin(&check, &fsm, &structure);
	kt_phase_check_clear(&check);
	kt_structure_clear(&structure);
	return code;
}

/* Follows letters in calls, and letters outside of calls, whose phase is not known yet. */
static int follow_calls(void *context)
{
	static const char *const names[] = {"cuInit", "cuDeviceGet", "cuMemAlloc_v2",
					    "cuMemcpyHtoD_v2", "cuMemFree_v2"};
	struct kt_course course = {0};
	int code = KT_OK;

	(void)context;
	for (size_t i = 0; i < 60 && !code; i++) {
		const char *name = names[i % 5];
		const struct kt_activity_call call = {
			.name = name, .function = kt_api_function_find(name)};
		const struct kt_moment moment = {.time = i,
						 .instance = i % 3,
						 .process = "app",
						 .call = i % 2 ? &call : NULL};
		const struct kt_course_letter letter = {.time = i,
							.name = i % 2 ? name : NULL};

		code = kt_course_event(&course, &moment);
		code = code    ? code
		       : i % 2 ? kt_course_enter(&course, &moment, &call)
			       : KT_OK;
		code = code ? code : kt_course_letter(&course, &moment, &letter);
	}
	code = code ? code : kt_course_finish_trace(&course);
	kt_course_clear(&course);
	return code;
}

static int write_all(const struct kt_distilled *distilled, const struct kt_texts *texts,
		     FILE *out)
{
	const struct kt_distilled_origin origin = {.fsm = &fsm, .texts = texts};
	int code = kt_distilled_write_json(out, distilled, &origin);

	return code ? code : kt_distilled_write_text(out, distilled, &origin);
}

static int distil(void *context)
{
	static const char *const labels[] = {"write commands", "submit: launch",
					     "poll for completion"};
	struct kt_texts texts = {0};
	struct kt_distil_step steps[30];
	const struct kt_distil_word words[] = {{true}, {false}};
	struct kt_distil_input input = {.fsm = &fsm,
					.texts = &texts,
					.steps = steps,
					.n_steps = 30,
					.words = words,
					.n_words = 2};
	struct kt_distilled *distilled = NULL;
	kt_label_rules *rules = NULL;
	int code = kt_label_rules_default(&rules);

	input.rules = rules;
	for (size_t i = 0; i < 30 && !code; i++) {
		steps[i] = (struct kt_distil_step){.word = i / 15,
						   .tid = (uint32_t)i % 4,
						   .transition = (uint32_t)i % 5,
						   .call = KT_NO_TEXT,
						   .role = KT_LABEL_SUBMIT,
						   .doorbell = i % 3 == 1};
		code = kt_texts_add(&texts, labels[i % 3], &steps[i].label);
	}
	code = code ? code : kt_distil(&distilled, &input);
	code = code ? code : write_all(distilled, &texts, context);
	kt_distilled_free(distilled);
	kt_label_rules_free(rules);
	kt_texts_free(&texts);
	return code;
}

int main(void)
{
	FILE *out = fopen("/dev/null", "w");
	const struct kt_trial trials[] = {
		{"find phases", find_structure, NULL, false, 0},
		{"follow calls", follow_calls, NULL, false, 0},
		{"distil", distil, out, false, 0},
	};
	bool good = out != NULL;

	for (size_t i = 0; i < 3 && good; i++) {
		/* The first run does not count: igraph and the stream keep some memory. */
		int code = trials[i].work(trials[i].context);

		good = code == KT_OK && kt_refuse_each(&trials[i]) > 10;
		if (!good) {
			fprintf(stderr, "%s: %d: %s\n", trials[i].name, code,
				kt_error_message());
		}
	}
	if (out) {
		fclose(out);
	}
	return !good;
}
