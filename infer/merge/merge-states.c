/* SPDX-License-Identifier: MIT */
#include <ktail/merge-states.h>

#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/try.h"
#include "infer/engine/determinise.h"
#include "infer/engine/renumber.h"

#define NONE UINT32_MAX

struct merging {
	struct kt_fsm *fsm; /* Weak */
	struct kt_fold fold;
	/*
	 * Owned by this: for each state, a class of the fold. A class has one transition,
	 * so a state with several transitions has one class for each of them.
	 */
	uint32_t *class_of;
	/*
	 * Owned by this: for each old number, the number of the merged state, not yet
	 * canonical
	 */
	uint32_t *number;
};

/* --- the fold --- */

/* Makes a class of each transition, and of each state without transitions. */
static int make_classes(struct merging *m)
{
	const struct kt_fsm *fsm = m->fsm;
	uint32_t n = (uint32_t)fsm->n_transitions;

	memset(m->class_of, 0xff, fsm->n_states * sizeof(*m->class_of));
	for (uint32_t i = n; i-- > 0;) {
		m->class_of[fsm->transitions[i].from] = i;
	}
	for (size_t s = 0; s < fsm->n_states; s++) {
		m->class_of[s] = m->class_of[s] == NONE ? n++ : m->class_of[s];
	}
	KT_TRY(kt_fold_begin(&m->fold, n));
	for (uint32_t i = 0; i < fsm->n_transitions; i++) {
		const struct kt_fsm_transition *t = &fsm->transitions[i];

		/*
		 * The fold has 32 bits for a count, so the real counts are added up later.
		 */
		kt_fold_add(&m->fold, i, t->letter, m->class_of[t->to], 1);
	}
	kt_fold_settle(&m->fold);
	for (uint32_t i = 0; i < fsm->n_transitions; i++) {
		KT_TRY(kt_fold_merge(&m->fold, m->class_of[fsm->transitions[i].from], i));
	}
	return KT_OK;
}

static int merge_chosen(struct merging *m, const uint32_t *classes)
{
	const size_t n = m->fsm->n_states;
	/*
	 * indexed by the values of classes[]; uses the memory of m->number, which is not
	 * needed yet
	 */
	uint32_t *first = m->number;

	memset(first, 0xff, n * sizeof(*first));
	for (size_t s = 0; s < n; s++) {
		uint32_t *other = &first[classes[s]];

		if (*other == NONE) {
			*other = m->class_of[s];
		} else {
			KT_TRY(kt_fold_merge(&m->fold, *other, m->class_of[s]));
		}
	}
	return KT_OK;
}

/* --- the machine --- */

static int compare_texts(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/*
 * Moves the program points of a state to another state, and sorts the points there in byte
 * order without duplicates.
 */
static int join_points(struct kt_fsm_state *into, struct kt_fsm_state *from)
{
	size_t n = (size_t)into->n_points + from->n_points;
	uint32_t kept = 0;
	char **points;

	if (from->n_points == 0) {
		free(from->points);
		from->points = NULL;
		return KT_OK;
	}
	points = realloc(into->points, n * sizeof(*points));
	if (!points) {
		return kt_no_memory("merge states");
	}
	memcpy(points + into->n_points, from->points, from->n_points * sizeof(*points));
	free(from->points);
	from->points = NULL;
	from->n_points = 0;
	qsort(points, n, sizeof(*points), compare_texts);
	for (size_t i = 0; i < n; i++) {
		if (kept > 0 && strcmp(points[kept - 1], points[i]) == 0) {
			free(points[i]);
		} else {
			points[kept++] = points[i];
		}
	}
	into->points = points;
	into->n_points = kept;
	return KT_OK;
}

/* Adds each state to the merged state, which takes the place of its first member. */
static int join_states(struct merging *m)
{
	struct kt_fsm *fsm = m->fsm;
	uint32_t *number_of = malloc((m->fold.n + (size_t)1) * sizeof(*number_of));
	size_t n = fsm->n_states;
	int code = KT_OK;

	if (!number_of) {
		return kt_no_memory("merge states");
	}
	memset(number_of, 0xff, (m->fold.n + (size_t)1) * sizeof(*number_of));
	fsm->n_states = 0;
	for (size_t s = 0; s < n; s++) {
		uint32_t *number = &number_of[kt_fold_find(&m->fold, m->class_of[s])];
		struct kt_fsm_state *state = &fsm->states[s];

		free(state->label);
		free(state->phase);
		state->label = NULL;
		state->phase = NULL;
		state->label_share = 0;
		if (*number == NONE) {
			*number = (uint32_t)fsm->n_states++;
			m->number[s] = *number;
			if (*number != s) {
				fsm->states[*number] = *state;
				*state = (struct kt_fsm_state){0};
			}
			continue;
		}
		m->number[s] = *number;
		fsm->states[*number].visits += state->visits;
		fsm->states[*number].ends += state->ends;
		/*
		 * After a failure, only move the remaining states, so that all states can
		 * be freed.
		 */
		if (!code) {
			code = join_points(&fsm->states[*number], state);
		}
		for (uint32_t i = 0; i < state->n_points; i++) {
			free(state->points[i]);
		}
		free(state->points);
		*state = (struct kt_fsm_state){0};
	}
	free(number_of);
	return code;
}

static int compare_transitions(const void *a, const void *b)
{
	const struct kt_fsm_transition *x = a;
	const struct kt_fsm_transition *y = b;

	if (x->from != y->from) {
		return x->from < y->from ? -1 : 1;
	}
	return (x->letter > y->letter) - (x->letter < y->letter);
}

/*
 * Adds up the transitions that have the same letter and connect the same two merged states.
 */
static void join_transitions(struct merging *m)
{
	struct kt_fsm *fsm = m->fsm;
	size_t n = 0;

	for (size_t i = 0; i < fsm->n_transitions; i++) {
		struct kt_fsm_transition *t = &fsm->transitions[i];

		free(t->label);
		t->label = NULL;
		t->label_share = 0;
		t->from = m->number[t->from];
		t->to = m->number[t->to];
	}
	if (fsm->n_transitions > 0) {
		qsort(fsm->transitions, fsm->n_transitions, sizeof(*fsm->transitions),
		      compare_transitions);
	}
	for (size_t i = 0; i < fsm->n_transitions; i++) {
		const struct kt_fsm_transition *t = &fsm->transitions[i];

		if (n > 0 && compare_transitions(t, &fsm->transitions[n - 1]) == 0) {
			fsm->transitions[n - 1].count += t->count;
		} else {
			fsm->transitions[n++] = *t;
		}
	}
	fsm->n_transitions = n;
}

int kt_merge_states(struct kt_fsm *fsm, uint32_t *classes)
{
	const size_t n = fsm->n_states;
	struct merging m = {
		.fsm = fsm,
		.class_of = malloc((n + 1) * sizeof(*m.class_of)),
		.number = malloc((n + 1) * sizeof(*m.number)),
	};
	size_t reached;
	int code;

	if (fsm->state_origins) {
		code = kt_error(KT_E_USAGE, "merge states: the machine is a difference of "
					    "two machines");
		goto end;
	}
	if (!m.class_of || !m.number) {
		code = kt_no_memory("merge states");
		goto end;
	}
	KT_TRY_END(make_classes(&m));
	KT_TRY_END(merge_chosen(&m, classes));
	KT_TRY_END(join_states(&m));
	join_transitions(&m);
	fsm->start = m.number[fsm->start];
	for (size_t i = 0; i < fsm->n_words; i++) {
		fsm->words[i].entry = m.number[fsm->words[i].entry];
		fsm->words[i].exit = m.number[fsm->words[i].exit];
	}
	/*
	 * class_of[] is no longer needed for classes, so it receives the new numbers. It is
	 * long enough, because merging leaves fewer states.
	 */
	KT_TRY_END(kt_renumber(fsm, m.class_of, &reached));
	for (size_t i = 0; i < n; i++) {
		classes[i] = m.class_of[m.number[i]];
	}
end:
	kt_fold_clear(&m.fold);
	free(m.class_of);
	free(m.number);
	return code;
}
