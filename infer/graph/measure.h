/* SPDX-License-Identifier: MIT */
/*
 * Measures of a machine's graph. Some are counts of letters, which ktail-sweep(1) gives as
 * shares of `letters`.
 */
#ifndef KTAIL_GRAPH_MEASURE_H
#define KTAIL_GRAPH_MEASURE_H

#include <stdint.h>

#include <ktail/fsm.h>

struct kt_measures {
	uint64_t components;     /* strongly connected components of more than one state */
	uint64_t shortest_cycle; /* length in transitions of the shortest cycle through
				    several states; 0: none */
	uint64_t cycle_states;   /* states on cycles through more than one state */
	uint64_t letters;        /* how often transitions were taken */
	uint64_t self_loops;     /* letters taken on self-loops */
	/*
	 * Letters taken on self-loops, except the most frequent self-loop of each state. A
	 * state with self-loops of several letters accepts these in any order, so their
	 * order in the words is lost. If a single letter repeats, as in polling, no order
	 * is lost.
	 */
	uint64_t mixed;
	/*
	 * The number of doorbells, which are recognised by their letters in the built-in
	 * alphabets, and the number of doorbells taken on self-loops. A machine whose
	 * doorbells are self-loops does not show where work is submitted.
	 */
	uint64_t doorbells;
	uint64_t looping_doorbells;
	uint64_t cycles; /* letters taken on cycles through more than one state */
	/*
	 * Kinds of letters that occur at least twice per word on average. Each kind counts
	 * once, since the frequency of a letter may only show how long a program waited.
	 */
	uint64_t kinds;
	uint64_t kinds_in_cycles; /* those of `kinds` that are taken more often on cycles
				     through more than one state than elsewhere */
};

/*
 * Measures a machine with sorted transitions. KT_E_MEMORY. O(size) except for the shortest
 * cycle, see walk.h. One thread at a time: see igraph-adapter.h.
 */
int kt_measure(struct kt_measures *out, const struct kt_fsm *fsm);

#endif
