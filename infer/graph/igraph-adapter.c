/* SPDX-License-Identifier: MIT */
#include "infer/graph/igraph-adapter.h"

#include <stdlib.h>

#include <ktail/status.h>

#include "base/try.h"
#include "infer/graph/components.h"

static void ignore_warning(const char *reason, const char *file, int line)
{
	(void)reason;
	(void)file;
	(void)line;
}

void kt_igraph_begin(struct kt_igraph_guard *guard)
{
	guard->error = igraph_set_error_handler(igraph_error_handler_ignore);
	guard->warning = igraph_set_warning_handler(ignore_warning);
}

void kt_igraph_end(const struct kt_igraph_guard *guard)
{
	igraph_set_error_handler(guard->error);
	igraph_set_warning_handler(guard->warning);
}

int kt_igraph_status(igraph_error_t error, const char *what)
{
	if (error == IGRAPH_SUCCESS) {
		return KT_OK;
	}
	if (error == IGRAPH_ENOMEM) {
		return kt_no_memory(what);
	}
	return kt_error(KT_E_INTERNAL, "%s: %s", what, igraph_strerror(error));
}

int kt_igraph_make(igraph_t *out, const struct kt_fsm *fsm)
{
	igraph_vector_int_t edges;
	igraph_integer_t n = 0;
	igraph_error_t error;

	for (size_t i = 0; i < fsm->n_transitions; i++) {
		n += fsm->transitions[i].from != fsm->transitions[i].to;
	}
	error = igraph_vector_int_init(&edges, 2 * n);
	if (error) {
		return kt_igraph_status(error, "make graph");
	}
	n = 0;
	for (size_t i = 0; i < fsm->n_transitions; i++) {
		const struct kt_fsm_transition *t = &fsm->transitions[i];

		if (t->from != t->to) {
			VECTOR(edges)[n++] = t->from;
			VECTOR(edges)[n++] = t->to;
		}
	}
	error = igraph_create(out, &edges, (igraph_integer_t)fsm->n_states,
			      IGRAPH_DIRECTED);
	igraph_vector_int_destroy(&edges);
	return kt_igraph_status(error, "make graph");
}

static int find_in_graph(struct kt_components *out, const igraph_t *graph, size_t n_states)
{
	igraph_vector_int_t membership = {0};
	igraph_vector_int_t sizes = {0};
	igraph_error_t error = igraph_vector_int_init(&membership, 0);
	int code;

	error = error ? error : igraph_vector_int_init(&sizes, 0);
	error = error ? error
		      : igraph_connected_components(graph, &membership, &sizes, NULL,
						    IGRAPH_STRONG);
	KT_TRY_END(kt_igraph_status(error, "find components"));

	out->n = (size_t)igraph_vector_int_size(&sizes);
	out->of = malloc((n_states + 1) * sizeof(*out->of));
	out->size = malloc((out->n + 1) * sizeof(*out->size));
	if (!out->of || !out->size) {
		code = kt_no_memory("find components");
		goto end;
	}
	for (size_t i = 0; i < n_states; i++) {
		out->of[i] = (uint32_t)VECTOR(membership)[i];
	}
	for (size_t i = 0; i < out->n; i++) {
		out->size[i] = (uint32_t)VECTOR(sizes)[i];
	}
end:
	/*
	 * After an early error a vector may still be zeroed instead of initialised. igraph
	 * allows destroying it.
	 */
	igraph_vector_int_destroy(&sizes);
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
		code = find_in_graph(out, &graph, fsm->n_states);
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
