/* SPDX-License-Identifier: MIT */
/*
 * Determines what is drawn of a machine: which states, and which transitions share an edge.
 * An edge holds either alternatives (all transitions between the same two states) or a
 * chain (consecutive transitions, with the states between them hidden). Every transition is
 * in exactly one edge. In a difference, all transitions and hidden states of an edge have
 * the same origin.
 */
#ifndef KTAIL_VIZ_COLLAPSE_H
#define KTAIL_VIZ_COLLAPSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ktail/fsm.h>

/* Marks of a state; a state with any of them is never hidden. */
enum kt_mark {
	KT_MARK_START = 1 << 0, /* the machine's start */
	KT_MARK_END = 1 << 1,   /* words end here */
	KT_MARK_ENTRY = 1 << 2, /* words that are truncated at their beginning begin here */
	KT_MARK_CUT = 1 << 3,   /* words are truncated here */
};

struct kt_drawn_state {
	uint64_t begins; /* words that begin in this state */
	uint64_t cuts;   /* words that are truncated in this state */
	unsigned marks;  /* bits of enum kt_mark */
	bool hidden;     /* inside a chain */
	bool opened;     /* the middle of a loop, drawn although it could be hidden */
};

struct kt_drawn_edge {
	uint32_t from;
	uint32_t to;
	uint32_t ordinal; /* index of its first transition among those that leave `from`,
			   * sorted by letter */
	bool chain;       /* consecutive transitions; else alternatives, most frequent
			   * first */
	size_t first;     /* its transitions: drawing->order[first] to [first + n - 1] */
	size_t n;
	uint64_t count; /* alternatives: their sum; chain: the maximum */
	enum kt_presence presence;
	struct kt_fsm_origin origin; /* in a difference: like count, for each machine */
};

struct kt_drawing {
	const struct kt_fsm *fsm;      /* Weak */
	struct kt_drawn_state *states; /* Owned by this; fsm->n_states elements */
	struct kt_drawn_edge *edges;   /* Owned by this; sorted by from, then ordinal */
	size_t n_edges;
	uint32_t *order;   /* Owned by this; indices into fsm->transitions */
	size_t n_drawn;    /* number of states that are not hidden */
	uint64_t max_edge; /* largest count of any edge */
	uint64_t max_visits;
	bool diff;    /* the machine is a difference: everything has an origin */
	bool counted; /* visits and counts are meaningful */
};

/*
 * Builds the drawing of fsm, which must outlive it. With `collapse`, hides unmarked states
 * with one incoming and one outgoing transition, both of the state's own origin.
 * Exceptions: the first state of a cycle of such states that nothing else enters, and the
 * middle state of a chain that leads back to its beginning (several such loops at a state
 * would be drawn on top of each other). The caller owns *out. KT_E_MEMORY. O(size), plus
 * sorting alternatives.
 */
int kt_drawing_new(struct kt_drawing **out, const struct kt_fsm *fsm, bool collapse);

/* Frees the drawing, not its machine. NULL is allowed. */
void kt_drawing_free(struct kt_drawing *drawing);

/*
 * Sets *out to the ids of the drawn states (drawing->n_drawn), in the order in which dot
 * gets them and initially arranges them from left to right. The start and the entries come
 * first, then the other states with the most visited in the middle, so that busy states
 * have their loops on both sides and other busy states next to them. The caller frees *out.
 * KT_E_MEMORY.
 */
int kt_arrange_states(uint32_t **out, const struct kt_drawing *drawing);

#endif
