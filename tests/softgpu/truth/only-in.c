/* SPDX-License-Identifier: MIT */
/*
 * Breadth-first search over the pairs of states that the same word reaches in both
 * machines.
 */
#include "tests/softgpu/truth/only-in.h"

#include <stdlib.h>

#include <ktail/status.h>

#include "tests/softgpu/truth/walk.h"

struct visit {
	uint32_t in;
	uint32_t without;
	size_t before;   /* index of the visit from which this visit was reached */
	uint32_t letter; /* letter of the step from that visit */
};

struct search {
	struct walk in;
	struct walk without;
	struct visit *visits; /* owned: a queue from which no visit is removed */
	size_t n;
	bool *seen; /* owned; by index of the pair */
};

static void add_visit(struct search *s, struct visit visit)
{
	size_t pair = (size_t)visit.in * s->without.fsm->n_states + visit.without;

	if (!s->seen[pair]) {
		s->seen[pair] = true;
		s->visits[s->n++] = visit;
	}
}

/* Collects the letters on the way to a visit, followed by `last`. */
static int trace_back(const struct search *s, size_t visit, uint32_t last,
		      uint32_t **letters, size_t *n)
{
	size_t length = 1;

	for (size_t v = visit; v != 0; v = s->visits[v].before) {
		length++;
	}
	*letters = calloc(length, sizeof(**letters));
	if (!*letters) {
		return kt_no_memory("compare machines");
	}
	*n = length;
	(*letters)[--length] = last;
	for (size_t v = visit; v != 0; v = s->visits[v].before) {
		(*letters)[--length] = s->visits[v].letter;
	}
	return KT_OK;
}

/*
 * Adds the visits that follow `visit`. Returns true, with the letter in *last, if `without`
 * does not accept a letter of `in`.
 */
static bool go_on(struct search *s, size_t visit, uint32_t *last)
{
	const struct kt_fsm *in = s->in.fsm;
	struct visit v = s->visits[visit];

	for (size_t i = s->in.first[v.in]; i < s->in.first[v.in + (size_t)1]; i++) {
		const struct kt_fsm_transition *t = &in->transitions[i];
		uint32_t letter = walk_letter(&s->without, in->letters[t->letter]);
		size_t other = walk_find(&s->without, v.without, letter);

		if (other == SIZE_MAX) {
			*last = t->letter;
			return true;
		}
		add_visit(s, (struct visit){t->to, s->without.fsm->transitions[other].to,
					    visit, t->letter});
	}
	return false;
}

static int search(struct search *s, uint32_t **letters, size_t *n, uint32_t *state)
{
	size_t pairs = s->in.fsm->n_states * s->without.fsm->n_states;

	s->visits = calloc(pairs, sizeof(*s->visits));
	s->seen = calloc(pairs, sizeof(*s->seen));
	if (!s->visits || !s->seen) {
		return kt_no_memory("compare machines");
	}
	add_visit(s, (struct visit){s->in.fsm->start, s->without.fsm->start, 0, 0});
	for (size_t i = 0; i < s->n; i++) {
		uint32_t last;

		if (go_on(s, i, &last)) {
			*state = s->visits[i].in;
			return trace_back(s, i, last, letters, n);
		}
	}
	return KT_OK;
}

int only_in_find(uint32_t **letters, size_t *n, uint32_t *state, const struct kt_fsm *in,
		 const struct kt_fsm *without)
{
	struct search s = {0};
	int code = walk_new(&s.in, in);

	*letters = NULL;
	*n = 0;
	code = code ? code : walk_new(&s.without, without);
	code = code ? code : search(&s, letters, n, state);
	walk_free(&s.in);
	walk_free(&s.without);
	free(s.visits);
	free(s.seen);
	return code;
}
