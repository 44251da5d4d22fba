/* SPDX-License-Identifier: MIT */
/* Breadth-first walks of a machine: what can be reached, and the way back to a state. */
#ifndef KTAIL_GRAPH_WALK_H
#define KTAIL_GRAPH_WALK_H

#include <stdbool.h>
#include <stdint.h>

#include <ktail/fsm.h>

#include "infer/graph/components.h"

enum kt_reach_way {
	KT_REACH_ON,   /* along transitions */
	KT_REACH_BACK, /* against them */
};

/*
 * Spreads from the states that are set in reached[] to all that can be reached from them,
 * never into one of avoided[] (NULL: none). Those that are set stay so. KT_E_MEMORY.
 * O(size).
 */
int kt_reach(bool *reached, const struct kt_fsm *fsm, enum kt_reach_way way,
	     const bool *avoided);

/*
 * The transitions of the shortest cycle through more than one state; 0 if there is none.
 * Self-loops are left out. KT_E_MEMORY.
 *
 * From every state of a cycle with more than one way on, a breadth-first search that is no
 * deeper than the shortest cycle found so far: O(size) where the shortest one is short, as
 * it is in a machine with many such states; O(such states * size) at worst.
 */
int kt_shortest_cycle(uint64_t *out, const struct kt_fsm *fsm,
		      const struct kt_components *components);

#endif
