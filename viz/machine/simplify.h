/* SPDX-License-Identifier: MIT */
/*
 * Makes a drawing smaller: rare edges are left out, and loops of two edges at a state
 * become a list beside it.
 */
#ifndef KTAIL_VIZ_SIMPLIFY_H
#define KTAIL_VIZ_SIMPLIFY_H

#include "viz/machine/collapse.h"

/*
 * Leaves out edges that were taken fewer than `least` times, and states without other
 * edges. Edges and states on the strongest way from the start or an entry to a drawn state,
 * or from there to an end, stay: of all ways, the strongest is the one whose rarest edge is
 * taken most often. KT_E_MEMORY. O(size * log size).
 */
int kt_drawing_hide(struct kt_drawing *drawing, uint64_t least);

/* The number of shares in the whole: one per cent is a thousand shares. */
#define KT_SHARES 100000

/*
 * Returns the least count that is at least `shares` / KT_SHARES of the largest count.
 * Exact.
 */
uint64_t kt_drawing_share(const struct kt_drawing *drawing, uint64_t shares);

/*
 * If at least three loops of two edges begin at one state and lead through states that have
 * no other edges, sets `folded` of the loops' edges and states. A difference and states
 * with a mark stay as they are. KT_E_MEMORY. O(size).
 */
int kt_drawing_fold(struct kt_drawing *drawing);

#endif
