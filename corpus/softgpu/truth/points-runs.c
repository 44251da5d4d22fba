/* SPDX-License-Identifier: MIT */
/* Reads and writes become letters: the automaton times the state of the current run. */
#include "corpus/softgpu/truth/automaton.h"

#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/try.h"

/*
 * The state of the run in front of a statement: no run, or a run of accesses to a memory,
 * with or without a write so far.
 */
#define NO_RUN             0u
#define RUN(memory, wrote) (1 + 2 * (memory) + (wrote))
#define N_RUNS             RUN(KT_POINTS_MAX_MEMORIES, 0u)

struct pair {
	uint32_t state; /* of the automaton that comes in */
	uint32_t run;
};

struct product {
	const struct kt_automaton *in;  /* Weak */
	const struct kt_points *points; /* Weak */
	struct kt_automaton *out;       /* Weak */
	size_t *first;                  /* Owned by this; a state's first edge in `order` */
	uint32_t *order;                /* Owned by this; edges by their state */
	uint32_t *number;               /* Owned by this; of a pair, + 1; 0: not seen */
	struct pair *pairs;             /* Owned by this; by number */
	size_t capacity;
};

static int find_pair(struct product *p, struct pair pair, uint32_t *out)
{
	uint32_t *number = &p->number[(size_t)pair.state * N_RUNS + pair.run];

	if (*number == 0) {
		KT_TRY(kt_array_reserve(&p->pairs, &p->capacity,
					(size_t)p->out->n_states + 1));
		p->pairs[p->out->n_states++] = pair;
		*number = p->out->n_states;
	}
	*out = *number - 1;
	return KT_OK;
}

/* An edge from pair `from` over `edge` to the state of the run `run`. */
static int add(struct product *p, uint32_t from, const struct kt_edge *edge, bool letter,
	       uint32_t run)
{
	struct kt_automaton *out = p->out;
	struct kt_edge made = {.from = from,
			       .point = edge->point,
			       .kind = letter ? KT_EDGE_LETTER : KT_EDGE_SILENT};

	KT_TRY(find_pair(p, (struct pair){edge->to, run}, &made.to));
	KT_TRY(kt_array_reserve(&out->edges, &out->capacity, out->n_edges + 1));
	out->edges[out->n_edges++] = made;
	return KT_OK;
}

/* The edges of a pair that has a number. */
static int add_edges(struct product *p, uint32_t from)
{
	uint32_t state = p->pairs[from].state;
	uint32_t run = p->pairs[from].run;

	for (size_t i = p->first[state]; i < p->first[state + (size_t)1]; i++) {
		const struct kt_edge *edge = &p->in->edges[p->order[i]];
		bool write = edge->kind == KT_EDGE_WRITE;
		uint32_t memory;
		bool same;

		if (edge->kind == KT_EDGE_SILENT) {
			KT_TRY(add(p, from, edge, false, run));
			continue;
		}
		if (edge->kind == KT_EDGE_LETTER) {
			KT_TRY(add(p, from, edge, true, NO_RUN));
			continue;
		}
		/* An access goes on with the run, where the mapping may be the same, or
		 * opens another. */
		memory = p->in->points[edge->point].statement->index;
		same = run == RUN(memory, 0u) || run == RUN(memory, 1u);
		if (same) {
			bool wrote = run == RUN(memory, 1u);

			KT_TRY(add(p, from, edge, write && !wrote,
				   RUN(memory, wrote || write)));
		}
		if (!same || p->points->memories[memory].many) {
			KT_TRY(add(p, from, edge, true, RUN(memory, write)));
		}
	}
	return KT_OK;
}

int kt_form_runs(struct kt_automaton **out, const struct kt_automaton *in,
		 const struct kt_points *points)
{
	struct product p = {.in = in, .points = points, .out = calloc(1, sizeof(*p.out))};
	uint32_t start;
	int code = KT_OK;

	*out = NULL;
	if (!p.out) {
		return kt_no_memory("form runs");
	}
	p.out->points = calloc(in->n_points + 1, sizeof(*p.out->points));
	if (!p.out->points) {
		code = kt_no_memory("form runs");
		goto end;
	}
	if (in->n_points > 0) {
		memcpy(p.out->points, in->points, in->n_points * sizeof(*p.out->points));
	}
	p.out->n_points = in->n_points;
	p.number = calloc((size_t)in->n_states * N_RUNS, sizeof(*p.number));
	if (!p.number || !kt_automaton_sort_edges(in, &p.first, &p.order)) {
		code = kt_no_memory("form runs");
		goto end;
	}
	KT_TRY_END(find_pair(&p, (struct pair){0, NO_RUN}, &start));
	for (uint32_t i = 0; i < p.out->n_states; i++) {
		KT_TRY_END(add_edges(&p, i));
	}
	*out = p.out;
end:
	free(p.first);
	free(p.order);
	free(p.number);
	free(p.pairs);
	if (code) {
		kt_automaton_free(p.out);
	}
	return code;
}
