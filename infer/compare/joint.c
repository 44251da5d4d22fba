/* SPDX-License-Identifier: MIT */
#include "infer/compare/joint.h"

#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/try.h"

static const char *const names[2] = {"old", "new"};

static int refuse(int version, const char *reason)
{
	return kt_error(KT_E_USAGE, "compare machines: the %s machine %s", names[version],
			reason);
}

/* Checks everything that later code relies on. */
static int check(const struct kt_fsm *fsm, int version)
{
	const struct kt_fsm_transition *t = fsm->transitions;

	if (fsm->start >= fsm->n_states || fsm->n_states >= UINT32_MAX ||
	    fsm->n_letters >= UINT32_MAX / 2) {
		return refuse(version,
			      "has no start state, or too many states or transitions");
	}
	for (size_t i = 1; i < fsm->n_letters; i++) {
		if (strcmp(fsm->letters[i - 1], fsm->letters[i]) >= 0) {
			return refuse(version, "has letters that are not sorted");
		}
	}
	for (size_t i = 0; i < fsm->n_transitions; i++) {
		if (t[i].from >= fsm->n_states || t[i].to >= fsm->n_states ||
		    t[i].letter >= fsm->n_letters) {
			return refuse(version,
				      "has a transition to a state that does not exist");
		}
		if (i && (t[i - 1].from > t[i].from ||
			  (t[i - 1].from == t[i].from && t[i - 1].letter >= t[i].letter))) {
			return refuse(
				version,
				"is not deterministic, or its transitions are not sorted");
		}
	}
	return KT_OK;
}

int kt_joint_init(struct kt_joint *out, const struct kt_fsm *old, const struct kt_fsm *new)
{
	size_t at[2] = {0, 0};
	int code;

	*out = (struct kt_joint){.machine = {{.fsm = old}, {.fsm = new}}};
	for (int s = 0; s < 2; s++) {
		struct kt_joint_machine *machine = &out->machine[s];
		const struct kt_fsm *fsm = machine->fsm;

		KT_TRY_END(check(fsm, s));
		machine->first = calloc(fsm->n_states + 1, sizeof(*machine->first));
		machine->letter = calloc(fsm->n_letters + 1, sizeof(*machine->letter));
		if (!machine->first || !machine->letter) {
			code = kt_no_memory("compare machines");
			goto end;
		}
		/* Transitions are sorted by source state: find the first of each state. */
		for (size_t i = 0; i < fsm->n_transitions; i++) {
			machine->first[fsm->transitions[i].from + (size_t)1]++;
		}
		for (size_t i = 0; i < fsm->n_states; i++) {
			machine->first[i + 1] += machine->first[i];
		}
	}
	/* Merge the sorted letters of the two machines. */
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
			out->machine[0].letter[at[0]++] = (uint32_t)out->n_letters;
		}
		if (order >= 0) {
			out->machine[1].letter[at[1]++] = (uint32_t)out->n_letters;
		}
		out->n_letters++;
	}
end:
	if (code) {
		kt_joint_clear(out);
	}
	return code;
}

void kt_joint_clear(struct kt_joint *joint)
{
	for (int s = 0; s < 2; s++) {
		free(joint->machine[s].first);
		free(joint->machine[s].letter);
	}
	free(joint->letters);
	*joint = (struct kt_joint){0};
}

int kt_arrivals_init(struct kt_groups *out, const struct kt_fsm *fsm)
{
	size_t n = fsm->n_transitions;
	struct kt_groups by_letter;
	int code;

	*out = (struct kt_groups){0};
	if (n > UINT32_MAX) {
		return kt_error(KT_E_USAGE, "match states: too many transitions");
	}
	KT_TRY(kt_group(&by_letter, fsm->transitions, letter, n, fsm->n_letters, NULL,
			"match states"));
	code = kt_group(out, fsm->transitions, to, n, fsm->n_states, by_letter.member,
			"match states");
	kt_groups_clear(&by_letter);
	return code;
}
