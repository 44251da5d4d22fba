/* SPDX-License-Identifier: MIT */
#include "annotate/labels/chains.h"

#include <stdlib.h>

#include <ktail/status.h>

#define NONE UINT32_MAX

/* A state with its position in a chain. */
struct link {
	uint32_t ways_in;  /* transitions into it */
	uint32_t ways_out; /* transitions out of it */
	uint32_t next;     /* next state of its chain, or NONE */
	bool inner;        /* some state has this state as its `next` */
	bool done;         /* already added to kt_chains.order */
};

int kt_chains_find(struct kt_chains *out, const struct kt_fsm *fsm)
{
	struct link *links = calloc(fsm->n_states + 1, sizeof(*links));
	size_t n = 0;

	*out = (struct kt_chains){
		.order = calloc(fsm->n_states + 1, sizeof(*out->order)),
		.begins = calloc(fsm->n_states + 1, sizeof(*out->begins)),
	};
	if (!links || !out->order || !out->begins) {
		free(links);
		kt_chains_clear(out);
		return kt_no_memory("find chains");
	}
	for (size_t i = 0; i < fsm->n_states; i++) {
		links[i].next = NONE;
	}
	for (size_t i = 0; i < fsm->n_transitions; i++) {
		links[fsm->transitions[i].from].ways_out++;
		links[fsm->transitions[i].to].ways_in++;
	}
	for (size_t i = 0; i < fsm->n_transitions; i++) {
		const struct kt_fsm_transition *t = &fsm->transitions[i];

		if (links[t->from].ways_out == 1 && links[t->to].ways_in == 1 &&
		    t->to != fsm->start) {
			links[t->from].next = t->to;
			links[t->to].inner = true;
		}
	}
	/*
	 * The first round takes chains that have a first state. The states that remain for
	 * the second round form cycles.
	 */
	for (int rings = 0; rings < 2; rings++) {
		for (uint32_t first = 0; first < fsm->n_states; first++) {
			if (links[first].done || (links[first].inner && !rings)) {
				continue;
			}
			out->begins[n] = true;
			for (uint32_t i = first; i != NONE && !links[i].done;
			     i = links[i].next) {
				links[i].done = true;
				out->order[n++] = i;
			}
		}
	}
	free(links);
	return KT_OK;
}

void kt_chains_clear(struct kt_chains *chains)
{
	free(chains->order);
	free(chains->begins);
	*chains = (struct kt_chains){0};
}
