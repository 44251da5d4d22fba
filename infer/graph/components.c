/* SPDX-License-Identifier: MIT */
#include "infer/graph/components.h"

#include <stdlib.h>

#include <ktail/status.h>

#include "infer/graph/igraph-guard.h"

static int copy(struct kt_components *out, const igraph_vector_int_t *membership,
		const igraph_vector_int_t *sizes)
{
	size_t n_states = (size_t)igraph_vector_int_size(membership);

	out->n = (size_t)igraph_vector_int_size(sizes);
	out->of = malloc((n_states + 1) * sizeof(*out->of));
	out->size = malloc((out->n + 1) * sizeof(*out->size));
	if (!out->of || !out->size) {
		return kt_error(KT_E_MEMORY, "find components: out of memory");
	}
	for (size_t i = 0; i < n_states; i++) {
		out->of[i] = (uint32_t)VECTOR(*membership)[i];
	}
	for (size_t i = 0; i < out->n; i++) {
		out->size[i] = (uint32_t)VECTOR(*sizes)[i];
	}
	return KT_OK;
}

static int find(struct kt_components *out, const igraph_t *graph,
		igraph_vector_int_t *membership)
{
	igraph_vector_int_t sizes;
	igraph_error_t error = igraph_vector_int_init(&sizes, 0);
	int code;

	if (error) {
		return kt_igraph_status(error, "find components");
	}
	error = igraph_connected_components(graph, membership, &sizes, NULL, IGRAPH_STRONG);
	code = error ? kt_igraph_status(error, "find components")
		     : copy(out, membership, &sizes);
	igraph_vector_int_destroy(&sizes);
	return code;
}

static int find_in_graph(struct kt_components *out, const igraph_t *graph)
{
	igraph_vector_int_t membership;
	igraph_error_t error = igraph_vector_int_init(&membership, 0);
	int code;

	if (error) {
		return kt_igraph_status(error, "find components");
	}
	code = find(out, graph, &membership);
	igraph_vector_int_destroy(&membership);
	return code;
}

int kt_components_find(struct kt_components *out, const struct kt_fsm *fsm)
{
	struct kt_igraph_guard guard;
	igraph_t graph;
	int code;

	*out = (struct kt_components){0};
	kt_igraph_begin(&guard);
	code = kt_igraph_make(&graph, fsm);
	if (!code) {
		code = find_in_graph(out, &graph);
		igraph_destroy(&graph);
	}
	kt_igraph_end(&guard);
	if (code) {
		kt_components_clear(out);
	}
	return code;
}

void kt_components_clear(struct kt_components *components)
{
	free(components->of);
	free(components->size);
	*components = (struct kt_components){0};
}
