/* SPDX-License-Identifier: MIT */
/* Reads and writes become letters: the automaton times the state of the current run. */
#include "corpus/softgpu/truth/automaton.h"

#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/array.h"

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

static int no_memory(void)
{
	return kt_error(KT_E_MEMORY, "form runs: out of memory");
}

static int find_pair(struct product *p, struct pair pair, uint32_t *out)
{
	uint32_t *number = &p->number[(size_t)pair.state * N_RUNS + pair.run];

	if (*number == 0) {
		int code = kt_array_reserve(&p->pairs, &p->capacity,
					    (size_t)p->out->n_states + 1);

		if (code) {
			return code;
		}
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
	int code = find_pair(p, (struct pair){edge->to, run}, &made.to);

	code = code ? code
		    : kt_array_reserve(&out->edges, &out->capacity, out->n_edges + 1);
	if (!code) {
		out->edges[out->n_edges++] = made;
	}
	return code;
}

/* An access goes on with the run, where the mapping may be the same, or opens another. */
static int add_access(struct product *p, uint32_t from, const struct kt_edge *edge)
{
	uint32_t memory = p->in->points[edge->point].statement->index;
	bool write = edge->kind == KT_EDGE_WRITE;
	uint32_t run = p->pairs[from].run;
	bool same = run == RUN(memory, 0u) || run == RUN(memory, 1u);
	int code = KT_OK;

	if (same) {
		bool wrote = run == RUN(memory, 1u);

		code = add(p, from, edge, write && !wrote, RUN(memory, wrote || write));
	}
	if (!code && (!same || p->points->memories[memory].many)) {
		code = add(p, from, edge, true, RUN(memory, write));
	}
	return code;
}

static int add_edges(struct product *p, uint32_t from)
{
	uint32_t state = p->pairs[from].state;
	int code = KT_OK;

	for (size_t i = p->first[state]; i < p->first[state + (size_t)1] && !code; i++) {
		const struct kt_edge *edge = &p->in->edges[p->order[i]];

		switch (edge->kind) {
		case KT_EDGE_SILENT:
			code = add(p, from, edge, false, p->pairs[from].run);
			break;
		case KT_EDGE_LETTER: code = add(p, from, edge, true, NO_RUN); break;
		case KT_EDGE_READ:
		case KT_EDGE_WRITE: code = add_access(p, from, edge); break;
		}
	}
	return code;
}

static int sort_edges(struct product *p)
{
	const struct kt_automaton *in = p->in;
	size_t *filled;

	p->first = calloc((size_t)in->n_states + 1, sizeof(*p->first));
	p->order = calloc(in->n_edges + 1, sizeof(*p->order));
	p->number = calloc((size_t)in->n_states * N_RUNS, sizeof(*p->number));
	filled = calloc((size_t)in->n_states + 1, sizeof(*filled));
	if (!p->first || !p->order || !p->number || !filled) {
		free(filled);
		return no_memory();
	}
	for (size_t i = 0; i < in->n_edges; i++) {
		p->first[in->edges[i].from + (size_t)1]++;
	}
	for (size_t i = 0; i < in->n_states; i++) {
		p->first[i + 1] += p->first[i];
	}
	for (uint32_t i = 0; i < in->n_edges; i++) {
		uint32_t from = in->edges[i].from;

		p->order[p->first[from] + filled[from]++] = i;
	}
	free(filled);
	return KT_OK;
}

static int copy_points(struct kt_automaton *out, const struct kt_automaton *in)
{
	out->points = calloc(in->n_points + 1, sizeof(*out->points));
	if (!out->points) {
		return no_memory();
	}
	if (in->n_points > 0) {
		memcpy(out->points, in->points, in->n_points * sizeof(*out->points));
	}
	out->n_points = in->n_points;
	return KT_OK;
}

int kt_form_runs(struct kt_automaton **out, const struct kt_automaton *in,
		 const struct kt_points *points)
{
	struct product p = {.in = in, .points = points, .out = calloc(1, sizeof(*p.out))};
	uint32_t start;
	int code = p.out ? copy_points(p.out, in) : no_memory();

	*out = NULL;
	code = code ? code : sort_edges(&p);
	code = code ? code : find_pair(&p, (struct pair){0, NO_RUN}, &start);
	for (uint32_t i = 0; !code && i < p.out->n_states; i++) {
		code = add_edges(&p, i);
	}
	free(p.first);
	free(p.order);
	free(p.number);
	free(p.pairs);
	if (code) {
		kt_automaton_free(p.out);
		return code;
	}
	*out = p.out;
	return KT_OK;
}
