/* SPDX-License-Identifier: MIT */
/*
 * Corrects a layout by Graphviz: labels of edges are moved off lines and states, and the
 * list of letters, the node KT_DOT_LETTERS, goes below everything else.
 */
#ifndef KTAIL_VIZ_PLACE_GRAPH_H
#define KTAIL_VIZ_PLACE_GRAPH_H

#include <graphviz/gvc.h>
#include <stddef.h>

/*
 * `graph` has a layout. Sets *unplaced to the number of labels that still overlap something
 * (place-labels.h). KT_E_MEMORY.
 */
int kt_place_graph(Agraph_t *graph, size_t *unplaced);

#endif
