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
		return kt_error(KT_E_MEMORY, "%s: out of memory", what);
	}
	return kt_error(KT_E_INTERNAL, "%s: %s", what, igraph_strerror(error));
}

static igraph_integer_t count_edges(const struct kt_fsm *fsm)
{
	igraph_integer_t n = 0;

	for (size_t i = 0; i < fsm->n_transitions; i++) {
		n += fsm->transitions[i].from != fsm->transitions[i].to;
	}
	return n;
}

static void list_edges(igraph_vector_int_t *edges, const struct kt_fsm *fsm)
{
	igraph_integer_t n = 0;

	for (size_t i = 0; i < fsm->n_transitions; i++) {
		const struct kt_fsm_transition *t = &fsm->transitions[i];

		if (t->from != t->to) {
			VECTOR(*edges)[n++] = t->from;
			VECTOR(*edges)[n++] = t->to;
		}
	}
}

int kt_igraph_make(igraph_t *out, const struct kt_fsm *fsm)
{
	igraph_vector_int_t edges;
	igraph_error_t error = igraph_vector_int_init(&edges, 2 * count_edges(fsm));

	if (!error) {
		list_edges(&edges, fsm);
		error = igraph_create(out, &edges, (igraph_integer_t)fsm->n_states,
				      IGRAPH_DIRECTED);
		igraph_vector_int_destroy(&edges);
	}
	return kt_igraph_status(error, "make graph");
}
