/* SPDX-License-Identifier: MIT */
#include "infer/graph/dominators.h"

#include <stdlib.h>

#include <ktail/status.h>

/*
 * The machine as a graph that is walked from one root: vertices are the states, and for
 * post-dominators one more, from which the ends are reached, with all edges turned round.
 */
struct graph {
	uint32_t root;
	size_t n;        /* vertices */
	size_t *out;     /* where each one's edges out begin, and behind the last */
	uint32_t *heads; /* of edges out */
	size_t *in;      /* where each one's edges in begin */
	uint32_t *tails; /* of edges in */
	uint32_t *order; /* the vertices that are reached, each behind those below it */
	size_t n_order;
	uint32_t *number; /* place in `order`; KT_NO_STATE: not reached */
	uint32_t *idom;   /* by place in `order`, too */
};

static int no_memory(void)
{
	return kt_error(KT_E_MEMORY, "find dominators: out of memory");
}

static void free_graph(struct graph *graph)
{
	free(graph->out);
	free(graph->heads);
	free(graph->in);
	free(graph->tails);
	free(graph->order);
	free(graph->number);
	free(graph->idom);
}

static int make_room(struct graph *graph, size_t n_edges)
{
	graph->out = calloc(graph->n + 2, sizeof(*graph->out));
	graph->in = calloc(graph->n + 2, sizeof(*graph->in));
	graph->heads = calloc(n_edges + 1, sizeof(*graph->heads));
	graph->tails = calloc(n_edges + 1, sizeof(*graph->tails));
	graph->order = calloc(graph->n + 1, sizeof(*graph->order));
	graph->number = calloc(graph->n + 1, sizeof(*graph->number));
	graph->idom = calloc(graph->n + 1, sizeof(*graph->idom));
	return graph->out && graph->in && graph->heads && graph->tails && graph->order &&
			       graph->number && graph->idom
		       ? KT_OK
		       : no_memory();
}

/* --- edges --- */

struct edges {
	uint32_t *from;
	uint32_t *to;
	size_t n;
};

static void add_edge(struct edges *edges, uint32_t from, uint32_t to)
{
	edges->from[edges->n] = from;
	edges->to[edges->n++] = to;
}

static void mark_leaving(bool *leaving, const struct kt_fsm *fsm)
{
	for (size_t i = 0; i < fsm->n_transitions; i++) {
		const struct kt_fsm_transition *t = &fsm->transitions[i];

		leaving[t->from] = leaving[t->from] || t->from != t->to;
	}
}

static bool has_ends(const struct kt_fsm *fsm)
{
	for (size_t i = 0; i < fsm->n_states; i++) {
		if (fsm->states[i].ends) {
			return true;
		}
	}
	return false;
}

static int add_ends(struct edges *edges, const struct kt_fsm *fsm)
{
	bool *leaving = calloc(fsm->n_states + 1, sizeof(*leaving));
	bool ends = has_ends(fsm);

	if (!leaving) {
		return no_memory();
	}
	mark_leaving(leaving, fsm);
	for (size_t i = 0; i < fsm->n_states; i++) {
		if (ends ? fsm->states[i].ends > 0 : !leaving[i]) {
			add_edge(edges, (uint32_t)fsm->n_states, (uint32_t)i);
		}
	}
	free(leaving);
	return KT_OK;
}

static int list_edges(struct edges *edges, const struct kt_fsm *fsm, bool post)
{
	for (size_t i = 0; i < fsm->n_transitions; i++) {
		const struct kt_fsm_transition *t = &fsm->transitions[i];

		if (post) {
			add_edge(edges, t->to, t->from);
		} else {
			add_edge(edges, t->from, t->to);
		}
	}
	return post ? add_ends(edges, fsm) : KT_OK;
}

/* Sorts the far ends of edges by their near ends. */
static void group(size_t *first, uint32_t *far, const uint32_t *near_of,
		  const uint32_t *far_of, size_t n_edges, size_t n)
{
	for (size_t i = 0; i < n_edges; i++) {
		first[near_of[i] + 1]++;
	}
	for (size_t i = 0; i < n; i++) {
		first[i + 1] += first[i];
	}
	/* Filled downwards from each end, which is a beginning then. */
	for (size_t i = n_edges; i-- > 0;) {
		far[--first[near_of[i] + 1]] = far_of[i];
	}
	for (size_t i = 0; i < n; i++) {
		first[i] = first[i + 1];
	}
	first[n] = n_edges;
}

static int make_graph(struct graph *graph, const struct kt_fsm *fsm, bool post)
{
	size_t most = fsm->n_transitions + fsm->n_states;
	struct edges edges = {.from = calloc(most + 1, sizeof(*edges.from)),
			      .to = calloc(most + 1, sizeof(*edges.to))};
	int code = edges.from && edges.to ? KT_OK : no_memory();

	code = code ? code : list_edges(&edges, fsm, post);
	graph->n = fsm->n_states + post;
	graph->root = post ? (uint32_t)fsm->n_states : fsm->start;
	code = code ? code : make_room(graph, edges.n);
	if (!code) {
		group(graph->out, graph->heads, edges.from, edges.to, edges.n, graph->n);
		group(graph->in, graph->tails, edges.to, edges.from, edges.n, graph->n);
	}
	free(edges.from);
	free(edges.to);
	return code;
}

/* --- the order of the walk, and the dominators --- */

/* Depth first, without recursion: `next` is the edge of each that is looked at next. */
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
		return no_memory();
	}
	way[0] = graph->root;
	next[graph->root] = graph->out[graph->root];
	seen[graph->root] = true;
	while (depth > 0) {
		uint32_t v = way[depth - 1];
		uint32_t head;

		if (next[v] == graph->out[v + 1]) {
			graph->order[graph->n_order++] = v;
			depth--;
			continue;
		}
		head = graph->heads[next[v]++];
		if (!seen[head]) {
			seen[head] = true;
			next[head] = graph->out[head];
			way[depth++] = head;
		}
	}
	free(next);
	free(way);
	free(seen);
	return KT_OK;
}

/* The nearest that dominates both, by places in the order: the root has the last. */
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

/* What the dominators of all that lead to a vertex have in common. */
static uint32_t judge(const struct graph *graph, uint32_t vertex)
{
	uint32_t common = KT_NO_STATE;

	for (size_t i = graph->in[vertex]; i < graph->in[vertex + 1]; i++) {
		uint32_t place = graph->number[graph->tails[i]];

		if (place != KT_NO_STATE && graph->idom[place] != KT_NO_STATE) {
			common = common == KT_NO_STATE
					 ? place
					 : intersect(graph->idom, common, place);
		}
	}
	return common;
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
			uint32_t common = judge(graph, graph->order[i]);

			changed = changed || graph->idom[i] != common;
			graph->idom[i] = common;
		}
	}
}

/* --- as states --- */

static int copy(struct kt_dominators *out, const struct graph *graph, size_t n)
{
	out->n = n;
	out->of = malloc((n + 1) * sizeof(*out->of));
	out->reached = malloc((n + 1) * sizeof(*out->reached));
	if (!out->of || !out->reached) {
		return no_memory();
	}
	for (size_t i = 0; i < n; i++) {
		uint32_t place = graph->number[i];
		uint32_t up = place == KT_NO_STATE ? KT_NO_STATE
						   : graph->order[graph->idom[place]];

		out->reached[i] = place != KT_NO_STATE;
		out->of[i] = up < n && up != i ? up : KT_NO_STATE;
	}
	return KT_OK;
}

static int find_in_machine(struct kt_dominators *out, const struct kt_fsm *fsm, bool post)
{
	struct graph graph = {0};
	int code;

	*out = (struct kt_dominators){0};
	if (fsm->n_states == 0) {
		return KT_OK;
	}
	code = make_graph(&graph, fsm, post);
	code = code ? code : walk(&graph);
	if (!code) {
		iterate(&graph);
		code = copy(out, &graph, fsm->n_states);
	}
	free_graph(&graph);
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

/* What the ways up from the states of a set share. */
enum {
	WALKED = 1, /* it is on such a way */
	SPLIT = 2,  /* ways meet there, or one begins: nothing below is on all of them */
};

/* Walks up from a state to where others came by already. */
static void walk_up(unsigned char *marks, const struct kt_dominators *dominators,
		    uint32_t state)
{
	marks[state] |= SPLIT;
	while (!(marks[state] & WALKED)) {
		const uint32_t up = dominators->of[state];

		marks[state] |= WALKED;
		if (up == KT_NO_STATE) {
			return;
		}
		if (marks[up] & WALKED) {
			marks[up] |= SPLIT;
			return;
		}
		state = up;
	}
}

/* Of a state and those above it, the uppermost where ways split. */
static uint32_t find_split(const unsigned char *marks,
			   const struct kt_dominators *dominators, uint32_t state)
{
	uint32_t split = state;

	for (; state != KT_NO_STATE; state = dominators->of[state]) {
		split = marks[state] & SPLIT ? state : split;
	}
	return split;
}

int kt_dominators_common(uint32_t *out, const struct kt_dominators *dominators,
			 const uint32_t *states, size_t n)
{
	unsigned char *marks = calloc(dominators->n + 1, sizeof(*marks));
	uint32_t first = KT_NO_STATE;
	uint32_t roots = 0;

	*out = KT_NO_STATE;
	if (!marks) {
		return no_memory();
	}
	for (size_t i = 0; i < n; i++) {
		if (dominators->reached[states[i]]) {
			walk_up(marks, dominators, states[i]);
			first = states[i];
		}
	}
	/* The ends may have nothing in common. */
	for (size_t i = 0; i < dominators->n; i++) {
		roots += marks[i] & WALKED && dominators->of[i] == KT_NO_STATE;
	}
	if (roots == 1) {
		*out = find_split(marks, dominators, first);
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
