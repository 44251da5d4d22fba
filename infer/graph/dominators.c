/* SPDX-License-Identifier: MIT */
#include "infer/graph/dominators.h"

#include <stdlib.h>

#include <ktail/status.h>

#include "infer/graph/igraph-guard.h"

/* igraph's immediate dominators of the states; `root` may be a vertex that is no state. */
static int copy(struct kt_dominators *out, const igraph_vector_int_t *dom, size_t n,
		igraph_integer_t root)
{
	out->n = n;
	out->of = malloc((n + 1) * sizeof(*out->of));
	out->reached = malloc((n + 1) * sizeof(*out->reached));
	if (!out->of || !out->reached) {
		return kt_error(KT_E_MEMORY, "find dominators: out of memory");
	}
	for (size_t i = 0; i < n; i++) {
		igraph_integer_t d = VECTOR(*dom)[i];

		out->reached[i] = d >= 0 || (igraph_integer_t)i == root;
		out->of[i] = d >= 0 && (size_t)d < n ? (uint32_t)d : KT_NO_STATE;
	}
	return KT_OK;
}

static int find(struct kt_dominators *out, const igraph_t *graph, size_t n,
		igraph_integer_t root, igraph_neimode_t mode)
{
	igraph_vector_int_t dom;
	igraph_error_t error = igraph_vector_int_init(&dom, 0);
	int code;

	if (error) {
		return kt_igraph_status(error, "find dominators");
	}
	error = igraph_dominator_tree(graph, root, &dom, NULL, NULL, mode);
	code = error ? kt_igraph_status(error, "find dominators")
		     : copy(out, &dom, n, root);
	igraph_vector_int_destroy(&dom);
	return code;
}

static bool *find_leaving(const struct kt_fsm *fsm)
{
	bool *leaving = calloc(fsm->n_states + 1, sizeof(*leaving));

	for (size_t i = 0; leaving && i < fsm->n_transitions; i++) {
		const struct kt_fsm_transition *t = &fsm->transitions[i];

		leaving[t->from] = leaving[t->from] || t->from != t->to;
	}
	return leaving;
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

/* An edge from each end to the vertex behind the states. */
static igraph_error_t list_ends(igraph_vector_int_t *edges, const struct kt_fsm *fsm,
				const bool *leaving)
{
	bool ends = has_ends(fsm);
	igraph_error_t error = IGRAPH_SUCCESS;

	for (size_t i = 0; !error && i < fsm->n_states; i++) {
		if (ends ? fsm->states[i].ends > 0 : !leaving[i]) {
			error = igraph_vector_int_push_back(edges, (igraph_integer_t)i);
			error = error ? error
				      : igraph_vector_int_push_back(
						edges, (igraph_integer_t)fsm->n_states);
		}
	}
	return error;
}

/* One vertex more, which all ways through an end lead to. */
static int join_ends(igraph_t *graph, const struct kt_fsm *fsm)
{
	bool *leaving = find_leaving(fsm);
	igraph_vector_int_t edges;
	igraph_error_t error;

	if (!leaving) {
		return kt_error(KT_E_MEMORY, "find dominators: out of memory");
	}
	error = igraph_vector_int_init(&edges, 0);
	if (!error) {
		error = list_ends(&edges, fsm, leaving);
		error = error ? error : igraph_add_vertices(graph, 1, NULL);
		error = error ? error : igraph_add_edges(graph, &edges, NULL);
		igraph_vector_int_destroy(&edges);
	}
	free(leaving);
	return kt_igraph_status(error, "find dominators");
}

static int find_in_machine(struct kt_dominators *out, const struct kt_fsm *fsm, bool post)
{
	struct kt_igraph_guard guard;
	igraph_t graph;
	int code;

	*out = (struct kt_dominators){0};
	if (fsm->n_states == 0) {
		return KT_OK;
	}
	kt_igraph_begin(&guard);
	code = kt_igraph_make(&graph, fsm);
	if (!code) {
		code = post ? join_ends(&graph, fsm) : KT_OK;
		code = code ? code
			    : find(out, &graph, fsm->n_states,
				   post ? (igraph_integer_t)fsm->n_states : fsm->start,
				   post ? IGRAPH_IN : IGRAPH_OUT);
		igraph_destroy(&graph);
	}
	kt_igraph_end(&guard);
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

static size_t depth_of(const struct kt_dominators *dominators, uint32_t state)
{
	size_t depth = 0;

	for (; state != KT_NO_STATE; state = dominators->of[state]) {
		depth++;
	}
	return depth;
}

static uint32_t common_of_two(const struct kt_dominators *dominators, uint32_t a,
			      uint32_t b)
{
	size_t depth_a = depth_of(dominators, a);
	size_t depth_b = depth_of(dominators, b);

	for (; depth_a > depth_b; depth_a--) {
		a = dominators->of[a];
	}
	for (; depth_b > depth_a; depth_b--) {
		b = dominators->of[b];
	}
	while (a != b) {
		a = dominators->of[a];
		b = dominators->of[b];
	}
	return a;
}

uint32_t kt_dominators_common(const struct kt_dominators *dominators,
			      const uint32_t *states, size_t n)
{
	uint32_t common = KT_NO_STATE;
	bool any = false;

	for (size_t i = 0; i < n; i++) {
		if (dominators->reached[states[i]]) {
			common = any ? common_of_two(dominators, common, states[i])
				     : states[i];
			any = true;
		}
	}
	return common;
}

void kt_dominators_clear(struct kt_dominators *dominators)
{
	free(dominators->of);
	free(dominators->reached);
	*dominators = (struct kt_dominators){0};
}
