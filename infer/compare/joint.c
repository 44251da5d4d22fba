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

/* Two sorted lists of names become one. */
static int join_letters(struct kt_joint *joint)
{
	const struct kt_fsm *fsm[2] = {joint->side[0].fsm, joint->side[1].fsm};
	size_t at[2] = {0, 0};

	joint->letters =
		calloc(fsm[0]->n_letters + fsm[1]->n_letters + 1, sizeof(*joint->letters));
	if (!joint->letters) {
		return kt_no_memory("compare machines");
	}
	while (at[0] < fsm[0]->n_letters || at[1] < fsm[1]->n_letters) {
		const char *old = at[0] < fsm[0]->n_letters ? fsm[0]->letters[at[0]] : NULL;
		const char *new = at[1] < fsm[1]->n_letters ? fsm[1]->letters[at[1]] : NULL;
		int order = !old ? 1 : !new ? -1 : strcmp(old, new);

		joint->letters[joint->n_letters] = order <= 0 ? old : new;
		if (order <= 0) {
			joint->side[0].letter[at[0]++] = (uint32_t)joint->n_letters;
		}
		if (order >= 0) {
			joint->side[1].letter[at[1]++] = (uint32_t)joint->n_letters;
		}
		joint->n_letters++;
	}
	return KT_OK;
}

int kt_joint_init(struct kt_joint *out, const struct kt_fsm *old, const struct kt_fsm *new)
{
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
		for (size_t i = 0; i < fsm->n_states; i++) {
			machine->first[i + 1] += machine->first[i];
		}
	}
	code = join_letters(out);
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
