/* SPDX-License-Identifier: MIT */
#include "infer/graph/dominators.h"

#include <stdlib.h>

#include <ktail/status.h>

#include "base/order.h"
#include "base/try.h"

struct edge {
	uint32_t from;
	uint32_t to;
};

/*
 * The machine as a graph with one root. The vertices are the states. For post-dominators
 * all edges are reversed, and the root is an additional vertex with edges to the ends.
 */
struct graph {
	uint32_t root;
	size_t n;                 /* number of vertices */
	const struct edge *edges; /* Weak */
	struct kt_groups out;     /* Owned by this: edges grouped by source */
	struct kt_groups in;      /* Owned by this: edges grouped by target */
	uint32_t *order;          /* Owned by this: the reached vertices in postorder */
	size_t n_order;
	uint32_t *number; /* Owned by this: for each vertex, its index in `order`, or
			   * KT_NO_STATE if it is not reached */
	uint32_t *idom;   /* Owned by this: for each index in `order`, the index in `order`
			   * of the immediate dominator */
};

/*
 * Writes the edges of the graph to edges[0..*n); *n is initially 0. The caller provides
 * space for n_transitions + n_states edges.
 */
static int list_edges(struct edge *edges, size_t *n, const struct kt_fsm *fsm, bool post)
{
	bool *leaving;
	bool ends = false;

	for (size_t i = 0; i < fsm->n_transitions; i++) {
		const struct kt_fsm_transition *t = &fsm->transitions[i];

		edges[(*n)++] = post ? (struct edge){t->to, t->from}
				     : (struct edge){t->from, t->to};
	}
	if (!post) {
		return KT_OK;
	}
	leaving = calloc(fsm->n_states + 1, sizeof(*leaving));
	if (!leaving) {
		return kt_no_memory("find dominators");
	}
	for (size_t i = 0; i < fsm->n_transitions; i++) {
		const struct kt_fsm_transition *t = &fsm->transitions[i];

		leaving[t->from] = leaving[t->from] || t->from != t->to;
	}
	for (size_t i = 0; i < fsm->n_states && !ends; i++) {
		ends = fsm->states[i].ends > 0;
	}
	for (size_t i = 0; i < fsm->n_states; i++) {
		if (ends ? fsm->states[i].ends > 0 : !leaving[i]) {
			edges[(*n)++] = (struct edge){(uint32_t)fsm->n_states, (uint32_t)i};
		}
	}
	free(leaving);
	return KT_OK;
}

/* --- postorder and dominators --- */

/*
 * Searches depth first without recursion; next[v] is the index in out.member of the next
 * edge of vertex v to follow.
 */
static int walk(struct graph *graph)
{
	size_t *next = malloc((graph->n + 1) * sizeof(*next));
	uint32_t *way = malloc((graph->n + 1) * sizeof(*way));
	bool *seen = calloc(graph->n + 1, sizeof(*seen));
	size_t depth = 1;

	if (!next || !way || !seen) {
		free(next);
		free(way);
		free(seen);
		return kt_no_memory("find dominators");
	}
	way[0] = graph->root;
	next[graph->root] = graph->out.first[graph->root];
	seen[graph->root] = true;
	while (depth > 0) {
		uint32_t v = way[depth - 1];
		uint32_t head;

		if (next[v] == graph->out.first[v + 1]) {
			graph->order[graph->n_order++] = v;
			depth--;
			continue;
		}
		head = graph->edges[graph->out.member[next[v]++]].to;
		if (!seen[head]) {
			seen[head] = true;
			next[head] = graph->out.first[head];
			way[depth++] = head;
		}
	}
	free(next);
	free(way);
	free(seen);
	return KT_OK;
}

/*
 * Returns the nearest common dominator of two vertices. All three are indices in `order`,
 * in which a dominator always has a greater index than the vertices it dominates.
 */
static uint32_t intersect(const uint32_t *idom, uint32_t a, uint32_t b)
{
	while (a != b) {
		while (a < b) {
			a = idom[a];
		}
		while (b < a) {
			b = idom[b];
		}
	}
	return a;
}

static void iterate(struct graph *graph)
{
	uint32_t last = (uint32_t)graph->n_order - 1;
	bool changed = true;

	for (size_t i = 0; i < graph->n; i++) {
		graph->number[i] = KT_NO_STATE;
		graph->idom[i] = KT_NO_STATE;
	}
	for (size_t i = 0; i < graph->n_order; i++) {
		graph->number[graph->order[i]] = (uint32_t)i;
	}
	graph->idom[last] = last;
	while (changed) {
		changed = false;
		for (uint32_t i = last; i-- > 0;) {
			uint32_t vertex = graph->order[i];
			uint32_t common = KT_NO_STATE;

			/* Intersect the dominators of all predecessors. */
			for (size_t j = graph->in.first[vertex];
			     j < graph->in.first[vertex + 1]; j++) {
				uint32_t tail = graph->edges[graph->in.member[j]].from;
				uint32_t position = graph->number[tail];

				if (position == KT_NO_STATE ||
				    graph->idom[position] == KT_NO_STATE) {
					continue;
				}
				common = common == KT_NO_STATE
						 ? position
						 : intersect(graph->idom, common, position);
			}
			changed = changed || graph->idom[i] != common;
			graph->idom[i] = common;
		}
	}
}

/* --- results as states --- */

static int find_in_machine(struct kt_dominators *out, const struct kt_fsm *fsm, bool post)
{
	size_t n = fsm->n_states;
	size_t n_edges = 0;
	struct edge *edges;
	struct graph g = {.root = post ? (uint32_t)n : fsm->start, .n = n + post};
	int code;

	*out = (struct kt_dominators){0};
	if (n == 0) {
		return KT_OK;
	}
	edges = calloc(fsm->n_transitions + n, sizeof(*edges));
	KT_TRY_END(edges ? list_edges(edges, &n_edges, fsm, post)
			 : kt_no_memory("find dominators"));
	g.edges = edges;
	KT_TRY_END(kt_group(&g.out, edges, from, n_edges, g.n, NULL, "find dominators"));
	KT_TRY_END(kt_group(&g.in, edges, to, n_edges, g.n, NULL, "find dominators"));
	g.order = calloc(g.n + 1, sizeof(*g.order));
	g.number = calloc(g.n + 1, sizeof(*g.number));
	g.idom = calloc(g.n + 1, sizeof(*g.idom));
	out->n = n;
	out->of = malloc((n + 1) * sizeof(*out->of));
	out->reached = malloc((n + 1) * sizeof(*out->reached));
	if (!g.order || !g.number || !g.idom || !out->of || !out->reached) {
		code = kt_no_memory("find dominators");
		goto end;
	}
	KT_TRY_END(walk(&g));
	iterate(&g);
	for (size_t i = 0; i < n; i++) {
		uint32_t position = g.number[i];
		uint32_t up =
			position == KT_NO_STATE ? KT_NO_STATE : g.order[g.idom[position]];

		out->reached[i] = position != KT_NO_STATE;
		out->of[i] = up < n && up != i ? up : KT_NO_STATE;
	}
end:
	free(edges);
	kt_groups_clear(&g.out);
	kt_groups_clear(&g.in);
	free(g.order);
	free(g.number);
	free(g.idom);
	if (code) {
		kt_dominators_clear(out);
	}
	return code;
}

int kt_dominators_find(struct kt_dominators *out, const struct kt_fsm *fsm)
{
	return find_in_machine(out, fsm, false);
}

int kt_post_dominators_find(struct kt_dominators *out, const struct kt_fsm *fsm)
{
	return find_in_machine(out, fsm, true);
}

bool kt_dominates(const struct kt_dominators *dominators, uint32_t a, uint32_t b)
{
	while (b != a && b != KT_NO_STATE && dominators->reached[b]) {
		b = dominators->of[b];
	}
	return b == a && dominators->reached[a];
}

/*
 * Flags of states that are on the paths from the states of a set up to the root of the
 * dominator tree.
 */
enum {
	WALKED = 1, /* on such a path */
	SPLIT = 2,  /* a path begins here, or two paths meet here */
};

int kt_dominators_common(uint32_t *out, const struct kt_dominators *dominators,
			 const uint32_t *states, size_t n)
{
	const uint32_t *of = dominators->of;
	unsigned char *marks = calloc(dominators->n + 1, sizeof(*marks));
	uint32_t first = KT_NO_STATE;
	uint32_t roots = 0;

	*out = KT_NO_STATE;
	if (!marks) {
		return kt_no_memory("find dominators");
	}
	/* Climb from each state up to a state that is already marked WALKED. */
	for (size_t i = 0; i < n; i++) {
		uint32_t state = states[i];

		if (!dominators->reached[state]) {
			continue;
		}
		first = state;
		marks[state] |= SPLIT;
		while (state != KT_NO_STATE && !(marks[state] & WALKED)) {
			marks[state] |= WALKED;
			state = of[state];
			if (state != KT_NO_STATE && marks[state] & WALKED) {
				marks[state] |= SPLIT;
			}
		}
	}
	/*
	 * Post-dominators form several trees: each state without an immediate
	 * post-dominator is a root. If the paths end at several roots, there is no common
	 * state.
	 */
	for (size_t i = 0; i < dominators->n; i++) {
		roots += marks[i] & WALKED && of[i] == KT_NO_STATE;
	}
	/*
	 * On the path from `first` up to the root, the uppermost state marked SPLIT is the
	 * nearest state that is on all paths.
	 */
	for (uint32_t state = roots == 1 ? first : KT_NO_STATE; state != KT_NO_STATE;
	     state = of[state]) {
		*out = marks[state] & SPLIT ? state : *out;
	}
	free(marks);
	return KT_OK;
}

void kt_dominators_clear(struct kt_dominators *dominators)
{
	free(dominators->of);
	free(dominators->reached);
	*dominators = (struct kt_dominators){0};
}
