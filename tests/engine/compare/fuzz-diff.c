/* SPDX-License-Identifier: MIT */
/*
 * Reads two machines from the input, two bytes per transition. The comparison must agree
 * with the slow oracle, the difference must pass kt_fsm_check_presence(), and reducing a
 * reduced machine must not change its language.
 */
#include <stdlib.h>
#include <string.h>

#include <ktail/ktail.h>

#include "tests/engine/oracle/compare-oracle.h"

#define STATES  8
#define LETTERS 4

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool good)
{
	if (!good) {
		abort();
	}
}

static struct kt_fsm *empty_machine(void)
{
	struct kt_fsm *fsm;

	must(kt_fsm_new(&fsm) == KT_OK);
	fsm->machine = strdup("chains");
	fsm->word = strdup("process");
	fsm->letters = calloc(LETTERS, sizeof(*fsm->letters));
	fsm->states = calloc(STATES, sizeof(*fsm->states));
	fsm->transitions = calloc((size_t)STATES * LETTERS, sizeof(*fsm->transitions));
	must(fsm->machine && fsm->word && fsm->letters && fsm->states && fsm->transitions);
	for (size_t i = 0; i < LETTERS; i++) {
		const char name[2] = {(char)('a' + i), '\0'};

		fsm->letters[i] = strdup(name);
		must(fsm->letters[i] != NULL);
	}
	fsm->n_letters = LETTERS;
	fsm->n_states = STATES;
	return fsm;
}

/* If several pairs of bytes name the same state and letter, the last pair counts. */
static struct kt_fsm *make_machine(const uint8_t *data, size_t size)
{
	uint32_t targets[STATES * LETTERS];
	struct kt_fsm *fsm = empty_machine();

	memset(targets, 0xff, sizeof(targets));
	for (size_t i = 0; i + 1 < size; i += 2) {
		targets[data[i] % (STATES * LETTERS)] = data[i + 1] % STATES;
	}
	for (uint32_t i = 0; i < STATES * LETTERS; i++) {
		if (targets[i] != UINT32_MAX) {
			fsm->transitions[fsm->n_transitions++] =
				(struct kt_fsm_transition){.from = i / LETTERS,
							   .letter = i % LETTERS,
							   .to = targets[i]};
		}
	}
	return fsm;
}

static void check_ways(const kt_compare *compare, const struct oracle *oracle)
{
	const struct kt_compare_summary *summary = kt_compare_summary(compare);

	must(summary->equal == oracle->equal);
	must(summary->n_ways[0] + summary->n_ways[1] == oracle->n_ways);
	for (size_t i = 0; i < oracle->n_ways; i++) {
		struct kt_compare_way way;
		uint32_t letters[STATES * STATES + 1];

		must(kt_compare_way(&way, compare, i) == KT_OK);
		must((int)way.version == oracle->ways[i].version &&
		     way.transition == oracle->ways[i].transition &&
		     way.length == strlen(oracle->ways[i].word));
		must(kt_compare_word(letters, compare, i) == KT_OK);
		for (uint64_t j = 0; j < way.length; j++) {
			must(kt_compare_letter(compare, letters[j])[0] ==
			     oracle->ways[i].word[j]);
		}
	}
}

static void check_reduced(const struct kt_fsm *fsm, bool omit)
{
	static const char *const letters[] = {"a", "b"};
	const struct kt_reduction reduction = {letters, 2, omit};
	struct kt_fsm *reduced = NULL;
	struct kt_fsm *again = NULL;
	bool cut = false;
	bool same = false;

	must(kt_reduce_machine(&reduced, &cut, fsm, &reduction, 10000, NULL) == KT_OK &&
	     !cut);
	must(kt_reduce_machine(&again, &cut, reduced, &reduction, 10000, NULL) == KT_OK &&
	     !cut);
	must(kt_compare_equal(&same, reduced, again) == KT_OK && same);
	kt_fsm_free(reduced);
	kt_fsm_free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kt_fsm *old = make_machine(data, size / 2);
	struct kt_fsm *new = make_machine(data + size / 2, size - size / 2);
	struct oracle oracle = compare_slowly(old, new);
	kt_diff *diff = NULL;

	must(kt_diff_new(&diff, old, new, NULL) == KT_OK);
	check_ways(kt_diff_compare(diff), &oracle);
	must(kt_fsm_check_presence(kt_diff_machine(diff)) == KT_OK);
	check_reduced(old, false);
	check_reduced(new, true);
	kt_diff_free(diff);
	oracle_clear(&oracle);
	kt_fsm_free(old);
	kt_fsm_free(new);
	return 0;
}
