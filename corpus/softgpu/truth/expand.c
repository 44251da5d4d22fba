/* SPDX-License-Identifier: MIT */
/*
 * Expands the program points to an automaton, as Thompson's construction does for a regular
 * expression; calls are replaced by the bodies of their procedures.
 */
#include "corpus/softgpu/truth/automaton.h"

#include <stdlib.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/try.h"

#define MAX_CALLS 64 /* nesting depth */

struct expansion {
	const struct kt_points *points; /* Weak */
	struct kt_automaton *automaton; /* Weak */
	const char *procedure;          /* Weak; name of the procedure that is being
					 * expanded */
	size_t depth;
	enum kt_poll poll; /* what the call says of reads of semaphores: take_poll() */
};

static int refuse(const struct expansion *e, const struct kt_statement *s,
		  const char *reason)
{
	return kt_error(KT_E_MALFORMED, "expand %s:%zu: %s", e->points->file, s->line,
			reason);
}

static int add_state(struct expansion *e, const struct kt_statement *s, uint32_t *out)
{
	struct kt_automaton *a = e->automaton;

	if (a->n_states == KT_AUTOMATON_MAX_STATES) {
		return refuse(e, s, "too large after the expansion of calls");
	}
	KT_TRY(kt_array_reserve(&a->first, &a->states_capacity, a->n_states + 1));
	*out = (uint32_t)a->n_states;
	a->first[a->n_states++] = KT_NONE;
	return KT_OK;
}

/* Sets edge->next and adds the edge. */
static int add_edge(struct expansion *e, uint32_t from, struct kt_edge edge)
{
	struct kt_automaton *a = e->automaton;

	edge.next = a->first[from];
	KT_TRY(kt_array_reserve(&a->edges, &a->edges_capacity, a->n_edges + 1));
	a->edges[a->n_edges] = edge;
	a->first[from] = (uint32_t)a->n_edges++;
	return KT_OK;
}

static int add_silent(struct expansion *e, uint32_t from, uint32_t to)
{
	return add_edge(e, from, (struct kt_edge){.to = to, .point = KT_NONE});
}

/*
 * Returns whether a read is a poll. If the statement of the read does not tell, the call of
 * its procedure may: `first` applies to the next read of a semaphore, `again` to all reads
 * until the call returns.
 */
static enum kt_poll take_poll(struct expansion *e, const struct kt_statement *s)
{
	enum kt_poll poll = s->poll;

	if (s->kind == KT_STATEMENT_READ &&
	    e->points->memories[s->index].parts[0] == KT_POINTS_SEMAPHORE) {
		poll = poll == KT_POLL_MAYBE ? e->poll : poll;
		e->poll = e->poll == KT_POLL_ALWAYS ? KT_POLL_MAYBE : e->poll;
	}
	return poll;
}

/*
 * Expands a statement without a block to an edge to a new state. In letters of roles, an
 * access to memory with two roles is two edges, one after the other.
 */
static int expand_leaf(struct expansion *e, const struct kt_statement *s, uint32_t *at)
{
	struct kt_automaton *a = e->automaton;
	const bool access = s->kind != KT_STATEMENT_LETTER;
	const size_t parts = access && e->points->alphabet == KT_POINTS_ROLES
				     ? e->points->memories[s->index].n_parts
				     : 1;
	const enum kt_poll poll = take_poll(e, s);
	uint32_t point = 0;

	while (point < a->n_points && a->points[point].statement != s) {
		point++;
	}
	if (point == a->n_points) {
		KT_TRY(kt_array_reserve(&a->points, &a->points_capacity, a->n_points + 1));
		a->points[a->n_points++] = (struct kt_point){e->procedure, s};
	}
	for (size_t i = 0; i < parts; i++) {
		uint32_t from = *at;

		KT_TRY(add_state(e, s, at));
		KT_TRY(add_edge(e, from,
				(struct kt_edge){.to = *at,
						 .point = point,
						 .part = (uint8_t)i,
						 .poll = (uint8_t)poll}));
	}
	return KT_OK;
}

/* Expands a block from state *at on; *at becomes the state after the block. */
static int expand_block(struct expansion *e, const struct kt_block *block, uint32_t *at);

static int expand_call(struct expansion *e, const struct kt_statement *s, uint32_t *at)
{
	const struct kt_procedure *callee = &e->points->procedures[s->index];
	const char *caller = e->procedure;
	const enum kt_poll poll = e->poll;

	if (e->depth == MAX_CALLS) {
		return refuse(e, s, "calls are nested too deeply");
	}
	e->depth++;
	e->procedure = callee->name;
	e->poll = s->poll == KT_POLL_MAYBE ? poll : s->poll;
	KT_TRY(expand_block(e, &callee->body, at));
	if (s->poll != KT_POLL_MAYBE) {
		e->poll = poll;
	}
	e->procedure = caller;
	e->depth--;
	return KT_OK;
}

static int expand_block(struct expansion *e, const struct kt_block *block, uint32_t *at)
{
	for (size_t i = 0; i < block->n; i++) {
		const struct kt_statement *s = &block->statements[i];
		uint32_t before = *at;
		uint32_t other = 0; /* the head of a loop, or the end of a choice */

		switch (s->kind) {
		case KT_STATEMENT_LETTER:
		case KT_STATEMENT_READ:
		case KT_STATEMENT_WRITE: KT_TRY(expand_leaf(e, s, at)); break;
		case KT_STATEMENT_CALL: KT_TRY(expand_call(e, s, at)); break;
		case KT_STATEMENT_MAYBE:
			KT_TRY(expand_block(e, &s->blocks[0], at));
			KT_TRY(add_state(e, s, &other));
			KT_TRY(add_silent(e, *at, other));
			KT_TRY(add_silent(e, before, other));
			*at = other;
			break;
		case KT_STATEMENT_REPEAT:
		case KT_STATEMENT_SOME:
			/*
			 * The head is a new state, because the statements before the loop
			 * do not repeat.
			 */
			KT_TRY(add_state(e, s, &other));
			KT_TRY(add_silent(e, before, other));
			*at = other;
			KT_TRY(expand_block(e, &s->blocks[0], at));
			KT_TRY(add_silent(e, *at, other));
			/*
			 * `repeat` continues from the head. `some` runs its block at
			 * least once, so it continues from the end of the block.
			 */
			*at = s->kind == KT_STATEMENT_REPEAT ? other : *at;
			break;
		case KT_STATEMENT_CHOOSE:
			KT_TRY(add_state(e, s, &other));
			for (size_t j = 0; j < s->n_blocks; j++) {
				*at = before;
				KT_TRY(expand_block(e, &s->blocks[j], at));
				KT_TRY(add_silent(e, *at, other));
			}
			*at = other;
			break;
		case KT_STATEMENT_WHEN:
			if (e->points->settings[s->index].chosen == s->value) {
				KT_TRY(expand_block(e, &s->blocks[0], at));
			}
			break;
		}
	}
	return KT_OK;
}

/* --- check of nested calls, under all settings --- */

enum colour { NEW = 0, ACTIVE, DONE };

static int check_calls(const struct expansion *e, const struct kt_block *block,
		       unsigned char *colours, size_t depth)
{
	for (size_t i = 0; i < block->n; i++) {
		const struct kt_statement *s = &block->statements[i];

		if (s->kind == KT_STATEMENT_CALL && colours[s->index] != DONE) {
			if (colours[s->index] == ACTIVE) {
				return refuse(e, s,
					      "procedures call each other recursively");
			}
			if (depth == MAX_CALLS) {
				return refuse(e, s, "calls are nested too deeply");
			}
			colours[s->index] = ACTIVE;
			KT_TRY(check_calls(e, &e->points->procedures[s->index].body,
					   colours, depth + 1));
			colours[s->index] = DONE;
		}
		for (size_t j = 0; j < s->n_blocks; j++) {
			KT_TRY(check_calls(e, &s->blocks[j], colours, depth));
		}
	}
	return KT_OK;
}

int kt_expand(struct kt_automaton *automaton, const struct kt_points *points)
{
	const struct kt_procedure *main = &points->procedures[points->main];
	struct expansion e = {
		.points = points, .automaton = automaton, .procedure = main->name};
	unsigned char *colours = calloc(points->n_procedures + 1, 1);
	uint32_t at = 0;
	int code;

	*automaton = (struct kt_automaton){0};
	if (!colours) {
		return kt_no_memory("expand program points");
	}
	for (uint32_t i = 0; i < points->n_procedures; i++) {
		if (colours[i] == NEW) {
			colours[i] = ACTIVE;
			KT_TRY_END(
				check_calls(&e, &points->procedures[i].body, colours, 0));
			colours[i] = DONE;
		}
	}
	KT_TRY_END(add_state(&e, NULL, &at));
	code = expand_block(&e, &main->body, &at);
	automaton->end = at;
end:
	free(colours);
	return code;
}
