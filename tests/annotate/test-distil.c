/* SPDX-License-Identifier: MIT */
/*
 * Tests distilled machines: one by hand, random ones whose counts must be conserved, and
 * output files.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "annotate/distil/distil.h"
#include "tests/engine/oracle/random-sets.h"
#include "tests/suite.h"

#define STEPS_MAX  200
#define WORDS_MAX  6
#define STATES     5
#define MEANINGS   (sizeof(meanings) / sizeof(meanings[0]))
#define LETTERS    3
#define NO_MEANING 0

/* The meanings that letters have in this file. */
static const struct {
	const char *label;
	enum kt_label_role role;
	bool doorbell;
} meanings[] = {
	{NULL, KT_LABEL_OTHER, false},
	{"ask what the GPU can do", KT_LABEL_QUERY, false},
	{"create channel", KT_LABEL_CREATE, false},
	{"enable channel", KT_LABEL_INIT, false},
	{"write commands", KT_LABEL_SUBMIT, false},
	{"write ring entry", KT_LABEL_SUBMIT, false},
	{"check error notifier", KT_LABEL_QUERY, false},
	{"submit: copy", KT_LABEL_DMA, true},
	{"submit: launch", KT_LABEL_RUN, true},
	{"submit: graph launch", KT_LABEL_RUN, true},
	{"submit: semaphore release", KT_LABEL_SUBMIT, true},
	{"poll for completion", KT_LABEL_WAIT, false},
	{"write staging memory", KT_LABEL_DMA, false},
	{"free memory", KT_LABEL_RELEASE, false},
};

static char letter_a[] = "ioctl:0x2a";
static char letter_b[] = "R:sys";
static char letter_c[] = "W:reg";
static char *letters[LETTERS] = {letter_a, letter_b, letter_c};

struct rig {
	struct kt_fsm fsm;
	struct kt_fsm_transition transitions[STATES * LETTERS];
	struct kt_texts texts;
	struct kt_distil_step steps[STEPS_MAX];
	struct kt_distil_word words[WORDS_MAX];
	struct kt_label_rules *rules;
	struct kt_distil_input input;
	struct kt_distilled *distilled;
};

static void begin(struct rig *rig)
{
	memset(rig, 0, sizeof(*rig));
	rig->fsm.letters = letters;
	rig->fsm.n_letters = LETTERS;
	rig->fsm.n_states = STATES;
	rig->fsm.transitions = rig->transitions;
	rig->fsm.n_transitions = STATES * LETTERS;
	rig->fsm.k = 7;
	for (uint32_t i = 0; i < STATES * LETTERS; i++) {
		rig->transitions[i] = (struct kt_fsm_transition){
			.from = i / LETTERS,
			.letter = i % LETTERS,
			.to = (i * 7 + 3) % STATES,
		};
	}
	rig->input.fsm = &rig->fsm;
	rig->input.texts = &rig->texts;
	rig->input.steps = rig->steps;
	rig->input.words = rig->words;
	CU_ASSERT_EQUAL_FATAL(kt_label_rules_default(&rig->rules), KT_OK);
	rig->input.rules = rig->rules;
}

static void end(struct rig *rig)
{
	kt_distilled_free(rig->distilled);
	kt_label_rules_free(rig->rules);
	kt_texts_free(&rig->texts);
}

static void add_word(struct rig *rig, bool ends)
{
	rig->words[rig->input.n_words++] = (struct kt_distil_word){.end = ends};
}

static uint32_t number_of(struct rig *rig, const char *text)
{
	uint32_t number = KT_NO_TEXT;

	if (text) {
		CU_ASSERT_EQUAL(kt_texts_add(&rig->texts, text, &number), KT_OK);
	}
	return number;
}

/* Adds a letter to the newest word. */
static void add(struct rig *rig, const char *label, enum kt_api_phase phase,
		uint32_t transition, const char *call, uint64_t call_id)
{
	struct kt_distil_step *step = &rig->steps[rig->input.n_steps++];
	size_t meaning = NO_MEANING;

	for (size_t i = 1; i < MEANINGS; i++) {
		meaning = label && strcmp(meanings[i].label, label) == 0 ? i : meaning;
	}
	*step = (struct kt_distil_step){
		.word = rig->input.n_words - 1,
		.call_id = call_id,
		.transition = transition,
		.label = number_of(rig, meanings[meaning].label),
		.call = number_of(rig, call),
		.role = meanings[meaning].role,
		.phase = phase,
		.doorbell = meanings[meaning].doorbell,
	};
}

static const struct kt_distilled_column *column_of(const struct rig *rig,
						   enum kt_state_column column)
{
	return &rig->distilled->columns[column];
}

static size_t find(const struct kt_distilled_column *column, const char *name)
{
	size_t i = 0;

	while (i < column->n_states && strcmp(column->states[i].name, name) != 0) {
		i++;
	}
	CU_ASSERT_FATAL(i < column->n_states);
	return i;
}

static const struct kt_distilled_state *user_state(const struct rig *rig, const char *name)
{
	const struct kt_distilled_column *user = column_of(rig, KT_COLUMN_USER);

	return &user->states[find(user, name)];
}

static uint64_t visits(const struct rig *rig, const char *name)
{
	return user_state(rig, name)->visits;
}

static uint64_t followed_in(const struct kt_distilled_column *column, const char *from,
			    const char *to)
{
	return kt_distilled_edge(column, find(column, from), find(column, to))->count;
}

static uint64_t followed(const struct rig *rig, const char *from, const char *to)
{
	return followed_in(column_of(rig, KT_COLUMN_USER), from, to);
}

/* Makes the word of an abridged vector add. */
static void make_program(struct rig *rig)
{
	begin(rig);
	add_word(rig, true);
	add(rig, "ask what the GPU can do", KT_API_PHASE_CREATE, 0, "cuInit", 1);
	add(rig, "create channel", KT_API_PHASE_CREATE, 1, "cuCtxCreate_v2", 2);
	add(rig, "enable channel", KT_API_PHASE_CREATE, 1, "cuCtxCreate_v2", 2);
	add(rig, "write commands", KT_API_PHASE_CREATE, 4, "cuCtxCreate_v2", 2);
	add(rig, "submit: copy", KT_API_PHASE_CREATE, 5, "cuCtxCreate_v2", 2);
	add(rig, "poll for completion", KT_API_PHASE_CREATE, 7, "cuCtxCreate_v2", 2);
	add(rig, "write commands", KT_API_PHASE_USE, 4, "cuMemcpyHtoD_v2", 3);
	add(rig, "write ring entry", KT_API_PHASE_USE, 4, "cuMemcpyHtoD_v2", 3);
	add(rig, "check error notifier", KT_API_PHASE_USE, 4, "cuMemcpyHtoD_v2", 3);
	add(rig, "submit: copy", KT_API_PHASE_USE, 5, "cuMemcpyHtoD_v2", 3);
	add(rig, "check error notifier", KT_API_PHASE_USE, 4, "cuMemcpyHtoD_v2", 3);
	add(rig, "write commands", KT_API_PHASE_USE, 4, "cuMemcpyHtoD_v2", 4);
	add(rig, "submit: copy", KT_API_PHASE_USE, 5, "cuMemcpyHtoD_v2", 4);
	add(rig, "write commands", KT_API_PHASE_USE, 4, "cuLaunchKernel", 5);
	add(rig, "submit: launch", KT_API_PHASE_USE, 5, "cuLaunchKernel", 5);
	add(rig, "poll for completion", KT_API_PHASE_USE, 7, "cuCtxSynchronize", 6);
	add(rig, "check error notifier", KT_API_PHASE_USE, 4, "cuCtxSynchronize", 6);
	add(rig, "poll for completion", KT_API_PHASE_USE, 7, "cuCtxSynchronize", 6);
	add(rig, "free memory", KT_API_PHASE_DESTROY, 10, NULL, 0);
}

static void test_program(void)
{
	struct rig rig;
	const struct kt_distilled_state *dma;

	make_program(&rig);
	CU_ASSERT_EQUAL_FATAL(kt_distil(&rig.distilled, &rig.input), KT_OK);
	CU_ASSERT_EQUAL(visits(&rig, "begin"), 1);
	CU_ASSERT_EQUAL(visits(&rig, "query"), 1);
	CU_ASSERT_EQUAL(visits(&rig, "create"), 1);
	CU_ASSERT_EQUAL(visits(&rig, "init"), 1);
	CU_ASSERT_EQUAL(visits(&rig, "own work"), 3);
	CU_ASSERT_EQUAL(visits(&rig, "DMA"), 6);
	CU_ASSERT_EQUAL(visits(&rig, "run"), 2);
	CU_ASSERT_EQUAL(visits(&rig, "wait"), 4);
	CU_ASSERT_EQUAL(visits(&rig, "release"), 1);
	CU_ASSERT_EQUAL(visits(&rig, "end"), 1);
	CU_ASSERT_EQUAL(followed(&rig, "begin", "query"), 1);
	CU_ASSERT_EQUAL(followed(&rig, "own work", "DMA"), 1);
	CU_ASSERT_EQUAL(followed(&rig, "DMA", "DMA"), 4);
	CU_ASSERT_EQUAL(followed(&rig, "DMA", "run"), 1);
	CU_ASSERT_EQUAL(followed(&rig, "release", "end"), 1);
	dma = user_state(&rig, "DMA");
	CU_ASSERT_EQUAL_FATAL(dma->calls.n, 1);
	CU_ASSERT_EQUAL(dma->calls.items[0].calls, 2);
	CU_ASSERT_EQUAL(dma->calls.items[0].count, 6);
	CU_ASSERT_EQUAL(dma->by_phase[KT_API_PHASE_USE], 6);
	for (size_t i = 0; i < dma->n_merges; i++) {
		bool moves = strcmp(dma->merges[i].reason,
				    "the GPU copies or fills memory") == 0;

		CU_ASSERT_EQUAL(moves, rig.transitions[5].to == dma->merges[i].state);
	}
	end(&rig);
}

/*
 * A truncated word does not reach the end, but a word without letters does. A set without
 * words is valid.
 */
static void test_ends(void)
{
	struct rig rig;

	begin(&rig);
	CU_ASSERT_EQUAL_FATAL(kt_distil(&rig.distilled, &rig.input), KT_OK);
	CU_ASSERT_EQUAL(visits(&rig, "begin"), 0);
	end(&rig);
	begin(&rig);
	add_word(&rig, true);
	add_word(&rig, false);
	add(&rig, NULL, KT_API_PHASE_NONE, 0, NULL, 0);
	CU_ASSERT_EQUAL_FATAL(kt_distil(&rig.distilled, &rig.input), KT_OK);
	CU_ASSERT_EQUAL(followed(&rig, "begin", "end"), 1);
	CU_ASSERT_EQUAL(followed(&rig, "begin", "other"), 1);
	CU_ASSERT_EQUAL(rig.distilled->ended, 1);
	end(&rig);
}

/* Letters before and after a doorbell are joined to it only within one word. */
static void test_borders(void)
{
	struct rig rig;

	begin(&rig);
	add_word(&rig, true);
	add(&rig, "write commands", KT_API_PHASE_USE, 4, NULL, 0);
	add_word(&rig, true);
	add(&rig, "submit: launch", KT_API_PHASE_USE, 5, NULL, 0);
	add_word(&rig, true);
	add(&rig, "check error notifier", KT_API_PHASE_USE, 4, NULL, 0);
	CU_ASSERT_EQUAL_FATAL(kt_distil(&rig.distilled, &rig.input), KT_OK);
	CU_ASSERT_EQUAL(visits(&rig, "submit"), 1);
	CU_ASSERT_EQUAL(visits(&rig, "run"), 1);
	CU_ASSERT_EQUAL(visits(&rig, "query"), 1);
	end(&rig);
}

/* Two threads alternate; each prepares its own submission. */
static void test_threads(void)
{
	struct rig rig;

	begin(&rig);
	add_word(&rig, true);
	add(&rig, "write commands", KT_API_PHASE_USE, 4, "cuLaunchKernel", 1);
	add(&rig, "write commands", KT_API_PHASE_USE, 4, "cuMemcpyHtoD_v2", 2);
	add(&rig, "write ring entry", KT_API_PHASE_USE, 4, "cuLaunchKernel", 1);
	add(&rig, "submit: copy", KT_API_PHASE_USE, 5, "cuMemcpyHtoD_v2", 2);
	add(&rig, "submit: launch", KT_API_PHASE_USE, 5, "cuLaunchKernel", 1);
	add(&rig, "check error notifier", KT_API_PHASE_USE, 4, "cuMemcpyHtoD_v2", 2);
	for (size_t i = 0; i < rig.input.n_steps; i++) {
		rig.steps[i].tid = (uint32_t)rig.steps[i].call_id;
	}
	CU_ASSERT_EQUAL_FATAL(kt_distil(&rig.distilled, &rig.input), KT_OK);
	CU_ASSERT_EQUAL(visits(&rig, "run"), 3);
	CU_ASSERT_EQUAL(visits(&rig, "DMA"), 2);
	CU_ASSERT_EQUAL(visits(&rig, "wait"), 1);
	end(&rig);
}

/*
 * The system's column depends on letters: control requests start the context up, accesses
 * follow, and what is done in the phase DESTROY ends the lifetime of buffers.
 */
static void test_system(void)
{
	struct rig rig;
	const struct kt_distilled_column *system;
	const struct kt_distilled_edge *edge;

	begin(&rig);
	add_word(&rig, true);
	add(&rig, "create channel", KT_API_PHASE_CREATE, 0, "cuInit", 1);
	add(&rig, "write commands", KT_API_PHASE_USE, 1, "cuLaunchKernel", 2);
	add(&rig, "submit: launch", KT_API_PHASE_USE, 2, "cuLaunchKernel", 2);
	add(&rig, "ask what the GPU can do", KT_API_PHASE_DESTROY, 0, NULL, 0);
	CU_ASSERT_EQUAL_FATAL(kt_distil(&rig.distilled, &rig.input), KT_OK);
	system = column_of(&rig, KT_COLUMN_SYSTEM);
	CU_ASSERT_EQUAL(followed_in(system, "init", "starting"), 1);
	CU_ASSERT_EQUAL(followed_in(system, "starting", "accessed"), 1);
	CU_ASSERT_EQUAL(followed_in(system, "accessed", "accessed"), 1);
	CU_ASSERT_EQUAL(followed_in(system, "accessed", "exiting"), 1);
	CU_ASSERT_EQUAL(followed_in(system, "exiting", "fini"), 1);
	edge = kt_distilled_edge(system, find(system, "starting"),
				 find(system, "accessed"));
	CU_ASSERT_EQUAL_FATAL(edge->letters.n, 1);
	CU_ASSERT_STRING_EQUAL(letters[edge->letters.items[0].text], "R:sys");
	end(&rig);
}

static void draw(struct rig *rig, struct random *random)
{
	uint32_t n_words = random_below(random, WORDS_MAX);

	begin(rig);
	for (uint32_t w = 0; w < n_words; w++) {
		uint32_t n = random_below(random, STEPS_MAX / WORDS_MAX);

		add_word(rig, random_below(random, 3) > 0);
		for (uint32_t i = 0; i < n; i++) {
			const char *label = meanings[random_below(random, MEANINGS)].label;
			bool inside = random_below(random, 4) > 0;

			add(rig, label,
			    (enum kt_api_phase)random_below(random,
							    KT_API_PHASE_DESTROY + 1),
			    random_below(random, STATES * LETTERS),
			    inside ? "cuCall" : NULL,
			    inside ? 1 + random_below(random, 9) : 0);
			rig->steps[rig->input.n_steps - 1].tid = random_below(random, 3);
		}
	}
}

static uint64_t sum_of(const struct kt_distilled_list *list)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < list->n; i++) {
		sum += list->items[i].count;
	}
	return sum;
}

/*
 * Returns whether the counts of a column add up: visits within each distilled state, visits
 * of each state of the machine over all distilled states, and letters within each edge.
 */
static bool is_conserved(const struct rig *rig, enum kt_state_column which)
{
	const struct kt_distilled_column *column = column_of(rig, which);
	uint64_t of_states[STATES] = {0};
	bool same = true;

	for (size_t i = 0; i < rig->input.n_steps; i++) {
		of_states[rig->transitions[rig->steps[i].transition].to]++;
	}
	for (size_t i = 0; i < column->n_states; i++) {
		const struct kt_distilled_state *s = &column->states[i];
		uint64_t phases = 0;

		for (size_t j = 0; j < s->n_merges; j++) {
			of_states[s->merges[j].state] -= s->merges[j].visits;
		}
		for (int j = 0; j <= KT_API_PHASE_DESTROY; j++) {
			phases += s->by_phase[j];
		}
		for (size_t j = 0; j < column->n_states; j++) {
			const struct kt_distilled_edge *edge =
				kt_distilled_edge(column, i, j);
			bool ends = j + 1 == column->n_states;

			same = same && sum_of(&edge->letters) == (ends ? 0 : edge->count);
		}
		if (i > 0 && i + 1 < column->n_states) {
			same = same && phases == s->visits;
			same = same && sum_of(&s->labels) == s->visits;
			same = same && sum_of(&s->letters) == s->visits;
			same = same && sum_of(&s->calls) == s->visits;
			same = same && sum_of(&s->during) ==
					       (which == KT_COLUMN_SYSTEM ? s->visits : 0);
		}
	}
	for (int i = 0; i < STATES; i++) {
		same = same && of_states[i] == 0;
	}
	return same;
}

static void test_random(void)
{
	struct random random = {.state = 23};
	bool same = true;

	for (int i = 0; i < 3000 && same; i++) {
		struct rig rig;

		draw(&rig, &random);
		same = kt_distil(&rig.distilled, &rig.input) == KT_OK &&
		       is_conserved(&rig, KT_COLUMN_USER) &&
		       is_conserved(&rig, KT_COLUMN_SYSTEM);
		if (!same) {
			printf("words %d: %s\n", i, kt_error_message());
		}
		end(&rig);
	}
	CU_ASSERT(same);
}

static const char expected_text[] =
	"19 letters of 1 word, 1 with a known end; 2 letters are not in the machine\n"
	"\n"
	"User interface: what the driver does for the program\n"
	"\n"
	"begin: 1 visit\n"
	"    on to: query (1)\n";

static void test_written(void)
{
	const char *traces[] = {"a trace"};
	struct kt_distilled_origin origin = {
		.traces = traces, .n_traces = 1, .unplaced = 2, .calls = true};
	struct rig rig;
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	make_program(&rig);
	origin.fsm = &rig.fsm;
	origin.texts = &rig.texts;
	CU_ASSERT_PTR_NOT_NULL_FATAL(out);
	CU_ASSERT_EQUAL_FATAL(kt_distil(&rig.distilled, &rig.input), KT_OK);
	CU_ASSERT_EQUAL(kt_distilled_write_text(out, rig.distilled, &origin), KT_OK);
	fflush(out);
	CU_ASSERT_EQUAL(strncmp(text, expected_text, strlen(expected_text)), 0);
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "user: cuMemcpyHtoD_v2 (2 calls, 6 letters)"));
	rewind(out);
	CU_ASSERT_EQUAL(kt_distilled_write_json(out, rig.distilled, &origin), KT_OK);
	fclose(out);
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "\"format\": \"ktail-distilled/1\""));
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "\"name\": \"DMA\""));
	free(text);
	end(&rig);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"a program", test_program},
		{"ends", test_ends},
		{"borders of words", test_borders},
		{"threads", test_threads},
		{"the system's column", test_system},
		{"random words", test_random},
		{"written", test_written},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("distilled machines", tests);
}
