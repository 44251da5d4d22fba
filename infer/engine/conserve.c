/* SPDX-License-Identifier: MIT */
#include "infer/engine/conserve.h"

#include <inttypes.h>
#include <stdlib.h>

#include <ktail/status.h>

#include "base/try.h"
#include "infer/engine/word-set.h"

static int broken(const char *what, uint64_t have, uint64_t want)
{
	return kt_error(KT_E_INTERNAL,
			"check machine: %s are %" PRIu64 " where %" PRIu64
			" were expected; this is a bug in ktail",
			what, have, want);
}

/*
 * `passed` holds how often words enter each state, or how often they leave it: either must
 * equal the state's visits.
 */
static int check_passed(const struct kt_fsm *fsm, const uint64_t *passed, const char *what)
{
	for (size_t i = 0; i < fsm->n_states; i++) {
		if (passed[i] != fsm->states[i].visits) {
			return broken(what, passed[i], fsm->states[i].visits);
		}
	}
	return KT_OK;
}

int kt_conserve_check_sums(const struct kt_fsm *fsm, uint64_t letters, uint64_t known)
{
	uint64_t counts = 0;
	uint64_t visits = 0;
	uint64_t ends = 0;
	uint64_t *passed;
	int code;

	for (size_t i = 0; i < fsm->n_transitions; i++) {
		counts += fsm->transitions[i].count;
	}
	for (size_t i = 0; i < fsm->n_states; i++) {
		visits += fsm->states[i].visits;
		ends += fsm->states[i].ends;
	}
	if (counts != letters) {
		return broken("counts", counts, letters);
	}
	if (visits != letters + fsm->n_words) {
		return broken("visits", visits, letters + fsm->n_words);
	}
	if (ends != known) {
		return broken("ends", ends, known);
	}
	for (size_t i = 1; i < fsm->n_transitions; i++) {
		const struct kt_fsm_transition *t = &fsm->transitions[i];

		if (t[-1].from > t->from ||
		    (t[-1].from == t->from && t[-1].letter >= t->letter)) {
			return broken("transitions in order", i, fsm->n_transitions);
		}
	}

	passed = calloc(fsm->n_states + 1, sizeof(*passed));
	if (!passed) {
		return kt_no_memory("check machine");
	}
	for (size_t i = 0; i < fsm->n_transitions; i++) {
		passed[fsm->transitions[i].to] += fsm->transitions[i].count;
	}
	for (size_t i = 0; i < fsm->n_words; i++) {
		passed[fsm->words[i].entry]++;
	}
	KT_TRY_END(check_passed(fsm, passed, "entries of a state"));
	for (size_t i = 0; i < fsm->n_states; i++) {
		passed[i] = 0;
	}
	for (size_t i = 0; i < fsm->n_transitions; i++) {
		passed[fsm->transitions[i].from] += fsm->transitions[i].count;
	}
	for (size_t i = 0; i < fsm->n_words; i++) {
		passed[fsm->words[i].exit]++;
	}
	code = check_passed(fsm, passed, "exits of a state");
end:
	free(passed);
	return code;
}

int kt_conserve_check(const struct kt_fsm *fsm, const kt_words *words)
{
	uint64_t known = 0;

	for (size_t i = 0; i < words->n_words; i++) {
		known += !words->words[i].cut_end;
	}
	if (fsm->n_words != words->n_words) {
		return broken("words", fsm->n_words, words->n_words);
	}
	return kt_conserve_check_sums(fsm, words->total, known);
}
