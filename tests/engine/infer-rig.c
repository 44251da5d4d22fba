/* SPDX-License-Identifier: MIT */
#include "infer-rig.h"

#include <stdio.h>

#include "tests/engine/oracle/random-sets.h"
#include "tests/engine/oracle/reference.h"
#include "tests/suite.h"

struct kt_fsm *rig_infer(const kt_words *words, enum kt_machine machine, uint64_t k)
{
	struct kt_infer_options options = KT_INFER_OPTIONS_INIT;
	struct kt_fsm *fsm = NULL;

	options.k = k;
	options.machine = machine;
	CU_ASSERT_EQUAL_FATAL(kt_infer(&fsm, words, &options), KT_OK);
	return fsm;
}

static void check_against_reference(const struct kt_fsm *fsm, const kt_words *words,
				    enum kt_machine machine)
{
	struct reference *reference = reference_new_from(words, machine);
	char text[200];

	CU_ASSERT_TRUE(
		same_machine(fsm, reference_infer(reference, fsm->k), text, sizeof(text)));
	CU_ASSERT_TRUE(reference_agrees_with_strings(reference));
	reference_free(reference);
}

struct kt_fsm *rig_infer_strings(enum kt_machine machine, uint64_t k, size_t n,
				 const char *const *strings)
{
	kt_words *words = set_of_strings(strings, n);
	struct kt_fsm *fsm = rig_infer(words, machine, k);

	check_against_reference(fsm, words, machine);
	kt_words_free(words);
	return fsm;
}

void rig_check_rows(const struct rig_row *rows, size_t n, enum kt_machine machine)
{
	for (size_t i = 0; i < n; i++) {
		const struct rig_row *row = &rows[i];
		struct kt_fsm *fsm = rig_infer_strings(machine, row->k, row->n, row->words);

		CU_ASSERT_EQUAL(fsm->n_states, row->states);
		CU_ASSERT_EQUAL(fsm->n_transitions, row->transitions);
		if (fsm->n_states != row->states ||
		    fsm->n_transitions != row->transitions) {
			fprintf(stderr, "row %zu: %zu states, %zu transitions\n", i,
				fsm->n_states, fsm->n_transitions);
		}
		kt_fsm_free(fsm);
	}
}

void rig_check_transition(const struct kt_fsm *fsm, size_t i, uint32_t from,
			  const char *letter, uint32_t to, uint64_t count)
{
	const struct kt_fsm_transition *t = &fsm->transitions[i];

	CU_ASSERT_EQUAL(t->from, from);
	CU_ASSERT_STRING_EQUAL(fsm->letters[t->letter], letter);
	CU_ASSERT_EQUAL(t->to, to);
	CU_ASSERT_EQUAL(t->count, count);
}

void rig_append_number(kt_words *words, uint32_t number)
{
	char name[16];
	uint32_t letter;
	int length = snprintf(name, sizeof(name), "%03u", number);

	CU_ASSERT_EQUAL_FATAL(kt_words_letter(&letter, words, name, (size_t)length), KT_OK);
	CU_ASSERT_EQUAL_FATAL(kt_words_append(words, &letter, 1), KT_OK);
}
