/* SPDX-License-Identifier: MIT */
#include "annotate/labels/chains.h"

#include <stdlib.h>

#include <ktail/status.h>

#define NONE UINT32_MAX

struct links {
	uint32_t *ways_in;  /* Owned by this: how many transitions lead to it */
	uint32_t *ways_out; /* Owned by this */
	uint32_t *next;     /* Owned by this: the next in its chain, or NONE */
	bool *inner;        /* Owned by this: it is the next of some state */
	bool *done;         /* Owned by this: it is in the order */
};

static bool make_links(struct links *l, size_t n)
{
	l->ways_in = calloc(n + 1, sizeof(*l->ways_in));
	l->ways_out = calloc(n + 1, sizeof(*l->ways_out));
	l->next = calloc(n + 1, sizeof(*l->next));
	l->inner = calloc(n + 1, sizeof(*l->inner));
	l->done = calloc(n + 1, sizeof(*l->done));
	return l->ways_in && l->ways_out && l->next && l->inner && l->done;
}

static void clear_links(struct links *l)
{
	free(l->ways_in);
	free(l->ways_out);
	free(l->next);
	free(l->inner);
	free(l->done);
}

static void link_states(struct links *l, const struct kt_fsm *fsm)
{
	for (size_t i = 0; i < fsm->n_states; i++) {
		l->next[i] = NONE;
	}
	for (size_t i = 0; i < fsm->n_transitions; i++) {
		l->ways_out[fsm->transitions[i].from]++;
		l->ways_in[fsm->transitions[i].to]++;
	}
	for (size_t i = 0; i < fsm->n_transitions; i++) {
		const struct kt_fsm_transition *t = &fsm->transitions[i];

		if (l->ways_out[t->from] == 1 && l->ways_in[t->to] == 1 &&
		    t->to != fsm->start) {
			l->next[t->from] = t->to;
			l->inner[t->to] = true;
		}
	}
}

/* Puts the chain from `state` on behind the n that are there; how many are there then. */
static size_t put_chain(struct kt_chains *out, size_t n, struct links *l, uint32_t state)
{
	out->begins[n] = true;
	for (uint32_t i = state; i != NONE && !l->done[i]; i = l->next[i]) {
		l->done[i] = true;
		out->order[n++] = i;
	}
	return n;
}

static void put_all(struct kt_chains *out, struct links *l, uint32_t n_states)
{
	size_t n = 0;

	for (int rings = 0; rings < 2; rings++) {
		for (uint32_t i = 0; i < n_states; i++) {
			if (!l->done[i] && (rings || !l->inner[i])) {
				n = put_chain(out, n, l, i);
			}
		}
	}
}

int kt_chains_find(struct kt_chains *out, const struct kt_fsm *fsm)
{
	struct links links = {0};
	bool made = make_links(&links, fsm->n_states);

	*out = (struct kt_chains){
		.order = calloc(fsm->n_states + 1, sizeof(*out->order)),
		.begins = calloc(fsm->n_states + 1, sizeof(*out->begins)),
	};
	if (!made || !out->order || !out->begins) {
		clear_links(&links);
		kt_chains_clear(out);
		return kt_error(KT_E_MEMORY, "find chains: out of memory");
	}
	link_states(&links, fsm);
	put_all(out, &links, (uint32_t)fsm->n_states);
	clear_links(&links);
	return KT_OK;
}

void kt_chains_clear(struct kt_chains *chains)
{
	free(chains->order);
	free(chains->begins);
	*chains = (struct kt_chains){0};
}
