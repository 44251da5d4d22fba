/* SPDX-License-Identifier: MIT */
#include "infer/compare/joint.h"

#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/try.h"

static const char *const names[2] = {"old", "new"};

static int refuse(int side, const char *reason)
{
	return kt_error(KT_E_USAGE, "compare machines: the %s machine %s", names[side],
			reason);
}

/* All that is counted on later. */
static int check(const struct kt_fsm *fsm, int side)
{
	const struct kt_fsm_transition *t = fsm->transitions;

	if (fsm->start >= fsm->n_states || fsm->n_states >= UINT32_MAX ||
	    fsm->n_letters >= UINT32_MAX / 2) {
		return refuse(side, "has no start state, or too much of everything");
	}
	for (size_t i = 1; i < fsm->n_letters; i++) {
		if (strcmp(fsm->letters[i - 1], fsm->letters[i]) >= 0) {
			return refuse(side, "has letters that are not in order");
		}
	}
	for (size_t i = 0; i < fsm->n_transitions; i++) {
		if (t[i].from >= fsm->n_states || t[i].to >= fsm->n_states ||
		    t[i].letter >= fsm->n_letters) {
			return refuse(side, "has a transition to nowhere");
		}
		if (i && (t[i - 1].from > t[i].from ||
			  (t[i - 1].from == t[i].from && t[i - 1].letter >= t[i].letter))) {
			return refuse(side,
				      "is not deterministic, or its transitions are not in "
				      "order");
		}
	}
	return KT_OK;
}

/* Puts the borders of n groups, whose sizes stand after them, in place. */
static void add_up(size_t *first, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		first[i + 1] += first[i];
	}
}

int kt_joint_init(struct kt_joint *out, const struct kt_fsm *old, const struct kt_fsm *new)
{
	size_t at[2] = {0, 0};
	int code;

	*out = (struct kt_joint){.side = {{.fsm = old}, {.fsm = new}}};
	for (int s = 0; s < 2; s++) {
		struct kt_joint_machine *machine = &out->side[s];
		const struct kt_fsm *fsm = machine->fsm;

		KT_TRY_END(check(fsm, s));
		machine->first = calloc(fsm->n_states + 1, sizeof(*machine->first));
		machine->letter = calloc(fsm->n_letters + 1, sizeof(*machine->letter));
		if (!machine->first || !machine->letter) {
			code = kt_no_memory("compare machines");
			goto end;
		}
		/* The transitions are in order of their states: only the borders are
		 * needed. */
		for (size_t i = 0; i < fsm->n_transitions; i++) {
			machine->first[fsm->transitions[i].from + (size_t)1]++;
		}
		add_up(machine->first, fsm->n_states);
	}
	/* Two sorted lists of names become one. */
	out->letters = calloc(old->n_letters + new->n_letters + 1, sizeof(*out->letters));
	if (!out->letters) {
		code = kt_no_memory("compare machines");
		goto end;
	}
	while (at[0] < old->n_letters || at[1] < new->n_letters) {
		const char *left = at[0] < old->n_letters ? old->letters[at[0]] : NULL;
		const char *right = at[1] < new->n_letters ? new->letters[at[1]] : NULL;
		int order = !left ? 1 : !right ? -1 : strcmp(left, right);

		out->letters[out->n_letters] = order <= 0 ? left : right;
		if (order <= 0) {
			out->side[0].letter[at[0]++] = (uint32_t)out->n_letters;
		}
		if (order >= 0) {
			out->side[1].letter[at[1]++] = (uint32_t)out->n_letters;
		}
		out->n_letters++;
	}
end:
	if (code) {
		kt_joint_clear(out);
	}
	return code;
}

int kt_joint_compare_numbers(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a;
	uint32_t y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

void kt_joint_clear(struct kt_joint *joint)
{
	for (int s = 0; s < 2; s++) {
		free(joint->side[s].first);
		free(joint->side[s].letter);
	}
	free(joint->letters);
	*joint = (struct kt_joint){0};
}

/* --- what leads to a state --- */

int kt_arrivals_init(struct kt_arrivals *out, const struct kt_fsm *fsm)
{
	const struct kt_fsm_transition *t = fsm->transitions;
	size_t n = fsm->n_transitions;
	uint32_t *by_letter = calloc(n + 1, sizeof(*by_letter));
	size_t *letters = calloc(fsm->n_letters + 1, sizeof(*letters));
	size_t *next = calloc(fsm->n_states + 1, sizeof(*next));
	int code = KT_OK;

	out->first = calloc(fsm->n_states + 1, sizeof(*out->first));
	out->transition = calloc(n + 1, sizeof(*out->transition));
	if (!by_letter || !letters || !next || !out->first || !out->transition) {
		code = kt_no_memory("match states");
		goto end;
	}
	if (n > UINT32_MAX) {
		code = kt_error(KT_E_USAGE, "match states: too many transitions");
		goto end;
	}
	/* By letter: within a letter they stay in order of where they come from. */
	for (size_t i = 0; i < n; i++) {
		letters[t[i].letter + (size_t)1]++;
	}
	add_up(letters, fsm->n_letters);
	for (size_t i = 0; i < n; i++) {
		by_letter[letters[t[i].letter]++] = (uint32_t)i;
	}
	/* Then by target, keeping that order. */
	for (size_t i = 0; i < n; i++) {
		out->first[t[i].to + (size_t)1]++;
	}
	add_up(out->first, fsm->n_states);
	for (size_t s = 0; s < fsm->n_states; s++) {
		next[s] = out->first[s];
	}
	for (size_t i = 0; i < n; i++) {
		out->transition[next[t[by_letter[i]].to]++] = by_letter[i];
	}
end:
	free(by_letter);
	free(letters);
	free(next);
	if (code) {
		kt_arrivals_clear(out);
	}
	return code;
}

void kt_arrivals_clear(struct kt_arrivals *arrivals)
{
	free(arrivals->first);
	free(arrivals->transition);
	*arrivals = (struct kt_arrivals){0};
}
