/* SPDX-License-Identifier: MIT */
#include "infer/graph/shortest-cycle.h"

#include <stdbool.h>
#include <stdlib.h>

#include <ktail/status.h>

struct search {
	const struct kt_fsm *fsm;               /* Weak */
	const struct kt_components *components; /* Weak */
	size_t *first;  /* Owned by this: a state's first transition; one more at the end */
	uint32_t *seen; /* Owned by this: the state a search began in that was here last */
	uint32_t *queue; /* Owned by this */
	uint64_t best;   /* 0: no cycle yet */
};

/* Queues what a state leads to; true when that is where the search began. */
static bool expand(struct search *s, size_t *tail, uint32_t state, uint32_t origin)
{
	for (size_t i = s->first[state]; i < s->first[state + 1]; i++) {
		const struct kt_fsm_transition *t = &s->fsm->transitions[i];

		if (!kt_components_hold(s->components, t)) {
			continue;
		}
		if (t->to == origin) {
			return true;
		}
		if (s->seen[t->to] != origin) {
			s->seen[t->to] = origin;
			s->queue[(*tail)++] = t->to;
		}
	}
	return false;
}

/* A cycle through origin that is shorter than the best, if there is one. */
static void search_from(struct search *s, uint32_t origin)
{
	size_t head = 0;
	size_t tail = 1;

	s->queue[0] = origin;
	s->seen[origin] = origin;
	for (uint64_t depth = 1; head < tail && (!s->best || depth < s->best); depth++) {
		for (size_t end = tail; head < end; head++) {
			if (expand(s, &tail, s->queue[head], origin)) {
				s->best = depth;
				return;
			}
		}
	}
}

/*
 * Every cycle of a component goes through a state with more than one way on (else it could
 * not be left), unless the component is that one cycle: then it is as long as it has
 * states.
 */
int kt_shortest_cycle(uint64_t *out, const struct kt_fsm *fsm,
		      const struct kt_components *components)
{
	struct search s = {.fsm = fsm, .components = components};
	size_t n = fsm->n_states;
	bool *branched = calloc(components->n + 1, sizeof(*branched));
	size_t indexed = 0;
	int code = KT_OK;

	*out = 0;
	s.first = malloc((n + 2) * sizeof(*s.first));
	s.seen = malloc((n + 1) * sizeof(*s.seen));
	s.queue = malloc((n + 1) * sizeof(*s.queue));
	if (!s.first || !s.seen || !s.queue || !branched) {
		code = kt_no_memory("find shortest cycle");
		goto end;
	}
	for (size_t i = 0; i < n; i++) {
		s.seen[i] = UINT32_MAX;
	}
	/* Transitions are in order of the states they leave. */
	for (size_t i = 0; i < fsm->n_transitions; i++) {
		while (indexed <= fsm->transitions[i].from) {
			s.first[indexed++] = i;
		}
	}
	while (indexed <= n) {
		s.first[indexed++] = fsm->n_transitions;
	}
	for (uint32_t state = 0; state < n; state++) {
		size_t n_ways = 0;

		if (!kt_components_cyclic(components, state)) {
			continue;
		}
		for (size_t i = s.first[state]; i < s.first[state + 1]; i++) {
			n_ways += kt_components_hold(components, &fsm->transitions[i]);
		}
		if (n_ways > 1) {
			branched[components->of[state]] = true;
			search_from(&s, state);
		}
	}
	for (size_t i = 0; i < components->n; i++) {
		uint32_t size = components->size[i];

		if (size > 1 && !branched[i] && (!s.best || size < s.best)) {
			s.best = size;
		}
	}
	*out = s.best;
end:
	free(s.first);
	free(s.seen);
	free(s.queue);
	free(branched);
	return code;
}
