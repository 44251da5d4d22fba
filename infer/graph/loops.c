/* SPDX-License-Identifier: MIT */
#include "infer/graph/loops.h"

#include <stdbool.h>
#include <stddef.h>

void kt_loops_count(struct kt_loops *out, const struct kt_fsm *fsm)
{
	uint64_t most = 0; /* of the self-loops of one state */

	*out = (struct kt_loops){0};
	for (size_t i = 0; i < fsm->n_transitions; i++) {
		const struct kt_fsm_transition *t = &fsm->transitions[i];
		bool last = i + 1 == fsm->n_transitions ||
			    fsm->transitions[i + 1].from != t->from;

		out->letters += t->count;
		if (t->from == t->to) {
			out->self_loops += t->count;
			out->mixed += t->count;
			most = t->count > most ? t->count : most;
		}
		if (last) {
			out->mixed -= most;
			most = 0;
		}
	}
}
