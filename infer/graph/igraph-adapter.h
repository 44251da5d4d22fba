/* SPDX-License-Identifier: MIT */
/*
 * igraph 0.10 as this project uses it: integer edges only, no attributes, and errors as
 * status codes instead of an abort.
 *
 * igraph's error handlers are global to the process, since Debian builds igraph without
 * thread-local storage (IGRAPH_THREAD_SAFE is 0). Therefore only one thread at a time may
 * call the functions of this file.
 *
 * Only components.h uses igraph. The other graph functions do not, for the following
 * reasons, measured with tests/bench/bench-graph on a machine of the corpus with 1,006
 * states and a random machine with 100,000 states:
 *
 * Dominators (dominators.h): igraph_dominator_tree() gives the same result but takes 9
 * times as long on both machines, 201 ms against 23, and aborts if its depth-first search
 * runs out of memory.
 *
 * Reachability (walk.h): igraph_subcomponent() gives the same result but takes 9 and 44
 * times as long, 50 ms against 1; igraph_bfs(), which supports several roots and a
 * restriction, crashes when out of memory.
 *
 * Shortest cycle (walk.h): igraph_girth() ignores directions and returns 3 instead of 4 on
 * the random machine. The cycle bases of igraph 0.10.2 ignore directions too, and igraph
 * has no other function for shortest cycles.
 */
#ifndef KTAIL_GRAPH_IGRAPH_ADAPTER_H
#define KTAIL_GRAPH_IGRAPH_ADAPTER_H

#include <igraph/igraph.h>

#include <ktail/fsm.h>

/* The error handlers to be restored. */
struct kt_igraph_guard {
	igraph_error_handler_t *error;
	igraph_warning_handler_t *warning;
};

/* Makes igraph return its errors and ignore its warnings. */
void kt_igraph_begin(struct kt_igraph_guard *guard);

/* Restores the previous handlers. */
void kt_igraph_end(const struct kt_igraph_guard *guard);

/* Returns the status for an igraph error, and sets the message "what: reason". */
int kt_igraph_status(igraph_error_t error, const char *what);

/*
 * Builds a directed graph of the machine's transitions, without self-loops and letters. The
 * caller destroys *out. Call between kt_igraph_begin() and kt_igraph_end(). O(size).
 */
int kt_igraph_make(igraph_t *out, const struct kt_fsm *fsm);

#endif
