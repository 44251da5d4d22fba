/* SPDX-License-Identifier: MIT */
/*
 * Compares the placement of a trace's letters in a machine with that of a slow reader,
 * which searches all transitions for each letter. Arguments: MACHINE TRACE [fits|misfits].
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "annotate/meaning/placement.h"
#include "tests/suite.h"

static const char *machine;
static const char *folder;
static const char *expected;

static struct kt_fsm *fsm;
static struct kt_placement *placement;

/* --- the slow reader --- */

struct slow_word {
	bool *in; /* the possible states, owned by this */
	size_t n;
	bool stuck;
};

static uint32_t find_transition(uint32_t from, const char *letter)
{
	for (size_t i = 0; i < fsm->n_transitions; i++) {
		const struct kt_fsm_transition *t = &fsm->transitions[i];

		if (t->from == from && strcmp(fsm->letters[t->letter], letter) == 0) {
			return (uint32_t)i;
		}
	}
	return KT_UNPLACED;
}

/* Reads a letter; returns its transition if only one state was possible. */
static uint32_t slow_step(struct slow_word *word, const char *letter)
{
	bool *next = calloc(fsm->n_states, sizeof(*next));
	uint32_t placed = KT_UNPLACED;
	size_t n = 0;

	for (uint32_t s = 0; s < fsm->n_states && !word->stuck; s++) {
		uint32_t t = word->in[s] ? find_transition(s, letter) : KT_UNPLACED;

		if (t != KT_UNPLACED) {
			n += !next[fsm->transitions[t].to];
			next[fsm->transitions[t].to] = true;
			placed = word->n == 1 ? t : KT_UNPLACED;
		}
	}
	word->stuck = n == 0;
	free(word->in);
	word->in = next;
	word->n = n;
	return placed;
}

static void slow_begin(struct slow_word *word, bool cut)
{
	*word = (struct slow_word){.in = calloc(fsm->n_states, sizeof(bool)),
				   .n = cut ? fsm->n_states : 1};
	for (size_t s = 0; s < fsm->n_states; s++) {
		word->in[s] = cut || s == fsm->start;
	}
}

/* --- comparison --- */

static const struct kt_placed *find(uint64_t instance, uint64_t seq, size_t word,
				    uint64_t position)
{
	size_t n;
	const struct kt_placed *placed = kt_placement_find(placement, instance, seq, &n);

	for (size_t i = 0; i < n; i++) {
		if (placed[i].word == word && placed[i].position == position) {
			return &placed[i];
		}
	}
	return NULL;
}

static size_t compare_word(const kt_trace *trace, size_t i, size_t *misfits)
{
	const struct kt_placed_word *info = kt_placement_word(placement, i);
	struct kt_trace_letter letter;
	struct kt_word_info known;
	struct slow_word word;
	int64_t before = 0;
	uint64_t fitting = 0;
	uint64_t placed = 0;
	size_t wrong = 0;
	uint64_t n;

	CU_ASSERT_EQUAL(kt_trace_word(trace, i, &known, &n), KT_OK);
	CU_ASSERT_STRING_EQUAL(known.name, info->name);
	slow_begin(&word, known.cut_begin);
	for (uint64_t j = 0; j < n; j++) {
		const struct kt_placed *p;
		uint32_t transition;

		CU_ASSERT_EQUAL(kt_trace_letter(trace, i, j, &letter), KT_OK);
		transition = slow_step(&word, letter.name);
		fitting += !word.stuck;
		placed += transition != KT_UNPLACED;
		p = find(kt_trace_word_instance(trace, i), letter.seq, i, j);
		wrong += !p || p->transition != transition;
		wrong += p && p->letter != KT_UNPLACED &&
			 strcmp(fsm->letters[p->letter], letter.name) != 0;
		wrong += p &&
			 p->gap != (j > 0 ? (uint64_t)(letter.time - before) : UINT64_MAX);
		before = letter.time;
	}
	wrong += info->letters != n || info->fitting != fitting || info->placed != placed;
	*misfits += fitting < n;
	free(word.in);
	return wrong;
}

static kt_trace *open_trace(kt_alphabet **alphabet)
{
	struct kt_trace_options options = {.source = KT_SOURCE_USER};
	kt_trace *trace;

	CU_ASSERT_EQUAL_FATAL(kt_alphabet_from_json(alphabet, fsm->alphabet_json, "m.json"),
			      KT_OK);
	CU_ASSERT_EQUAL_FATAL(kt_word_unit_of(fsm->word, &options.word), KT_OK);
	options.alphabet = *alphabet;
	CU_ASSERT_EQUAL_FATAL(kt_trace_open(&trace, folder, &options), KT_OK);
	return trace;
}

static void test_all(void)
{
	kt_alphabet *alphabet;
	kt_trace *trace = open_trace(&alphabet);
	size_t wrong = 0;
	size_t misfits = 0;
	uint64_t placed = 0;
	size_t n;

	CU_ASSERT_EQUAL_FATAL(kt_placement_words(placement), kt_trace_words(trace));
	for (size_t i = 0; i < kt_trace_words(trace); i++) {
		wrong += compare_word(trace, i, &misfits);
		placed += kt_placement_word(placement, i)->placed;
	}
	CU_ASSERT_EQUAL(wrong, 0);
	kt_placement_letters(placement, &n);
	CU_ASSERT_EQUAL(kt_placement_unplaced(placement), n - placed);
	if (expected) {
		CU_ASSERT_EQUAL(misfits > 0, strcmp(expected, "misfits") == 0);
	}
	kt_trace_free(trace);
	kt_alphabet_free(alphabet);
}

static void test_order(void)
{
	const struct kt_placed *letters;
	size_t wrong = 0;
	size_t n;
	size_t found;

	letters = kt_placement_letters(placement, &n);
	for (size_t i = 1; i < n; i++) {
		const struct kt_placed *a = &letters[i - 1];
		const struct kt_placed *b = &letters[i];

		wrong += a->instance > b->instance ||
			 (a->instance == b->instance && a->seq > b->seq);
	}
	CU_ASSERT_EQUAL(wrong, 0);
	CU_ASSERT_PTR_NULL(kt_placement_find(placement, UINT64_MAX, 0, &found));
	CU_ASSERT_EQUAL(found, 0);
	CU_ASSERT_PTR_NULL(kt_placement_word(placement, kt_placement_words(placement)));
}

/* A machine without alphabet or with an unknown unit of words, and a missing trace. */
static void test_refused(void)
{
	struct kt_placement *none;
	char *alphabet = fsm->alphabet_json;
	char *word = fsm->word;
	char unknown[] = "unknown";

	fsm->alphabet_json = NULL;
	CU_ASSERT_EQUAL(kt_placement_make(&none, fsm, "machine", folder, NULL,
					  KT_SOURCE_USER, NULL),
			KT_E_USAGE);
	CU_ASSERT_PTR_NULL(none);
	fsm->alphabet_json = alphabet;
	fsm->word = unknown;
	CU_ASSERT_EQUAL(kt_placement_make(&none, fsm, "machine", folder, NULL,
					  KT_SOURCE_USER, NULL),
			KT_E_USAGE);
	fsm->word = word;
	CU_ASSERT_EQUAL(kt_placement_make(&none, fsm, "machine", "/nonexistent", NULL,
					  KT_SOURCE_USER, NULL),
			KT_E_IO);
}

static int make(void)
{
	FILE *in = fopen(machine, "r");
	int code = in ? kt_fsm_read_json(&fsm, in, machine)
		      : kt_error_errno(KT_E_IO, "open %s", machine);

	if (in) {
		fclose(in);
	}
	return code ? code
		    : kt_placement_make(&placement, fsm, "machine", folder, NULL,
					KT_SOURCE_USER, NULL);
}

int main(int argc, char **argv)
{
	CU_TestInfo tests[] = {
		{"every letter, against the slow reader", test_all},
		{"order", test_order},
		{"machines of no trace", test_refused},
		CU_TEST_INFO_NULL,
	};
	int failed;

	if (argc < 3) {
		return 2;
	}
	machine = argv[1];
	folder = argv[2];
	expected = argv[3];
	if (make()) {
		fprintf(stderr, "%s\n", kt_error_message());
		return 1;
	}
	failed = kt_run_suite("placement", tests);
	kt_placement_free(placement);
	kt_fsm_free(fsm);
	return failed;
}
