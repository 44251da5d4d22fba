/* SPDX-License-Identifier: MIT */
/* Procedures in place of their calls, as Thompson's automaton of a regular expression. */
#include "corpus/softgpu/truth/automaton.h"

#include <stdlib.h>

#include <ktail/status.h>

#include "base/array.h"

#define MAX_CALLS 64 /* within each other */

struct expansion {
	const struct kt_points *points; /* Weak */
	struct kt_automaton *automaton; /* Weak */
	bool *active;                   /* Owned by this; procedures being expanded */
	size_t depth;
	const char *procedure; /* Weak; whose statements these are */
};

void kt_automaton_free(struct kt_automaton *automaton)
{
	if (automaton) {
		free(automaton->edges);
		free(automaton->points);
		free(automaton);
	}
}

static int expand_block(struct expansion *e, const struct kt_block *block, uint32_t *at);

static int refuse(const struct expansion *e, const struct kt_statement *s,
		  const char *reason)
{
	return kt_error(KT_E_MALFORMED, "expand %s:%zu: %s", e->points->file, s->line,
			reason);
}

static int add_state(struct expansion *e, const struct kt_statement *s, uint32_t *out)
{
	if (e->automaton->n_states == KT_AUTOMATON_MAX_STATES) {
		return refuse(e, s, "with all calls in place it is too large");
	}
	*out = e->automaton->n_states++;
	return KT_OK;
}

static int add_edge(struct kt_automaton *a, struct kt_edge edge)
{
	int code = kt_array_reserve(&a->edges, &a->capacity, a->n_edges + 1);

	if (!code) {
		a->edges[a->n_edges++] = edge;
	}
	return code;
}

static int add_silent(struct expansion *e, uint32_t from, uint32_t to)
{
	return add_edge(e->automaton, (struct kt_edge){.from = from, .to = to});
}

static int find_point(struct expansion *e, const struct kt_statement *s, uint32_t *out)
{
	struct kt_automaton *a = e->automaton;
	int code;

	for (uint32_t i = 0; i < a->n_points; i++) {
		if (a->points[i].statement == s) {
			*out = i;
			return KT_OK;
		}
	}
	code = kt_array_reserve(&a->points, &a->points_capacity, a->n_points + 1);
	if (!code) {
		*out = (uint32_t)a->n_points;
		a->points[a->n_points++] = (struct kt_point){e->procedure, s};
	}
	return code;
}

static int expand_leaf(struct expansion *e, const struct kt_statement *s, uint32_t *at)
{
	struct kt_edge edge = {.from = *at,
			       .kind = s->kind == KT_STATEMENT_READ    ? KT_EDGE_READ
				       : s->kind == KT_STATEMENT_WRITE ? KT_EDGE_WRITE
								       : KT_EDGE_LETTER};
	int code = find_point(e, s, &edge.point);

	code = code ? code : add_state(e, s, &edge.to);
	code = code ? code : add_edge(e->automaton, edge);
	*at = edge.to;
	return code;
}

static int expand_call(struct expansion *e, const struct kt_statement *s, uint32_t *at)
{
	const struct kt_procedure *callee = &e->points->procedures[s->index];
	const char *caller = e->procedure;
	int code;

	if (e->active[s->index]) {
		return refuse(e, s, "the procedure is being called already: none recurses");
	}
	if (e->depth == MAX_CALLS) {
		return refuse(e, s, "too many calls within each other");
	}
	e->active[s->index] = true;
	e->depth++;
	e->procedure = callee->name;
	code = expand_block(e, &callee->body, at);
	e->procedure = caller;
	e->depth--;
	e->active[s->index] = false;
	return code;
}

static int expand_maybe(struct expansion *e, const struct kt_statement *s, uint32_t *at)
{
	uint32_t before = *at;
	uint32_t end = 0;
	int code = expand_block(e, &s->blocks[0], at);

	code = code ? code : add_state(e, s, &end);
	code = code ? code : add_silent(e, *at, end);
	code = code ? code : add_silent(e, before, end);
	*at = end;
	return code;
}

/* The head is a state of its own: what comes before may not come again. */
static int expand_repeat(struct expansion *e, const struct kt_statement *s, uint32_t *at)
{
	uint32_t head = 0;
	int code = add_state(e, s, &head);

	code = code ? code : add_silent(e, *at, head);
	*at = head;
	code = code ? code : expand_block(e, &s->blocks[0], at);
	code = code ? code : add_silent(e, *at, head);
	*at = head;
	return code;
}

/* The same, but the way on leads from the end, not from the head. */
static int expand_some(struct expansion *e, const struct kt_statement *s, uint32_t *at)
{
	uint32_t head = 0;
	int code = add_state(e, s, &head);

	code = code ? code : add_silent(e, *at, head);
	*at = head;
	code = code ? code : expand_block(e, &s->blocks[0], at);
	return code ? code : add_silent(e, *at, head);
}

static int expand_choose(struct expansion *e, const struct kt_statement *s, uint32_t *at)
{
	uint32_t before = *at;
	uint32_t end = 0;
	int code = add_state(e, s, &end);

	for (size_t i = 0; i < s->n_blocks && !code; i++) {
		*at = before;
		code = expand_block(e, &s->blocks[i], at);
		code = code ? code : add_silent(e, *at, end);
	}
	*at = end;
	return code;
}

static int expand_when(struct expansion *e, const struct kt_statement *s, uint32_t *at)
{
	bool chosen = e->points->settings[s->index].chosen == s->value;

	return chosen ? expand_block(e, &s->blocks[0], at) : KT_OK;
}

/* From state *at on; *at becomes the state behind the block. */
static int expand_block(struct expansion *e, const struct kt_block *block, uint32_t *at)
{
	static int (*const expand[])(struct expansion *, const struct kt_statement *,
				     uint32_t *) = {
		[KT_STATEMENT_LETTER] = expand_leaf, [KT_STATEMENT_READ] = expand_leaf,
		[KT_STATEMENT_WRITE] = expand_leaf,  [KT_STATEMENT_CALL] = expand_call,
		[KT_STATEMENT_MAYBE] = expand_maybe, [KT_STATEMENT_REPEAT] = expand_repeat,
		[KT_STATEMENT_SOME] = expand_some,   [KT_STATEMENT_CHOOSE] = expand_choose,
		[KT_STATEMENT_WHEN] = expand_when,
	};
	int code = KT_OK;

	for (size_t i = 0; i < block->n && !code; i++) {
		code = expand[block->statements[i].kind](e, &block->statements[i], at);
	}
	return code;
}

/* --- calls within each other, whatever is chosen --- */

enum colour { NEW = 0, ACTIVE, DONE };

static int check_calls(const struct expansion *e, const struct kt_block *block,
		       unsigned char *colours, size_t depth)
{
	int code = KT_OK;

	for (size_t i = 0; i < block->n && !code; i++) {
		const struct kt_statement *s = &block->statements[i];

		if (s->kind == KT_STATEMENT_CALL && colours[s->index] != DONE) {
			if (colours[s->index] == ACTIVE) {
				return refuse(e, s,
					      "procedures call each other in a circle");
			}
			if (depth == MAX_CALLS) {
				return refuse(e, s, "too many calls within each other");
			}
			colours[s->index] = ACTIVE;
			code = check_calls(e, &e->points->procedures[s->index].body,
					   colours, depth + 1);
			colours[s->index] = DONE;
		}
		for (size_t j = 0; j < s->n_blocks && !code; j++) {
			code = check_calls(e, &s->blocks[j], colours, depth);
		}
	}
	return code;
}

static int check_all_calls(const struct expansion *e)
{
	unsigned char *colours = calloc(e->points->n_procedures + 1, 1);
	int code = KT_OK;

	if (!colours) {
		return kt_error(KT_E_MEMORY, "expand program points: out of memory");
	}
	for (uint32_t i = 0; i < e->points->n_procedures && !code; i++) {
		if (colours[i] == NEW) {
			colours[i] = ACTIVE;
			code = check_calls(e, &e->points->procedures[i].body, colours, 0);
			colours[i] = DONE;
		}
	}
	free(colours);
	return code;
}

int kt_expand(struct kt_automaton **out, const struct kt_points *points)
{
	const struct kt_procedure *first = &points->procedures[points->main];
	struct expansion e = {.points = points,
			      .automaton = calloc(1, sizeof(*e.automaton)),
			      .active = calloc(points->n_procedures, sizeof(*e.active)),
			      .procedure = first->name};
	uint32_t at = 0;
	int code = KT_OK;

	*out = NULL;
	if (!e.automaton || !e.active) {
		code = kt_error(KT_E_MEMORY, "expand program points: out of memory");
	}
	code = code ? code : check_all_calls(&e);
	if (!code) {
		e.automaton->n_states = 1;
		e.active[points->main] = true;
		code = expand_block(&e, &first->body, &at);
	}
	free(e.active);
	if (code) {
		kt_automaton_free(e.automaton);
		return code;
	}
	*out = e.automaton;
	return KT_OK;
}
