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
	KT_MARK_ENTRY = 1 << 2, /* words whose beginning is unknown enter here */
	KT_MARK_CUT = 1 << 3,   /* words whose end is unknown stop here */
};

struct kt_drawn_state {
	uint64_t begins; /* number of words that begin in this state */
	uint64_t cuts;   /* number of words whose end is unknown that stop in this state */
	unsigned marks;  /* bits of enum kt_mark */
	bool hidden;     /* not drawn: inside a chain */
	/*
	 * could be hidden, but is drawn: the middle state of a chain that returns to the
	 * chain's beginning
	 */
	bool opened;
	bool folded; /* not drawn: a row in the list of loops at the state `hub` */
	uint32_t hub;
};

struct kt_drawn_edge {
	uint32_t from;
	uint32_t to;
	uint32_t ordinal; /* index of the edge's first transition among all transitions
			   * that leave `from`, sorted by letter */
	/* true: consecutive transitions; false: alternatives, most frequent first */
	bool chain;
	size_t first; /* the transitions are drawing->order[first] to [first + n - 1] */
	size_t n;
	uint64_t count; /* of alternatives: the sum; of a chain: the largest count */
	enum kt_presence presence;
	/* in a difference: like `count`, but for each of the two machines */
	struct kt_fsm_origin origin;
	bool folded; /* not drawn as an arrow: in a row of a list of loops */
	bool rare;   /* not drawn: taken too seldom */
	size_t key;  /* place in the list of letters, from 0; of no use if the edge is rare
		      */
};

struct kt_drawing {
	const struct kt_fsm *fsm;      /* Weak */
	struct kt_drawn_state *states; /* Owned by this; fsm->n_states elements */
	struct kt_drawn_edge *edges;   /* Owned by this; sorted by from, then ordinal */
	size_t n_edges;
	uint32_t *order;   /* Owned by this; indices into fsm->transitions */
	size_t n_drawn;    /* number of states that are neither hidden nor folded */
	uint64_t max_edge; /* largest count of any edge */
	uint64_t max_visits;
	/* the machine is a difference: all states and transitions have an origin */
	bool diff;
	bool counted; /* visits and counts were measured */
	/* What kt_drawing_hide() has left out, and the limit that it was given. */
	size_t n_rare;
	uint64_t least;
};

/*
 * Builds the drawing of fsm, which must outlive the drawing. With `collapse`, hides
 * unmarked states with one incoming and one outgoing transition, if both transitions have
 * the state's origin. If a cycle consists of such states only, the first of them stays
 * visible. If a chain leads back to the chain's beginning, its middle state stays visible,
 * since several such loops at one state would be drawn on top of each other. The caller
 * owns *out. KT_E_MEMORY. O(size), plus sorting alternatives.
 */
int kt_drawing_new(struct kt_drawing **out, const struct kt_fsm *fsm, bool collapse);

/* Returns whether only one of the two machines of a difference has the edge. */
static inline bool kt_edge_is_changed(const struct kt_drawn_edge *edge)
{
	return edge->presence == KT_PRESENCE_OLD || edge->presence == KT_PRESENCE_NEW;
}

/*
 * Numbers the edges that are not rare for the list of letters, without gaps: in a
 * difference, those of one machine alone come first.
 */
void kt_drawing_number(struct kt_drawing *drawing);

/* Frees the drawing, but not its machine. NULL is allowed. */
void kt_drawing_free(struct kt_drawing *drawing);

/*
 * Sets *out to the ids of the drawing->n_drawn drawn states, in the order in which they are
 * passed to dot, which at first arranges them from left to right. The start and the entries
 * come first. Of the other states, the most visited are in the middle, so that busy states
 * have their loops on both sides and other busy states next to them. The caller frees *out.
 * KT_E_MEMORY.
 */
int kt_arrange_states(uint32_t **out, const struct kt_drawing *drawing);

#endif
