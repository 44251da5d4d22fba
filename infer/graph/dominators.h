/* SPDX-License-Identifier: MIT */
/*
 * State a dominates state b if every path from the start to b passes through a. The
 * immediate dominator of b is the dominator nearest to b, other than b. State a
 * post-dominates b if every path from b to an end passes through a.
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
	 * Owned by this: for each state, its immediate dominator. KT_NO_STATE for the start
	 * and for unreached states. With post-dominators, KT_NO_STATE if no other state is
	 * on all paths from the state to the ends, or if there is no such path.
	 */
	uint32_t *of;
	bool *reached; /* Owned by this: for each state, whether the start reaches it; with
			  post-dominators, whether the state reaches an end */
	size_t n;
};

/*
 * Finds the dominators of all states, with the iteration of Cooper, Harvey and Kennedy, "A
 * Simple, Fast Dominance Algorithm" (2001). igraph-adapter.h says why igraph is not used;
 * tests compare both. On failure *out is empty. KT_E_MEMORY.
 *
 * O(size) typically. Each pass takes O(transitions * depth). Few passes are needed, except
 * for a long chain with transitions in both directions that is entered at both ends: it
 * needs as many passes as it has states.
 */
int kt_dominators_find(struct kt_dominators *out, const struct kt_fsm *fsm);

/*
 * Finds the post-dominators. The ends are the states in which words end. If there are none
 * (truncated words, machines without words), the ends are the states whose only transitions
 * are self-loops, and those without transitions.
 */
int kt_post_dominators_find(struct kt_dominators *out, const struct kt_fsm *fsm);

/* Returns whether state a equals b or dominates it; false if b is not reached. O(depth). */
bool kt_dominates(const struct kt_dominators *dominators, uint32_t a, uint32_t b);

/*
 * Finds the nearest state that dominates all reached states of a set; it may belong to the
 * set. KT_NO_STATE if there is none. KT_E_MEMORY. O(states + set).
 */
int kt_dominators_common(uint32_t *out, const struct kt_dominators *dominators,
			 const uint32_t *states, size_t n);

/* Frees the arrays, and leaves *dominators empty. */
void kt_dominators_clear(struct kt_dominators *dominators);

#endif
