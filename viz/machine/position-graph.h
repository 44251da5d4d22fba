/* SPDX-License-Identifier: MIT */
/*
 * Corrects a layout by Graphviz: labels of edges are moved off lines and states, and the
 * list of letters, the node KT_DOT_LETTERS, goes below everything else.
 */
#ifndef KTAIL_VIZ_POSITION_GRAPH_H
#define KTAIL_VIZ_POSITION_GRAPH_H

#include <graphviz/gvc.h>

#include "viz/machine/position-labels.h"

/*
 * `graph` has a layout. Sets *faults to the numbers of labels that still overlap something,
 * or are nearer to another edge. KT_E_MEMORY.
 */
int kt_position_graph(Agraph_t *graph, struct kt_label_faults *faults);

#endif
