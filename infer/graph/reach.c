/* SPDX-License-Identifier: MIT */
#include "infer/graph/reach.h"

#include <stdlib.h>

#include <ktail/status.h>

/* For each state, where its neighbours begin in a list of all; and states to look at. */
struct walk {
	size_t *first;
	uint32_t *neighbours;
	uint32_t *waiting;
	size_t n_waiting;
};

static uint32_t near_end(const struct kt_fsm_transition *t, enum kt_reach_way way)
{
	return way == KT_REACH_ON ? t->from : t->to;
}

static uint32_t far_end(const struct kt_fsm_transition *t, enum kt_reach_way way)
{
	return way == KT_REACH_ON ? t->to : t->from;
}

static void list_neighbours(struct walk *walk, const struct kt_fsm *fsm,
			    enum kt_reach_way way)
{
	for (size_t i = 0; i < fsm->n_transitions; i++) {
		walk->first[near_end(&fsm->transitions[i], way) + 1]++;
	}
	for (size_t i = 0; i < fsm->n_states; i++) {
		walk->first[i + 1] += walk->first[i];
	}
	/* Filled from each end downwards, so that what was an end is a beginning then. */
	for (size_t i = fsm->n_transitions; i-- > 0;) {
		const struct kt_fsm_transition *t = &fsm->transitions[i];

		walk->neighbours[--walk->first[near_end(t, way) + 1]] = far_end(t, way);
	}
}

static void spread(struct walk *walk, bool *reached, const bool *avoided)
{
	while (walk->n_waiting > 0) {
		uint32_t state = walk->waiting[--walk->n_waiting];

		for (size_t i = walk->first[state + 1]; i < walk->first[state + 2]; i++) {
			uint32_t next = walk->neighbours[i];

			if (!reached[next] && !(avoided && avoided[next])) {
				reached[next] = true;
				walk->waiting[walk->n_waiting++] = next;
			}
		}
	}
}

int kt_reach(bool *reached, const struct kt_fsm *fsm, enum kt_reach_way way,
	     const bool *avoided)
{
	struct walk walk = {
		.first = calloc(fsm->n_states + 2, sizeof(*walk.first)),
		.neighbours = calloc(fsm->n_transitions + 1, sizeof(*walk.neighbours)),
		.waiting = calloc(fsm->n_states + 1, sizeof(*walk.waiting)),
	};
	bool room = walk.first && walk.neighbours && walk.waiting;

	if (room) {
		list_neighbours(&walk, fsm, way);
		walk.first[fsm->n_states + 1] = fsm->n_transitions;
		for (size_t i = 0; i < fsm->n_states; i++) {
			if (reached[i]) {
				walk.waiting[walk.n_waiting++] = (uint32_t)i;
			}
		}
		spread(&walk, reached, avoided);
	}
	free(walk.first);
	free(walk.neighbours);
	free(walk.waiting);
	return room ? KT_OK : kt_error(KT_E_MEMORY, "walk machine: out of memory");
}
