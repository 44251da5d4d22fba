/* SPDX-License-Identifier: MIT */
#include "infer/graph/reach.h"

#include <stdlib.h>

#include <ktail/status.h>

static uint32_t near_end(const struct kt_fsm_transition *t, enum kt_reach_way way)
{
	return way == KT_REACH_ON ? t->from : t->to;
}

int kt_reach(bool *reached, const struct kt_fsm *fsm, enum kt_reach_way way,
	     const bool *avoided)
{
	size_t n = fsm->n_states;
	/* For each state, where its neighbours begin in a list of all. */
	size_t *first = calloc(n + 2, sizeof(*first));
	uint32_t *neighbours = calloc(fsm->n_transitions + 1, sizeof(*neighbours));
	uint32_t *waiting = calloc(n + 1, sizeof(*waiting));
	size_t n_waiting = 0;
	int code = KT_OK;

	if (!first || !neighbours || !waiting) {
		code = kt_no_memory("walk machine");
		goto end;
	}
	for (size_t i = 0; i < fsm->n_transitions; i++) {
		first[near_end(&fsm->transitions[i], way) + 1]++;
	}
	for (size_t i = 0; i < n; i++) {
		first[i + 1] += first[i];
	}
	/* Filled from each end downwards, so that what was an end is a beginning then. */
	for (size_t i = fsm->n_transitions; i-- > 0;) {
		const struct kt_fsm_transition *t = &fsm->transitions[i];

		neighbours[--first[near_end(t, way) + 1]] =
			way == KT_REACH_ON ? t->to : t->from;
	}
	first[n + 1] = fsm->n_transitions;

	for (size_t i = 0; i < n; i++) {
		if (reached[i]) {
			waiting[n_waiting++] = (uint32_t)i;
		}
	}
	while (n_waiting > 0) {
		uint32_t state = waiting[--n_waiting];

		for (size_t i = first[state + 1]; i < first[state + 2]; i++) {
			uint32_t next = neighbours[i];

			if (!reached[next] && !(avoided && avoided[next])) {
				reached[next] = true;
				waiting[n_waiting++] = next;
			}
		}
	}
end:
	free(first);
	free(neighbours);
	free(waiting);
	return code;
}
