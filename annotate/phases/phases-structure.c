/* SPDX-License-Identifier: MIT */
#include "annotate/phases/phases-structure.h"

#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "infer/graph/components.h"
#include "infer/graph/dominators.h"
#include "infer/graph/reach.h"

/* The work is taken at least so often as its doorbells ring, divided by this. */
#define SHARE 10

/* Sets of states. */
struct sets {
	bool *work;
	bool *rung;    /* behind a doorbell, without the work since */
	bool *ringing; /* a doorbell may come, without the work before */
	bool *before;  /* from the start, without the work */
	bool *after;   /* to an end, or for ever, without the work */
	bool *leading; /* to the work */
};

bool kt_letter_is_doorbell(const char *letter)
{
	return strcmp(letter, "W:reg") == 0 || strncmp(letter, "submit:", 7) == 0;
}

static int no_memory(void)
{
	return kt_error(KT_E_MEMORY, "find phases: out of memory");
}

static bool rings(const struct kt_fsm *fsm, const struct kt_fsm_transition *t)
{
	return kt_letter_is_doorbell(fsm->letters[t->letter]);
}

/* How often the doorbells ring in the component where they ring most; any: there is one. */
static int count_most(uint64_t *most, bool *any, const struct kt_fsm *fsm,
		      const struct kt_components *components)
{
	uint64_t *counts = calloc(components->n + 1, sizeof(*counts));

	if (!counts) {
		return no_memory();
	}
	for (size_t i = 0; i < fsm->n_transitions; i++) {
		const struct kt_fsm_transition *t = &fsm->transitions[i];
		uint32_t component = components->of[t->from];

		if (rings(fsm, t) && component == components->of[t->to]) {
			counts[component] += t->count;
			*most = counts[component] > *most ? counts[component] : *most;
			*any = true;
		}
	}
	free(counts);
	return KT_OK;
}

/* The states of components of `busy` that a doorbell of it is within. */
static int mark_ringing(bool *work, const struct kt_fsm *busy)
{
	struct kt_components components;
	int code = kt_components_find(&components, busy);
	bool *holds = code ? NULL : calloc(components.n + 1, sizeof(*holds));

	if (!code && !holds) {
		code = no_memory();
	}
	for (size_t i = 0; !code && i < busy->n_transitions; i++) {
		const struct kt_fsm_transition *t = &busy->transitions[i];

		if (rings(busy, t) && components.of[t->from] == components.of[t->to]) {
			holds[components.of[t->from]] = true;
		}
	}
	for (size_t i = 0; !code && i < busy->n_states; i++) {
		work[i] = holds[components.of[i]];
	}
	free(holds);
	kt_components_clear(&components);
	return code;
}

/* The work among the transitions within components that are taken often enough. */
static int find_in_components(bool *work, struct kt_structure *out,
			      const struct kt_fsm *fsm,
			      const struct kt_components *components)
{
	struct kt_fsm busy = *fsm;
	uint64_t most = 0;
	int code = count_most(&most, &out->repeats, fsm, components);

	if (code || !out->repeats) {
		return code;
	}
	out->threshold = most / SHARE + (most % SHARE > 0);
	busy.n_transitions = 0;
	busy.transitions = malloc((fsm->n_transitions + 1) * sizeof(*busy.transitions));
	if (!busy.transitions) {
		return no_memory();
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

static bool any_of(const bool *set, size_t n)
{
	return n > 0 && memchr(set, true, n) != NULL;
}

/* Starts a set: the states that doorbells lead to, or that they leave. */
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
	int code;

	memset(sets->rung, 0, fsm->n_states);
	memset(sets->ringing, 0, fsm->n_states);
	seed_doorbells(sets->rung, fsm, KT_REACH_ON, avoided);
	seed_doorbells(sets->ringing, fsm, KT_REACH_BACK, avoided);
	code = kt_reach(sets->rung, fsm, KT_REACH_ON, avoided);
	return code ? code : kt_reach(sets->ringing, fsm, KT_REACH_BACK, avoided);
}

static int find_work(struct sets *sets, struct kt_structure *out, const struct kt_fsm *fsm)
{
	struct kt_components components;
	int code = kt_components_find(&components, fsm);

	code = code ? code : find_in_components(sets->work, out, fsm, &components);
	kt_components_clear(&components);
	/* Doorbells may go round through a transition that is taken too seldom. */
	out->repeats = !code && out->repeats && any_of(sets->work, fsm->n_states);
	if (code || out->repeats) {
		return code;
	}
	out->threshold = 0;
	code = reach_doorbells(sets, fsm, NULL);
	for (size_t i = 0; i < fsm->n_states && !code; i++) {
		sets->work[i] = sets->rung[i] && sets->ringing[i];
	}
	return code;
}

static int find_surroundings(struct sets *sets, const struct kt_fsm *fsm)
{
	int code = reach_doorbells(sets, fsm, sets->work);

	memcpy(sets->leading, sets->work, fsm->n_states);
	code = code ? code : kt_reach(sets->leading, fsm, KT_REACH_BACK, NULL);
	sets->before[fsm->start] = !sets->work[fsm->start];
	code = code ? code : kt_reach(sets->before, fsm, KT_REACH_ON, sets->work);
	for (size_t i = 0; i < fsm->n_states && !code; i++) {
		sets->after[i] =
			(fsm->states[i].ends > 0 || !sets->leading[i]) && !sets->work[i];
	}
	return code ? code : kt_reach(sets->after, fsm, KT_REACH_BACK, sets->work);
}

static enum kt_api_phase judge(const struct sets *sets, size_t state)
{
	if (sets->work[state]) {
		return KT_API_PHASE_USE;
	}
	if (sets->before[state] && sets->leading[state]) {
		return sets->rung[state] ? KT_API_PHASE_INIT : KT_API_PHASE_CREATE;
	}
	if (sets->before[state]) {
		/* A doorbell without any work: a machine of words that ring once. */
		return sets->rung[state]      ? KT_API_PHASE_DESTROY
		       : sets->ringing[state] ? KT_API_PHASE_CREATE
					      : KT_API_PHASE_NONE;
	}
	if (sets->after[state] && !sets->ringing[state]) {
		return KT_API_PHASE_DESTROY;
	}
	if (sets->after[state] || sets->rung[state] || sets->ringing[state]) {
		return KT_API_PHASE_USE;
	}
	return KT_API_PHASE_INIT;
}

static void judge_all(struct kt_structure *out, const struct kt_fsm *fsm,
		      const struct sets *sets)
{
	for (size_t i = 0; i < fsm->n_states; i++) {
		out->states[i] = judge(sets, i);
		out->work_states += sets->work[i];
	}
	for (size_t i = 0; i < fsm->n_transitions; i++) {
		const struct kt_fsm_transition *t = &fsm->transitions[i];
		enum kt_api_phase phase = out->states[t->to];

		out->transitions[i] = phase == KT_API_PHASE_DESTROY && rings(fsm, t)
					      ? KT_API_PHASE_USE
					      : phase;
		out->doorbells += rings(fsm, t) ? t->count : 0;
	}
}

/* The state that all ways to the work pass, and that all ways from it to an end do. */
static int find_gates(struct kt_structure *out, const struct kt_fsm *fsm, const bool *work)
{
	uint32_t *states = malloc((fsm->n_states + 1) * sizeof(*states));
	struct kt_dominators dominators = {0};
	size_t n = 0;
	int code = states ? KT_OK : no_memory();

	for (size_t i = 0; i < fsm->n_states && !code; i++) {
		if (work[i]) {
			states[n++] = (uint32_t)i;
		}
	}
	code = code ? code : kt_dominators_find(&dominators, fsm);
	if (!code) {
		code = kt_dominators_common(&out->gate, &dominators, states, n);
		kt_dominators_clear(&dominators);
	}
	code = code ? code : kt_post_dominators_find(&dominators, fsm);
	if (!code) {
		code = kt_dominators_common(&out->exit, &dominators, states, n);
		kt_dominators_clear(&dominators);
	}
	free(states);
	return code;
}

static int find(struct kt_structure *out, struct sets *sets, const struct kt_fsm *fsm)
{
	int code = find_work(sets, out, fsm);

	code = code ? code : find_surroundings(sets, fsm);
	if (!code) {
		judge_all(out, fsm, sets);
		code = find_gates(out, fsm, sets->work);
	}
	return code;
}

static bool any_rings(const struct kt_fsm *fsm)
{
	for (size_t i = 0; i < fsm->n_transitions; i++) {
		if (rings(fsm, &fsm->transitions[i])) {
			return true;
		}
	}
	return false;
}

static int find_with_sets(struct kt_structure *out, const struct kt_fsm *fsm)
{
	size_t n = fsm->n_states + 1;
	bool *all = calloc(6 * n, sizeof(*all));
	struct sets sets = {.work = all};
	int code;

	out->states = calloc(n, sizeof(*out->states));
	out->transitions = calloc(fsm->n_transitions + 1, sizeof(*out->transitions));
	if (!all || !out->states || !out->transitions) {
		free(all);
		return no_memory();
	}
	sets.rung = all + n;
	sets.ringing = all + 2 * n;
	sets.before = all + 3 * n;
	sets.after = all + 4 * n;
	sets.leading = all + 5 * n;
	code = find(out, &sets, fsm);
	free(all);
	return code;
}

int kt_structure_find(struct kt_structure *out, const struct kt_fsm *fsm)
{
	int code;

	*out = (struct kt_structure){.gate = KT_NO_STATE, .exit = KT_NO_STATE};
	if (!any_rings(fsm)) {
		return kt_error(KT_E_EMPTY,
				"find phases: no letter of this machine is a doorbell "
				"(W:reg, submit:...)");
	}
	code = find_with_sets(out, fsm);
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
