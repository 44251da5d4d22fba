/* SPDX-License-Identifier: MIT */
#include "infer/graph/components.h"

#include <stdlib.h>

#include <ktail/status.h>

#include "base/try.h"
#include "infer/graph/igraph-guard.h"

int kt_components_find(struct kt_components *out, const struct kt_fsm *fsm)
{
	struct kt_igraph_guard guard;
	igraph_t graph;
	igraph_vector_int_t membership = {0};
	igraph_vector_int_t sizes = {0};
	igraph_error_t error;
	int code;

	*out = (struct kt_components){0};
	kt_igraph_begin(&guard);
	code = kt_igraph_make(&graph, fsm);
	if (code) {
		kt_igraph_end(&guard);
		return code;
	}
	error = igraph_vector_int_init(&membership, 0);
	error = error ? error : igraph_vector_int_init(&sizes, 0);
	error = error ? error
		      : igraph_connected_components(&graph, &membership, &sizes, NULL,
						    IGRAPH_STRONG);
	KT_TRY_END(kt_igraph_status(error, "find components"));

	out->n = (size_t)igraph_vector_int_size(&sizes);
	out->of = malloc((fsm->n_states + 1) * sizeof(*out->of));
	out->size = malloc((out->n + 1) * sizeof(*out->size));
	if (!out->of || !out->size) {
		code = kt_no_memory("find components");
		goto end;
	}
	for (size_t i = 0; i < fsm->n_states; i++) {
		out->of[i] = (uint32_t)VECTOR(membership)[i];
	}
	for (size_t i = 0; i < out->n; i++) {
		out->size[i] = (uint32_t)VECTOR(sizes)[i];
	}
end:
	/* A vector that was not made, or not with success, is all zero, which is allowed.
	 */
	igraph_vector_int_destroy(&sizes);
	igraph_vector_int_destroy(&membership);
	igraph_destroy(&graph);
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
