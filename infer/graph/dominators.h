/* SPDX-License-Identifier: MIT */
/*
 * Dominators: a state that every way from the start to another passes dominates it; the
 * last such state before it is its immediate dominator. Post-dominators are the same
 * seen from the ends: a state that every way from another to an end passes.
 */
#ifndef KTAIL_GRAPH_DOMINATORS_H
#define KTAIL_GRAPH_DOMINATORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ktail/fsm.h>

#define KT_NO_STATE UINT32_MAX

struct kt_dominators {
	/*
	 * Owned by this: the immediate dominator of each state. KT_NO_STATE where there is
	 * none: of the start, and of states that are not reached; of post-dominators, where
	 * no state is on all ways to the ends, and where none leads to one.
	 */
	uint32_t *of;
	bool *reached; /* Owned by this: from the start; of post-dominators, an end is */
	size_t n;
};

/*
 * Finds the dominators of all states from the machine's start, by the iteration of Cooper,
 * Harvey and Kennedy, "A Simple, Fast Dominance Algorithm" (2001); igraph-adapter.h says
 * why not by igraph, and the tests hold both against each other. On failure *out is empty.
 * KT_E_MEMORY. O(size) as a rule; O(transitions * depth) for each pass, few of which are
 * needed (but as many as states for a long chain that is walked both ways from both ends).
 */
int kt_dominators_find(struct kt_dominators *out, const struct kt_fsm *fsm);

/*
 * The same from the ends: the states where words end; if there are none (words that are
 * cut, machines without words), the states that nothing leaves but self-loops.
 */
int kt_post_dominators_find(struct kt_dominators *out, const struct kt_fsm *fsm);

/* Whether state a is b, or dominates it. False if b is not reached. O(depth). */
bool kt_dominates(const struct kt_dominators *dominators, uint32_t a, uint32_t b);

/*
 * The last state that dominates all states of a set (of which it may be one): the nearest
 * common one, among those that are reached. KT_NO_STATE if there is none. KT_E_MEMORY.
 * O(states + set).
 */
int kt_dominators_common(uint32_t *out, const struct kt_dominators *dominators,
			 const uint32_t *states, size_t n);

/* Frees what it owns, and leaves it empty. */
void kt_dominators_clear(struct kt_dominators *dominators);

#endif
