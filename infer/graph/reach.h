/* SPDX-License-Identifier: MIT */
#ifndef KTAIL_GRAPH_REACH_H
#define KTAIL_GRAPH_REACH_H

#include <stdbool.h>

#include <ktail/fsm.h>

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

#endif
