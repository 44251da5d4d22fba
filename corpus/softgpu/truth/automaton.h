/* SPDX-License-Identifier: MIT */
/*
 * The automaton of program points (expand.c), from which their machine is built (truth.c).
 * Calls are replaced by the bodies of their procedures, so each edge is a statement or
 * silent. A process may end anywhere, so every state accepts.
 */
#ifndef KTAIL_SOFTGPU_AUTOMATON_H
#define KTAIL_SOFTGPU_AUTOMATON_H

#include <stddef.h>
#include <stdint.h>

#include "corpus/softgpu/truth/points.h"

/* Larger automata are refused; the driver's is far smaller. */
#define KT_AUTOMATON_MAX_STATES 50000

#define KT_NONE UINT32_MAX

/* A statement at one position of the source, shared by all calls that reach it. */
struct kt_point {
	const char *procedure;                /* Weak */
	const struct kt_statement *statement; /* Weak */
};

struct kt_edge {
	uint32_t to;
	uint32_t point; /* KT_NONE: a silent edge */
	uint32_t next;  /* next edge of the same state; KT_NONE: none */
	uint8_t part;   /* of the memory that the point reads or writes */
	uint8_t poll;   /* enum kt_poll, of a read */
};

/* State 0 is the start. */
struct kt_automaton {
	uint32_t *first; /* Owned by this: first edge of each state, or KT_NONE */
	size_t n_states;
	size_t states_capacity;
	struct kt_edge *edges; /* Owned by this */
	size_t n_edges;
	size_t edges_capacity;
	struct kt_point *points; /* Owned by this */
	size_t n_points;
	size_t points_capacity;
	uint32_t end; /* the state in which the procedure main has returned */
};

/*
 * expand.c: builds *automaton from `points`, which must outlive it. The caller frees the
 * members of *automaton, also on failure.
 */
int kt_expand(struct kt_automaton *automaton, const struct kt_points *points);

#endif
