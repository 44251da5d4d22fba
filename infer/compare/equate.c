/* SPDX-License-Identifier: MIT */
#include "infer/compare/equate.h"

#include <stdlib.h>

#include <ktail/status.h>

struct pair {
	uint32_t state[2];
};

struct search {
	const struct kt_joint *joint; /* Weak */
	size_t *parent;               /* Owned by this: old states, then new ones */
	struct pair *stack;           /* Owned by this: united, not yet followed */
	size_t n;
};

static size_t find(size_t *parent, size_t i)
{
	while (parent[i] != i) {
		parent[i] = parent[parent[i]];
		i = parent[i];
	}
	return i;
}

/* Each union is put on the stack once, so the stack holds no more than states. */
static void unite(struct search *search, uint32_t old, uint32_t new)
{
	size_t n_old = search->joint->side[0].fsm->n_states;
	size_t a = find(search->parent, old);
	size_t b = find(search->parent, n_old + new);

	if (a != b) {
		search->parent[a < b ? b : a] = a < b ? a : b;
		search->stack[search->n++] = (struct pair){{old, new}};
	}
}

int kt_equate(bool *out, const struct kt_joint *joint)
{
	const struct kt_fsm *old = joint->side[0].fsm;
	const struct kt_fsm *new = joint->side[1].fsm;
	size_t n = old->n_states + new->n_states;
	struct search search = {.joint = joint};
	int code = KT_OK;

	search.parent = calloc(n, sizeof(*search.parent));
	search.stack = calloc(n, sizeof(*search.stack));
	if (!search.parent || !search.stack) {
		code = kt_no_memory("compare machines");
		goto end;
	}
	for (size_t i = 0; i < n; i++) {
		search.parent[i] = i;
	}
	unite(&search, old->start, new->start);
	*out = true;
	while (*out && search.n > 0) {
		const uint32_t *state = search.stack[--search.n].state;
		struct kt_joint_step step = kt_joint_begin(joint, state[0], state[1]);

		while (*out && kt_joint_next(joint, &step)) {
			if (step.taken[0] == SIZE_MAX || step.taken[1] == SIZE_MAX) {
				*out = false;
			} else {
				unite(&search, kt_joint_target(joint, 0, step.taken[0]),
				      kt_joint_target(joint, 1, step.taken[1]));
			}
		}
	}
end:
	free(search.parent);
	free(search.stack);
	return code;
}
