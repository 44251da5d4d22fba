/* SPDX-License-Identifier: MIT */
#include "infer/exchange/found-graph.h"

#include <stdlib.h>

#include <ktail/status.h>

/* Edges by their heads. */
struct backwards {
	size_t *begin;   /* Owned by this: of each node's tails; one more at the end */
	uint32_t *tails; /* Owned by this */
	uint32_t *queue; /* Owned by this: marked nodes */
};

static void clear(struct backwards *b)
{
	free(b->begin);
	free(b->tails);
	free(b->queue);
}

static int turn_around(struct backwards *b, const struct kt_found_graph *graph)
{
	b->begin = calloc(graph->n_nodes + 2, sizeof(*b->begin));
	b->tails = calloc(graph->n_edges + 1, sizeof(*b->tails));
	b->queue = calloc(graph->n_nodes + 1, sizeof(*b->queue));
	if (!b->begin || !b->tails || !b->queue) {
		return kt_error(KT_E_MEMORY, "follow edges: out of memory");
	}
	for (size_t i = 0; i < graph->n_edges; i++) {
		b->begin[graph->edges[i].to + 1]++;
	}
	for (size_t i = 0; i < graph->n_nodes; i++) {
		b->begin[i + 1] += b->begin[i];
	}
	/* Filled from the end: each place moves from the next node's to its own. */
	for (size_t i = 0; i < graph->n_edges; i++) {
		const struct kt_found_edge *edge = &graph->edges[i];

		b->tails[--b->begin[edge->to + 1]] = edge->from;
	}
	return KT_OK;
}

int kt_found_spread_back(const struct kt_found_graph *graph, bool *marks)
{
	struct backwards b = {0};
	size_t n = 0;
	int code = turn_around(&b, graph);

	for (uint32_t i = 0; i < graph->n_nodes && !code; i++) {
		if (marks[i]) {
			b.queue[n++] = i;
		}
	}
	for (size_t i = 0; i < n; i++) {
		/* begin[v + 1] is now where the tails of v begin. */
		size_t end = b.queue[i] + 1 < graph->n_nodes ? b.begin[b.queue[i] + 2]
							     : graph->n_edges;

		for (size_t j = b.begin[b.queue[i] + 1]; j < end; j++) {
			if (!marks[b.tails[j]]) {
				marks[b.tails[j]] = true;
				b.queue[n++] = b.tails[j];
			}
		}
	}
	clear(&b);
	return code;
}
