/* SPDX-License-Identifier: MIT */
/*
 * igraph 0.10 as this project uses it: integer edges only, no attributes, errors as status
 * codes instead of an abort.
 *
 * igraph keeps its error handlers for the whole process, and Debian's is built without
 * thread-local storage (IGRAPH_THREAD_SAFE is 0): whatever goes through here must run in
 * one thread at a time.
 *
 * Components are igraph's (components.h). What is not, and why, by tests/bench/bench-graph
 * on a corpus machine of 1,006 states and on a drawn one of 100,000:
 *
 * Dominators (dominators.h): igraph_dominator_tree() finds the same, but takes 9 times as
 * long on both, 201 ms to 23, and aborts when its depth-first search lacks memory.
 *
 * Reach (walk.h): igraph_subcomponent() finds the same, but takes 9 and 44 times as long,
 * 50 ms to 1; igraph_bfs(), which has many roots and a restriction, dies of a lack of
 * memory.
 *
 * Shortest cycle (walk.h): igraph_girth() ignores directions: 3 where 4 is right, on the
 * drawn one; the cycle bases of igraph 0.10.2 do so, too, and it has nothing else.
 */
#ifndef KTAIL_GRAPH_IGRAPH_ADAPTER_H
#define KTAIL_GRAPH_IGRAPH_ADAPTER_H

#include <igraph/igraph.h>

#include <ktail/fsm.h>

/* The handlers that were there before. */
struct kt_igraph_guard {
	igraph_error_handler_t *error;
	igraph_warning_handler_t *warning;
};

/* From here on igraph's errors are return values, and its warnings nothing. */
void kt_igraph_begin(struct kt_igraph_guard *guard);

/* Puts the handlers back that were there before. */
void kt_igraph_end(const struct kt_igraph_guard *guard);

/* The status of an error of igraph, with the message "what: reason". */
int kt_igraph_status(igraph_error_t error, const char *what);

/*
 * The machine's transitions from one state to another as a directed graph: no self-loops,
 * no letters. The caller destroys *out. Between kt_igraph_begin() and kt_igraph_end().
 * O(size).
 */
int kt_igraph_make(igraph_t *out, const struct kt_fsm *fsm);

#endif
