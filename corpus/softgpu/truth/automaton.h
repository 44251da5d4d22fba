/* SPDX-License-Identifier: MIT */
/*
 * From program points to a deterministic machine, in four steps:
 *
 *   kt_expand       procedures put in place of their calls: an automaton whose edges are
 *                   statements (letters, reads, writes) or silent
 *   kt_form_runs    its product with the state of the current run of accesses: reads and
 *                   writes become letters or silent, as table1 has it
 *   kt_determinise  subsets: a state is a set of points, one transition for a letter
 *   kt_merge_alike  what stands for the same points and goes on alike becomes one state
 *
 * In all of them a process may end anywhere: every state accepts.
 */
#ifndef KTAIL_SOFTGPU_AUTOMATON_H
#define KTAIL_SOFTGPU_AUTOMATON_H

#include <stddef.h>
#include <stdint.h>

#include "corpus/softgpu/truth/points.h"

/* What is refused as too large; the driver's machine is far smaller. */
#define KT_AUTOMATON_MAX_STATES 50000

/* A statement at its place; calls from several places share it. */
struct kt_point {
	const char *procedure;                /* Weak */
	const struct kt_statement *statement; /* Weak */
};

enum kt_edge_kind {
	KT_EDGE_SILENT = 0,
	KT_EDGE_LETTER, /* the letter of its point */
	KT_EDGE_READ,   /* none is left behind kt_form_runs() */
	KT_EDGE_WRITE,
};

struct kt_edge {
	uint32_t from;
	uint32_t to;
	uint32_t point; /* of edges that are not silent */
	enum kt_edge_kind kind;
};

/* State 0 is the start. */
struct kt_automaton {
	uint32_t n_states;
	struct kt_edge *edges; /* Owned by this */
	size_t n_edges;
	size_t capacity;
	struct kt_point *points; /* Owned by this */
	size_t n_points;
	size_t points_capacity;
};

/*
 * The procedures from main on, under the settings that are chosen. `points` must outlive
 * *out, which the caller owns. KT_E_MALFORMED naming the line: a procedure calls itself, or
 * all is too large.
 */
int kt_expand(struct kt_automaton **out, const struct kt_points *points);

/*
 * A run is consecutive accesses to one mapping with no other letter between; it yields R if
 * a read opened it and W at its first write. The next access to memory that is declared
 * `many` may be to the same mapping or to another: both stay possible.
 */
int kt_form_runs(struct kt_automaton **out, const struct kt_automaton *in,
		 const struct kt_points *points);

/* NULL is allowed. */
void kt_automaton_free(struct kt_automaton *automaton);

/*
 * Edges by the state that they leave: those of state s are (*order)[i], first[s] <= i <
 * first[s + 1]. The caller owns both, also on failure. False: out of memory.
 */
bool kt_automaton_sort_edges(const struct kt_automaton *automaton, size_t **first,
			     uint32_t **order);

struct kt_machine_state {
	uint32_t *points; /* Owned by this: indices into the automaton's, ascending */
	size_t n_points;
};

struct kt_machine_transition {
	uint32_t from;
	uint32_t letter;
	uint32_t to;
};

/* States are numbered breadth first from 0, the start; transitions by from, letter. */
struct kt_machine {
	const char **letters; /* Owned by this, not the texts; in byte order */
	size_t n_letters;
	struct kt_machine_state *states; /* Owned by this */
	size_t n_states;
	size_t states_capacity;
	struct kt_machine_transition *transitions; /* Owned by this */
	size_t n_transitions;
	size_t transitions_capacity;
};

/* `in` has no reads and writes and must outlive *out. */
int kt_determinise(struct kt_machine **out, const struct kt_automaton *in);

/*
 * Merges states that stand for the same points and whose futures are the same; states with
 * other points stay apart even so. O(rounds * n log n), rounds at most n. On failure
 * nothing changes.
 */
int kt_merge_alike(struct kt_machine *machine);

/* NULL is allowed. */
void kt_machine_free(struct kt_machine *machine);

#endif
