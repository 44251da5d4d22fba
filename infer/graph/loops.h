/* SPDX-License-Identifier: MIT */
#ifndef KTAIL_GRAPH_LOOPS_H
#define KTAIL_GRAPH_LOOPS_H

#include <stdint.h>

#include <ktail/fsm.h>

/* How often letters were taken without leaving a state. */
struct kt_loops {
	uint64_t letters;    /* all of the machine's */
	uint64_t self_loops; /* on self-loops */
	/* On self-loops of a letter other than the one that its state's self-loops have
	 * most of: a state with self-loops of several letters takes them in any order, so
	 * what the words say of it is lost. One letter over and over, as polling gives it,
	 * is not. */
	uint64_t mixed;
};

/* O(transitions). */
void kt_loops_count(struct kt_loops *out, const struct kt_fsm *fsm);

#endif
