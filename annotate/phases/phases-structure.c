/* SPDX-License-Identifier: MIT */
#include "annotate/phases/phases-structure.h"

#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/try.h"
#include "infer/graph/components.h"
#include "infer/graph/dominators.h"
#include "infer/graph/walk.h"

/*
 * A transition belongs to the work only if its count is at least 1/SHARE of the largest
 * number of doorbells in a component.
 */
#define SHARE 10

/*
 * Sets of states, indexed by state. A path is outside the work if it visits no state of
 * the work.
 */
struct sets {
	bool *work;
	bool *doorbell_before; /* reached from a doorbell by a path outside the work */
	bool *ringing;         /* leads to a doorbell by a path outside the work */
	bool *before;          /* reached from the start by a path outside the work */
	/*
	 * Leads, by a path outside the work, to an end or to a state from which the work
	 * cannot be reached.
	 */
	bool *after;
	bool *leading; /* in the work, or leads to it */
};

bool kt_letter_is_doorbell(const char *letter)
{
	return strcmp(letter, "W:reg") == 0 || strncmp(letter, "submit:", 7) == 0;
}

static bool rings(const struct kt_fsm *fsm, const struct kt_fsm_transition *t)
{
	return kt_letter_is_doorbell(fsm->letters[t->letter]);
}

/* Sets work[i] for each state i in a component of `busy` that contains a doorbell. */
static int mark_ringing(bool *work, const struct kt_fsm *busy)
{
	struct kt_components components;
	bool *holds = NULL;
	int code;

	KT_TRY_END(kt_components_find(&components, busy));
	holds = calloc(components.n + 1, sizeof(*holds));
	if (!holds) {
		code = kt_no_memory("find phases");
		goto end;
	}
	for (size_t i = 0; i < busy->n_transitions; i++) {
		const struct kt_fsm_transition *t = &busy->transitions[i];

		if (rings(busy, t) && components.of[t->from] == components.of[t->to]) {
			holds[components.of[t->from]] = true;
		}
	}
	for (size_t i = 0; i < busy->n_states; i++) {
		work[i] = holds[components.of[i]];
	}
end:
	free(holds);
	kt_components_clear(&components);
	return code;
}

/*
 * Finds the work: drops rare transitions, and sets work[i] for each state i in a
 * remaining component with a doorbell. Sets out->repeats to whether any of `components`
 * has a doorbell, and out->threshold to the least count of the transitions that were
 * kept.
 */
static int find_in_components(bool *work, struct kt_structure *out,
			      const struct kt_fsm *fsm,
			      const struct kt_components *components)
{
	uint64_t *counts = calloc(components->n + 1, sizeof(*counts));
	struct kt_fsm busy = *fsm;
	uint64_t most = 0;
	int code;

	if (!counts) {
		return kt_no_memory("find phases");
	}
	/* Find the largest number of doorbells in a component. */
	for (size_t i = 0; i < fsm->n_transitions; i++) {
		const struct kt_fsm_transition *t = &fsm->transitions[i];
		uint32_t component = components->of[t->from];

		if (rings(fsm, t) && component == components->of[t->to]) {
			counts[component] += t->count;
			most = counts[component] > most ? counts[component] : most;
			out->repeats = true;
		}
	}
	free(counts);
	if (!out->repeats) {
		return KT_OK;
	}
	out->threshold = most / SHARE + (most % SHARE > 0);
	busy.n_transitions = 0;
	busy.transitions = malloc((fsm->n_transitions + 1) * sizeof(*busy.transitions));
	if (!busy.transitions) {
		return kt_no_memory("find phases");
	}
	for (size_t i = 0; i < fsm->n_transitions; i++) {
		const struct kt_fsm_transition *t = &fsm->transitions[i];

		if (t->count >= out->threshold &&
		    components->of[t->from] == components->of[t->to]) {
			busy.transitions[busy.n_transitions++] = *t;
		}
	}
	code = mark_ringing(work, &busy);
	free(busy.transitions);
	return code;
}

/*
 * Adds the targets of doorbells to `set` (KT_REACH_ON), or their sources (KT_REACH_BACK),
 * except states in `avoided`, which may be NULL.
 */
static void seed_doorbells(bool *set, const struct kt_fsm *fsm, enum kt_reach_way way,
			   const bool *avoided)
{
	for (size_t i = 0; i < fsm->n_transitions; i++) {
		const struct kt_fsm_transition *t = &fsm->transitions[i];
		uint32_t state = way == KT_REACH_ON ? t->to : t->from;

		if (rings(fsm, t) && !(avoided && avoided[state])) {
			set[state] = true;
		}
	}
}

static int reach_doorbells(struct sets *sets, const struct kt_fsm *fsm, const bool *avoided)
{
	memset(sets->doorbell_before, 0, fsm->n_states);
	memset(sets->ringing, 0, fsm->n_states);
	seed_doorbells(sets->doorbell_before, fsm, KT_REACH_ON, avoided);
	seed_doorbells(sets->ringing, fsm, KT_REACH_BACK, avoided);
	KT_TRY(kt_reach(sets->doorbell_before, fsm, KT_REACH_ON, avoided));
	return kt_reach(sets->ringing, fsm, KT_REACH_BACK, avoided);
}

static int find_work(struct sets *sets, struct kt_structure *out, const struct kt_fsm *fsm)
{
	struct kt_components components;
	size_t n = fsm->n_states;
	int code = kt_components_find(&components, fsm);

	if (!code) {
		code = find_in_components(sets->work, out, fsm, &components);
	}
	kt_components_clear(&components);
	KT_TRY(code);
	/*
	 * If every cycle with a doorbell had a transition that was dropped as rare, no
	 * work was found.
	 */
	out->repeats = out->repeats && n > 0 && memchr(sets->work, true, n);
	if (out->repeats) {
		return KT_OK;
	}
	out->threshold = 0;
	KT_TRY(reach_doorbells(sets, fsm, NULL));
	for (size_t i = 0; i < n; i++) {
		sets->work[i] = sets->doorbell_before[i] && sets->ringing[i];
	}
	return KT_OK;
}

static enum kt_api_phase judge(const struct sets *sets, size_t state)
{
	if (sets->work[state]) {
		return KT_API_PHASE_USE;
	}
	if (sets->before[state] && sets->leading[state]) {
		return sets->doorbell_before[state] ? KT_API_PHASE_INIT
						    : KT_API_PHASE_CREATE;
	}
	if (sets->before[state]) {
		/*
		 * The state is on no path to the work, as in a machine whose words have
		 * one doorbell each.
		 */
		return sets->doorbell_before[state] ? KT_API_PHASE_DESTROY
		       : sets->ringing[state]       ? KT_API_PHASE_CREATE
						    : KT_API_PHASE_NONE;
	}
	if (sets->after[state] && !sets->ringing[state]) {
		return KT_API_PHASE_DESTROY;
	}
	if (sets->after[state] || sets->doorbell_before[state] || sets->ringing[state]) {
		return KT_API_PHASE_USE;
	}
	return KT_API_PHASE_INIT;
}

/*
 * Finds the last state that is on all paths from the start to the work, and the first
 * that is on all paths from the work to an end.
 */
static int find_gates(struct kt_structure *out, const struct kt_fsm *fsm, const bool *work)
{
	uint32_t *states = malloc((fsm->n_states + 1) * sizeof(*states));
	struct kt_dominators dominators = {0};
	size_t n = 0;
	int code;

	if (!states) {
		return kt_no_memory("find phases");
	}
	for (size_t i = 0; i < fsm->n_states; i++) {
		if (work[i]) {
			states[n++] = (uint32_t)i;
		}
	}
	KT_TRY_END(kt_dominators_find(&dominators, fsm));
	code = kt_dominators_common(&out->gate, &dominators, states, n);
	kt_dominators_clear(&dominators);
	if (code) {
		goto end;
	}
	KT_TRY_END(kt_post_dominators_find(&dominators, fsm));
	code = kt_dominators_common(&out->exit, &dominators, states, n);
	kt_dominators_clear(&dominators);
end:
	free(states);
	return code;
}

int kt_structure_find(struct kt_structure *out, const struct kt_fsm *fsm)
{
	size_t n = fsm->n_states + 1;
	bool *all = NULL;
	struct sets sets;
	bool any = false;
	int code;

	*out = (struct kt_structure){.gate = KT_NO_STATE, .exit = KT_NO_STATE};
	for (size_t i = 0; i < fsm->n_transitions && !any; i++) {
		any = rings(fsm, &fsm->transitions[i]);
	}
	if (!any) {
		return kt_error(KT_E_EMPTY,
				"find phases: no letter of this machine is a doorbell "
				"(W:reg, submit:...)");
	}
	all = calloc(6 * n, sizeof(*all));
	out->states = calloc(n, sizeof(*out->states));
	out->transitions = calloc(fsm->n_transitions + 1, sizeof(*out->transitions));
	if (!all || !out->states || !out->transitions) {
		code = kt_no_memory("find phases");
		goto end;
	}
	sets = (struct sets){.work = all,
			     .doorbell_before = all + n,
			     .ringing = all + 2 * n,
			     .before = all + 3 * n,
			     .after = all + 4 * n,
			     .leading = all + 5 * n};
	KT_TRY_END(find_work(&sets, out, fsm));
	KT_TRY_END(reach_doorbells(&sets, fsm, sets.work));
	memcpy(sets.leading, sets.work, fsm->n_states);
	KT_TRY_END(kt_reach(sets.leading, fsm, KT_REACH_BACK, NULL));
	sets.before[fsm->start] = !sets.work[fsm->start];
	KT_TRY_END(kt_reach(sets.before, fsm, KT_REACH_ON, sets.work));
	for (size_t i = 0; i < fsm->n_states; i++) {
		sets.after[i] =
			(fsm->states[i].ends > 0 || !sets.leading[i]) && !sets.work[i];
	}
	KT_TRY_END(kt_reach(sets.after, fsm, KT_REACH_BACK, sets.work));
	for (size_t i = 0; i < fsm->n_states; i++) {
		out->states[i] = judge(&sets, i);
		out->work_states += sets.work[i];
	}
	for (size_t i = 0; i < fsm->n_transitions; i++) {
		const struct kt_fsm_transition *t = &fsm->transitions[i];
		enum kt_api_phase phase = out->states[t->to];

		out->transitions[i] = phase == KT_API_PHASE_DESTROY && rings(fsm, t)
					      ? KT_API_PHASE_USE
					      : phase;
		out->doorbells += rings(fsm, t) ? t->count : 0;
	}
	code = find_gates(out, fsm, sets.work);
end:
	free(all);
	if (code) {
		kt_structure_clear(out);
	}
	return code;
}

void kt_structure_clear(struct kt_structure *structure)
{
	free(structure->states);
	free(structure->transitions);
	*structure = (struct kt_structure){.gate = KT_NO_STATE, .exit = KT_NO_STATE};
}
