/* SPDX-License-Identifier: MIT */
/*
 * igraph 0.10 as this project uses it: integer edges only, no attributes, errors as status
 * codes instead of an abort.
 *
 * igraph keeps its error handlers for the whole process, and Debian's is built without
 * thread-local storage (IGRAPH_THREAD_SAFE is 0): whatever goes through here must run in
 * one thread at a time.
 */
#ifndef KTAIL_GRAPH_IGRAPH_GUARD_H
#define KTAIL_GRAPH_IGRAPH_GUARD_H

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
