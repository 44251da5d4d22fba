/* SPDX-License-Identifier: MIT */
#ifndef KTAIL_GRAPH_SHORTEST_CYCLE_H
#define KTAIL_GRAPH_SHORTEST_CYCLE_H

#include <stdint.h>

#include <ktail/fsm.h>

#include "infer/graph/components.h"

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
