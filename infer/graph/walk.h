/* SPDX-License-Identifier: MIT */
/* Breadth-first walks of a machine: reachable states, and the shortest cycle. */
#ifndef KTAIL_GRAPH_WALK_H
#define KTAIL_GRAPH_WALK_H

#include <stdbool.h>
#include <stdint.h>

#include <ktail/fsm.h>

#include "infer/graph/components.h"

enum kt_reach_way {
	KT_REACH_ON,   /* along transitions */
	KT_REACH_BACK, /* against transitions */
};

/*
 * Marks in reached[] every state that can be reached from the states marked there without
 * entering a state marked in avoided[] (which may be NULL). KT_E_MEMORY. O(size).
 */
int kt_reach(bool *reached, const struct kt_fsm *fsm, enum kt_reach_way way,
	     const bool *avoided);

/*
 * Writes the number of transitions of the shortest cycle through more than one state, or 0
 * if there is none. Ignores self-loops. KT_E_MEMORY.
 *
 * Runs a breadth-first search, no deeper than the shortest cycle found so far, from every
 * state that is on a cycle and has more than one outgoing transition. With n such states:
 * O(size) if the shortest cycle is short, as is usual for a large n; O(n * size) at worst.
 */
int kt_shortest_cycle(uint64_t *out, const struct kt_fsm *fsm,
		      const struct kt_components *components);

#endif
