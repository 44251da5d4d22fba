/* SPDX-License-Identifier: MIT */
/*
 * Strongly connected components: sets of states that are reachable from each other. Every
 * cycle through more than one state lies within a component of more than one state.
 */
#ifndef KTAIL_GRAPH_COMPONENTS_H
#define KTAIL_GRAPH_COMPONENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ktail/fsm.h>

struct kt_components {
	uint32_t *of;   /* Owned by this: for each state, its component */
	uint32_t *size; /* Owned by this: for each component, its number of states */
	size_t n;
};

/*
 * Finds the components of a machine. On failure *out is empty. KT_E_MEMORY. O(size). One
 * thread at a time: see igraph-adapter.h.
 */
int kt_components_find(struct kt_components *out, const struct kt_fsm *fsm);

/* Frees the arrays, and leaves *components empty. */
void kt_components_clear(struct kt_components *components);

/* Returns whether a transition is part of a cycle through more than one state. */
static inline bool kt_components_hold(const struct kt_components *components,
				      const struct kt_fsm_transition *transition)
{
	return transition->from != transition->to &&
	       components->of[transition->from] == components->of[transition->to];
}

#endif
