/* SPDX-License-Identifier: MIT */
/* What can be said of a machine by its graph alone. Shares are counts of letters. */
#ifndef KTAIL_GRAPH_MEASURE_H
#define KTAIL_GRAPH_MEASURE_H

#include <stdint.h>

#include <ktail/fsm.h>

struct kt_measures {
	uint64_t components;     /* strongly connected ones of more than one state */
	uint64_t shortest_cycle; /* transitions, of those through more states; 0: none */
	uint64_t cycle_states;   /* states on cycles through more than one state */
	uint64_t letters;        /* how often transitions were taken */
	uint64_t self_loops;     /* of these: on self-loops */
	/* Of these, those of a letter other than the one that its state's self-loops have
	 * most of: a state with self-loops of several letters takes them in any order, so
	 * what the words say of it is lost. One letter over and over, as polling gives it,
	 * is not. */
	uint64_t mixed;
	uint64_t cycles; /* of letters: on cycles through more than one state */
	/* Kinds of letters that come twice a word or more, on average, however often: how
	 * many letters there are of a kind says how long something was waited for, not how
	 * much of the work it is. */
	uint64_t kinds;
	uint64_t kinds_in_cycles; /* of these: more than half on such cycles */
};

/*
 * Measures a machine whose transitions are in order. KT_E_MEMORY. O(size) but for the
 * shortest cycle, see walk.h. One thread at a time: see igraph-adapter.h.
 */
int kt_measure(struct kt_measures *out, const struct kt_fsm *fsm);

#endif
