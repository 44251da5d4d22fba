/* SPDX-License-Identifier: MIT */
#include "infer/graph/igraph-guard.h"

#include <ktail/status.h>

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
