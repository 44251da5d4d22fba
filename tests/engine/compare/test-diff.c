/* SPDX-License-Identifier: MIT */
/*
 * A difference contains both machines, a machine does not differ from itself, and swapping
 * the machines swaps what was added and what was removed.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/ktail.h>

#include "tests/engine/oracle/random-machines.h"
#include "tests/suite.h"

#define SETS 2000

/*
 * Returns whether the difference has the machine's i-th transition, with its count, between
 * the states that correspond to the transition's states.
 */
static bool has_transition(const kt_diff *diff, const struct kt_fsm *fsm, size_t i,
			   enum kt_compare_version version)
{
	const struct kt_fsm *both = kt_diff_machine(diff);
	const struct kt_fsm_transition *t = &fsm->transitions[i];
	enum kt_presence other =
		version == KT_COMPARE_OLD ? KT_PRESENCE_NEW : KT_PRESENCE_OLD;
	uint32_t from = 0;
	uint32_t to = 0;

	if (kt_diff_state(&from, diff, version, t->from) ||
	    kt_diff_state(&to, diff, version, t->to)) {
		return false;
	}
	for (size_t j = 0; j < both->n_transitions; j++) {
		const struct kt_fsm_transition *u = &both->transitions[j];
		const struct kt_fsm_origin *origin = &both->transition_origins[j];

		if (u->from == from && u->to == to && u->presence != other &&
		    strcmp(both->letters[u->letter], fsm->letters[t->letter]) == 0) {
			return (version == KT_COMPARE_OLD ? origin->in_old
							  : origin->in_new) == t->count;
		}
	}
	return false;
}

static bool has_version(const kt_diff *diff, const struct kt_fsm *fsm,
			enum kt_compare_version version)
{
	const struct kt_fsm *both = kt_diff_machine(diff);
	enum kt_presence other =
		version == KT_COMPARE_OLD ? KT_PRESENCE_NEW : KT_PRESENCE_OLD;
	size_t n_states = 0;
	size_t n_transitions = 0;
	uint32_t start = UINT32_MAX;

	for (size_t i = 0; i < both->n_states; i++) {
		n_states += both->states[i].presence != other;
	}
	for (size_t i = 0; i < both->n_transitions; i++) {
		n_transitions += both->transitions[i].presence != other;
	}
	for (size_t i = 0; i < fsm->n_transitions; i++) {
		if (!has_transition(diff, fsm, i, version)) {
			return false;
		}
	}
	for (uint32_t s = 0; s < fsm->n_states; s++) {
		uint32_t id = 0;

		if (kt_diff_state(&id, diff, version, s) ||
		    (version == KT_COMPARE_OLD ? both->state_origins[id].in_old
					       : both->state_origins[id].in_new) != s) {
			return false;
		}
	}
	return n_states == fsm->n_states && n_transitions == fsm->n_transitions &&
	       kt_diff_state(&start, diff, version, fsm->start) == KT_OK &&
	       start == both->start;
}

static kt_diff *make(const struct kt_fsm *old, const struct kt_fsm *new)
{
	kt_diff *diff = NULL;

	CU_ASSERT_EQUAL_FATAL(kt_diff_new(&diff, old, new, NULL), KT_OK);
	CU_ASSERT_EQUAL(kt_fsm_check_presence(kt_diff_machine(diff)), KT_OK);
	CU_ASSERT_TRUE(has_version(diff, old, KT_COMPARE_OLD));
	CU_ASSERT_TRUE(has_version(diff, new, KT_COMPARE_NEW));
	return diff;
}

static bool is_swapped(const struct kt_diff_counts *a, const struct kt_diff_counts *b)
{
	return a->kept == b->kept && a->added == b->removed && a->removed == b->added;
}

/* Whichever machine is the old one, the same states are matched. */
static void check_swapped(const kt_diff *diff, const struct kt_fsm *old,
			  const struct kt_fsm *new)
{
	kt_diff *swapped = make(new, old);
	const struct kt_diff_summary *a = kt_diff_summary(diff);
	const struct kt_diff_summary *b = kt_diff_summary(swapped);
	const struct kt_fsm *both = kt_diff_machine(diff);

	CU_ASSERT_TRUE(is_swapped(&a->states, &b->states));
	CU_ASSERT_TRUE(is_swapped(&a->transitions, &b->transitions));
	for (size_t i = 0; i < both->n_states; i++) {
		uint32_t id[2] = {0, 0};

		if (both->states[i].presence != KT_PRESENCE_BOTH) {
			continue;
		}
		kt_diff_state(&id[0], swapped, KT_COMPARE_NEW,
			      (uint32_t)both->state_origins[i].in_old);
		kt_diff_state(&id[1], swapped, KT_COMPARE_OLD,
			      (uint32_t)both->state_origins[i].in_new);
		CU_ASSERT_EQUAL(id[0], id[1]);
	}
	kt_diff_free(swapped);
}

static void check_same(const struct kt_fsm *fsm)
{
	kt_diff *diff = make(fsm, fsm);
	const struct kt_diff_summary *summary = kt_diff_summary(diff);
	size_t n = 1;

	CU_ASSERT_TRUE(kt_compare_summary(kt_diff_compare(diff))->equal);
	CU_ASSERT_EQUAL(summary->states.kept, fsm->n_states);
	CU_ASSERT_EQUAL(summary->states.added + summary->states.removed, 0);
	CU_ASSERT_EQUAL(summary->transitions.kept, fsm->n_transitions);
	CU_ASSERT_EQUAL(summary->transitions.added + summary->transitions.removed, 0);
	kt_diff_sequences(&n, diff);
	CU_ASSERT_EQUAL(n, 0);
	kt_diff_free(diff);
}

static void test_random(void)
{
	for (uint64_t seed = 1; seed <= SETS; seed++) {
		struct random random = {.state = seed * 131};
		struct kt_fsm *old = random_machine(&random, seed % 2 ? 5 : 30, 5);
		struct kt_fsm *new = seed % 3 ? edited_machine(&random, old, 3)
					      : random_machine(&random, 20, 5);
		kt_diff *diff = make(old, new);

		check_swapped(diff, old, new);
		check_same(old);
		kt_diff_free(diff);
		kt_fsm_free(old);
		kt_fsm_free(new);
	}
}

/* Returns the number of transitions between reachable states. */
static size_t count_reachable(const struct kt_fsm *fsm)
{
	bool *reached = calloc(fsm->n_states, sizeof(*reached));
	bool changed = true;
	size_t n = 0;

	reached[fsm->start] = true;
	while (changed) {
		changed = false;
		for (size_t i = 0; i < fsm->n_transitions; i++) {
			const struct kt_fsm_transition *t = &fsm->transitions[i];

			if (reached[t->from] && !reached[t->to]) {
				reached[t->to] = true;
				changed = true;
			}
		}
	}
	for (size_t i = 0; i < fsm->n_transitions; i++) {
		n += reached[fsm->transitions[i].from];
	}
	free(reached);
	return n;
}

/* Numbering the states differently removes no reachable transition. */
static void test_renumbered(void)
{
	for (uint64_t seed = 1; seed <= 500; seed++) {
		struct random random = {.state = seed * 17};
		struct kt_fsm *old = random_machine(&random, 40, 4);
		struct kt_fsm *new = edited_machine(&random, old, 0);
		kt_diff *diff = make(old, new);

		CU_ASSERT_TRUE(kt_compare_summary(kt_diff_compare(diff))->equal);
		CU_ASSERT_TRUE(kt_diff_summary(diff)->transitions.kept >=
			       count_reachable(old));
		kt_diff_free(diff);
		kt_fsm_free(old);
		kt_fsm_free(new);
	}
}

/* Returns the machine of the strings (set_of_strings()). */
static struct kt_fsm *infer(const char *const *strings, size_t n, uint64_t k)
{
	struct kt_infer_options options = KT_INFER_OPTIONS_INIT;
	kt_words *words = set_of_strings(strings, n);
	struct kt_fsm *fsm = NULL;

	options.k = k;
	CU_ASSERT_EQUAL_FATAL(kt_infer(&fsm, words, &options), KT_OK);
	kt_words_free(words);
	return fsm;
}

/* If a letter is inserted into a long chain, the transitions after it are kept. */
static void test_insertion(void)
{
	const char *const before[] = {"abcdefghijklmno"};
	const char *const after[] = {"abxcdefghijklmno"};
	struct kt_fsm *old = infer(before, 1, 3);
	struct kt_fsm *new = infer(after, 1, 3);
	kt_diff *diff = make(old, new);
	const struct kt_diff_summary *summary = kt_diff_summary(diff);
	const struct kt_diff_sequence *sequences;
	size_t n;

	CU_ASSERT_EQUAL(summary->states.added, 1);
	CU_ASSERT_EQUAL(summary->states.removed, 0);
	CU_ASSERT_EQUAL(summary->transitions.kept, 14);
	CU_ASSERT_EQUAL(summary->transitions.added, 2);
	CU_ASSERT_EQUAL(summary->transitions.removed, 1);
	sequences = kt_diff_sequences(&n, diff);
	/* Only the old machine can read bc, and only the new one x. */
	CU_ASSERT_EQUAL_FATAL(n, 2);
	CU_ASSERT_EQUAL(sequences[0].version, KT_COMPARE_OLD);
	CU_ASSERT_EQUAL(sequences[0].n, 2);
	CU_ASSERT_EQUAL(sequences[1].version, KT_COMPARE_NEW);
	CU_ASSERT_EQUAL(sequences[1].n, 1);
	kt_diff_free(diff);
	kt_fsm_free(old);
	kt_fsm_free(new);
}

/* A difference that is written as JSON and read again is the same. */
static void test_json(void)
{
	for (uint64_t seed = 1; seed <= 200; seed++) {
		struct random random = {.state = seed * 7};
		struct kt_fsm *old = random_machine(&random, 10, 4);
		struct kt_fsm *new = edited_machine(&random, old, 3);
		kt_diff *diff = make(old, new);
		struct kt_fsm *read = NULL;
		char *text = NULL;
		char *again = NULL;
		size_t size;
		FILE *file = open_memstream(&text, &size);

		CU_ASSERT_EQUAL(kt_diff_write_json(diff, file), KT_OK);
		fclose(file);
		CU_ASSERT_PTR_NOT_NULL(strstr(text, "\"difference\": {"));
		file = fmemopen(text, size, "r");
		CU_ASSERT_EQUAL_FATAL(kt_fsm_read_json(&read, file, "diff"), KT_OK);
		fclose(file);
		file = open_memstream(&again, &size);
		CU_ASSERT_EQUAL(kt_fsm_write_json(read, file), KT_OK);
		fclose(file);
		/* The texts are equal up to the end, where only `text` has "difference". */
		CU_ASSERT_EQUAL(strncmp(text, again, size - 3), 0);
		free(text);
		free(again);
		kt_fsm_free(read);
		kt_diff_free(diff);
		kt_fsm_free(old);
		kt_fsm_free(new);
	}
}

/* --- sequences, found by trying all words --- */

static bool can_read(const struct kt_fsm *fsm, uint32_t state, const char *word)
{
	for (size_t i = 0; *word && i < fsm->n_transitions; i++) {
		const struct kt_fsm_transition *t = &fsm->transitions[i];

		if (t->from == state && fsm->letters[t->letter][0] == *word) {
			return can_read(fsm, t->to, word + 1);
		}
	}
	return *word == '\0';
}

static uint32_t count_readers(const struct kt_fsm *fsm, const char *word)
{
	uint32_t n = 0;

	for (uint32_t s = 0; s < fsm->n_states; s++) {
		n += can_read(fsm, s, word);
	}
	return n;
}

static uint32_t find_sequence(const kt_diff *diff, int version, const char *word)
{
	size_t n;
	const struct kt_diff_sequence *all = kt_diff_sequences(&n, diff);

	for (size_t i = 0; i < n; i++) {
		bool same = (int)all[i].version == version && all[i].n == strlen(word);

		for (uint32_t j = 0; same && j < all[i].n; j++) {
			same = kt_compare_letter(kt_diff_compare(diff),
						 all[i].letters[j])[0] == word[j];
		}
		if (same) {
			return all[i].states;
		}
	}
	return 0;
}

static size_t check_word(const kt_diff *diff, const struct kt_fsm *const *fsm,
			 const char *word)
{
	char shorter[KT_DIFF_SEQUENCE_MAX + 1];
	size_t found = 0;

	snprintf(shorter, sizeof(shorter), "%s", word);
	shorter[strlen(word) - 1] = '\0';
	for (int s = 0; s < 2; s++) {
		uint32_t n = count_readers(fsm[s], word);
		bool expected = n > 0 && count_readers(fsm[1 - s], word) == 0 &&
				count_readers(fsm[1 - s], shorter) > 0 &&
				count_readers(fsm[1 - s], word + 1) > 0;

		CU_ASSERT_EQUAL(find_sequence(diff, s, word), expected ? n : 0);
		found += expected;
	}
	return found;
}

static void test_sequences(void)
{
	for (uint64_t seed = 1; seed <= 100; seed++) {
		struct random random = {.state = seed * 71};
		struct kt_fsm *old = random_machine(&random, 6, 3);
		struct kt_fsm *new = edited_machine(&random, old, 4);
		const struct kt_fsm *fsm[2] = {old, new};
		kt_diff *diff = make(old, new);
		size_t found = 0;
		size_t n;

		for (unsigned i = 1; i < 4 * 4 * 4 * 4; i++) {
			char word[KT_DIFF_SEQUENCE_MAX + 1] = "";
			size_t length = 0;
			unsigned rest = i;

			for (; rest % 4; rest /= 4) {
				word[length++] = (char)('a' - 1 + rest % 4);
			}
			if (rest == 0) {
				found += check_word(diff, fsm, word);
			}
		}
		kt_diff_sequences(&n, diff);
		CU_ASSERT_EQUAL(n, found);
		kt_diff_free(diff);
		kt_fsm_free(old);
		kt_fsm_free(new);
	}
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"random machines", test_random},
		{"states numbered otherwise", test_renumbered},
		{"a letter put in", test_insertion},
		{"as JSON", test_json},
		{"sequences and the slow way", test_sequences},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("differences", tests);
}
