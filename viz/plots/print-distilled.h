/* SPDX-License-Identifier: MIT */
/* Writes a distilled machine as DOT, for Graphviz. */
#ifndef KTAIL_VIZ_PRINT_DISTILLED_H
#define KTAIL_VIZ_PRINT_DISTILLED_H

#include <stdio.h>

#include "base/distilled/read-distilled.h"
#include "viz/machine/print-dot.h"

/*
 * Writes a digraph with a cluster for each column, with the loops and the arrows that the
 * picture has (kt_arrange_distilled()). Ids and classes are stable. Nodes: id user-<state>
 * or system-<state>, class "state", and "new" if figure 4 of the paper does not have the
 * state. Edges: id user-<from>-<to>, class "transition". Of the options, title, font and
 * page apply. Equal machines give identical bytes. KT_E_IO, KT_E_MEMORY.
 */
int kt_print_distilled(FILE *out, const struct kt_distilled_view *view,
		       const struct kt_dot_options *options);

#endif
