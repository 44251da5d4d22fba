/* SPDX-License-Identifier: MIT */
/*
 * What is drawn of a machine: which states stand in the picture, and which of its
 * transitions share an edge. An edge holds either alternatives (all transitions between the
 * same two states) or a chain (transitions one after the other, the states between them
 * hidden). Every transition is in exactly one edge, and in a difference all of an edge, the
 * states that it hides too, is on one side.
 */
#ifndef KTAIL_VIZ_COLLAPSE_H
#define KTAIL_VIZ_COLLAPSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ktail/fsm.h>

/* What a state is besides a state; a state with any of these is never hidden. */
enum kt_mark {
	KT_MARK_START = 1 << 0, /* the machine's start */
	KT_MARK_END = 1 << 1,   /* words end here */
	KT_MARK_ENTRY = 1 << 2, /* words begin here whose beginning is cut */
	KT_MARK_CUT = 1 << 3,   /* words are cut off here */
};

struct kt_drawn_state {
	uint64_t begins; /* words whose first state this is */
	uint64_t cuts;   /* words that are cut off here */
	unsigned marks;  /* kt_mark */
	bool hidden;     /* inside a chain */
	bool opened;     /* the middle of a loop, drawn although it could be hidden */
};

struct kt_drawn_edge {
	uint32_t from;
	uint32_t to;
	uint32_t ordinal; /* of its first transition among those of `from`, by letter */
	bool chain;       /* one after the other; else alternatives, most frequent first */
	size_t first;     /* its transitions: drawing->order[first] to [first + n - 1] */
	size_t n;
	uint64_t count; /* alternatives: all together; chain: of its first, the largest */
	enum kt_presence presence;
	struct kt_fsm_origin origin; /* of a difference: as count, in either machine */
};

struct kt_drawing {
	const struct kt_fsm *fsm;      /* Weak */
	struct kt_drawn_state *states; /* Owned by this; fsm->n_states of them */
	struct kt_drawn_edge *edges;   /* Owned by this; by from, then ordinal */
	size_t n_edges;
	uint32_t *order;   /* Owned by this; indices into fsm->transitions */
	size_t n_drawn;    /* states that are not hidden */
	uint64_t max_edge; /* largest count of an edge */
	uint64_t max_visits;
	bool diff;    /* the machine is a difference: everything has a side */
	bool counted; /* visits and counts say something */
};

/*
 * Makes the drawing of fsm, which must outlive it. With `collapse`, states that have one
 * incoming and one outgoing transition, both on their own side, and no mark are hidden; but
 * the first of a cycle of such states that nothing else enters stays, and so does the
 * middle one of a chain that leads back to where it began (several such loops at one state
 * would be drawn over each other). Time O(size), but for sorting alternatives. KT_E_MEMORY.
 * The caller owns *out.
 */
int kt_drawing_new(struct kt_drawing **out, const struct kt_fsm *fsm, bool collapse);

/* Frees the drawing, not its machine. NULL is allowed. */
void kt_drawing_free(struct kt_drawing *drawing);

/*
 * The states that are drawn, drawing->n_drawn ids, in the order in which they are handed to
 * dot, which begins with it when it looks for places from left to right: start and entries,
 * then the most visited in the middle, so that busy states have their loops on both sides
 * and the hot ones next to them. The caller frees *out. KT_E_MEMORY.
 */
int kt_arrange_states(uint32_t **out, const struct kt_drawing *drawing);

#endif
