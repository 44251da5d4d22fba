/* SPDX-License-Identifier: MIT */
#include "infer/graph/walk.h"

#include <stdlib.h>

#include <ktail/status.h>

#include "base/try.h"

/* Neighbours of each state in one array, grouped by state. */
struct ways {
	size_t *first; /* Owned by this: for each state, the index in `to` of its first
			* neighbour; then the length of `to` */
	uint32_t *to;  /* Owned by this */
};

static void clear_ways(struct ways *ways)
{
	free(ways->first);
	free(ways->to);
}

/*
 * Lists all transitions or, unless `components` is NULL, only those within components. The
 * caller clears *out, also on failure.
 */
static int list_ways(struct ways *out, const struct kt_fsm *fsm, enum kt_reach_way way,
		     const struct kt_components *components)
{
	size_t n = fsm->n_states;
	size_t *first = calloc(n + 1, sizeof(*first));

	*out = (struct ways){.first = first,
			     .to = malloc((fsm->n_transitions + 1) * sizeof(*out->to))};
	if (!first || !out->to) {
		return kt_no_memory("walk machine");
	}
	for (size_t i = 0; i < fsm->n_transitions; i++) {
		const struct kt_fsm_transition *t = &fsm->transitions[i];

		if (!components || kt_components_hold(components, t)) {
			first[way == KT_REACH_ON ? t->from : t->to]++;
		}
	}
	for (size_t i = 1; i <= n; i++) {
		first[i] += first[i - 1];
	}
	/*
	 * Fill each group from its end downwards: first[] is the end of the group now, and
	 * its beginning when the group is full.
	 */
	for (size_t i = fsm->n_transitions; i-- > 0;) {
		const struct kt_fsm_transition *t = &fsm->transitions[i];

		if (!components || kt_components_hold(components, t)) {
			out->to[--first[way == KT_REACH_ON ? t->from : t->to]] =
				way == KT_REACH_ON ? t->to : t->from;
		}
	}
	return KT_OK;
}

int kt_reach(bool *reached, const struct kt_fsm *fsm, enum kt_reach_way way,
	     const bool *avoided)
{
	uint32_t *waiting = calloc(fsm->n_states + 1, sizeof(*waiting));
	size_t n_waiting = 0;
	struct ways ways;
	int code;

	KT_TRY_END(list_ways(&ways, fsm, way, NULL));
	if (!waiting) {
		code = kt_no_memory("walk machine");
		goto end;
	}
	for (size_t i = 0; i < fsm->n_states; i++) {
		if (reached[i]) {
			waiting[n_waiting++] = (uint32_t)i;
		}
	}
	while (n_waiting > 0) {
		uint32_t state = waiting[--n_waiting];

		for (size_t i = ways.first[state]; i < ways.first[state + 1]; i++) {
			uint32_t next = ways.to[i];

			if (!reached[next] && !(avoided && avoided[next])) {
				reached[next] = true;
				waiting[n_waiting++] = next;
			}
		}
	}
end:
	clear_ways(&ways);
	free(waiting);
	return code;
}

/* --- the shortest cycle --- */

struct search {
	struct ways ways; /* transitions within components */
	uint32_t *seen;   /* Owned by this: for each state, the origin of the last search
			   * that reached it */
	uint32_t *queue;  /* Owned by this */
	uint64_t best;    /* length of the shortest cycle found; 0: none yet */
};

/*
 * Queues the neighbours of a state. Returns true if one of them is the origin of the
 * search.
 */
static bool expand(struct search *s, size_t *tail, uint32_t state, uint32_t origin)
{
	for (size_t i = s->ways.first[state]; i < s->ways.first[state + 1]; i++) {
		uint32_t to = s->ways.to[i];

		if (to == origin) {
			return true;
		}
		if (s->seen[to] != origin) {
			s->seen[to] = origin;
			s->queue[(*tail)++] = to;
		}
	}
	return false;
}

/* Searches for a cycle through origin that is shorter than the best one so far. */
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
 * If a component is a single cycle, its length is the number of states. Otherwise every
 * cycle of the component passes through a state with more than one transition within the
 * component, since some path must lead out of the cycle. Searches start from these states.
 */
int kt_shortest_cycle(uint64_t *out, const struct kt_fsm *fsm,
		      const struct kt_components *components)
{
	size_t n = fsm->n_states;
	struct search s = {.seen = malloc((n + 1) * sizeof(*s.seen)),
			   .queue = malloc((n + 1) * sizeof(*s.queue))};
	bool *branched = calloc(components->n + 1, sizeof(*branched));
	int code;

	*out = 0;
	KT_TRY_END(list_ways(&s.ways, fsm, KT_REACH_ON, components));
	if (!s.seen || !s.queue || !branched) {
		code = kt_no_memory("find shortest cycle");
		goto end;
	}
	for (size_t i = 0; i < n; i++) {
		s.seen[i] = UINT32_MAX;
	}
	for (uint32_t state = 0; state < n; state++) {
		if (s.ways.first[state + 1] - s.ways.first[state] > 1) {
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
	clear_ways(&s.ways);
	free(s.seen);
	free(s.queue);
	free(branched);
	return code;
}
