/* SPDX-License-Identifier: MIT */
#include "infer/engine/arcs.h"

#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

static int unusable(const char *reason)
{
	return kt_error(KT_E_USAGE, "read words by machine: %s", reason);
}

static int check_letters(const struct kt_fsm *fsm)
{
	for (size_t i = 1; i < fsm->n_letters; i++) {
		if (strcmp(fsm->letters[i - 1], fsm->letters[i]) >= 0) {
			return unusable("its letters are not in order");
		}
	}
	return KT_OK;
}

static int check_transitions(const struct kt_fsm *fsm)
{
	for (size_t i = 0; i < fsm->n_transitions; i++) {
		const struct kt_fsm_transition *t = &fsm->transitions[i];

		if (t->from >= fsm->n_states || t->to >= fsm->n_states ||
		    t->letter >= fsm->n_letters) {
			return unusable("a transition's state or letter does not exist");
		}
		if (i && (t[-1].from > t->from ||
			  (t[-1].from == t->from && t[-1].letter > t->letter))) {
			return unusable("its transitions are not in order");
		}
		if (i && t[-1].from == t->from && t[-1].letter == t->letter) {
			return unusable("a state has two transitions for one letter");
		}
	}
	return KT_OK;
}

int kt_arcs_make(struct kt_arcs *arcs, const struct kt_fsm *fsm)
{
	int code;

	*arcs = (struct kt_arcs){.fsm = fsm};
	if (fsm->start >= fsm->n_states) {
		return unusable("its start does not exist");
	}
	code = check_letters(fsm);
	code = code ? code : check_transitions(fsm);
	if (code) {
		return code;
	}
	arcs->first = calloc(fsm->n_states + 1, sizeof(*arcs->first));
	if (!arcs->first) {
		return kt_error(KT_E_MEMORY, "read words by machine: out of memory");
	}
	for (size_t i = 0; i < fsm->n_transitions; i++) {
		arcs->first[fsm->transitions[i].from + (size_t)1]++;
	}
	for (size_t i = 0; i < fsm->n_states; i++) {
		arcs->first[i + 1] += arcs->first[i];
	}
	return KT_OK;
}

void kt_arcs_clear(struct kt_arcs *arcs)
{
	free(arcs->first);
	*arcs = (struct kt_arcs){0};
}

uint32_t kt_arcs_step(const struct kt_arcs *arcs, uint32_t state, uint32_t letter)
{
	size_t n;
	const struct kt_fsm_transition *t = kt_arcs_of(arcs, state, &n);

	while (n) {
		size_t half = n / 2;

		if (t[half].letter == letter) {
			return t[half].to;
		}
		if (t[half].letter < letter) {
			t += half + 1;
			n -= half + 1;
		} else {
			n = half;
		}
	}
	return KT_ARCS_NONE;
}

int kt_arcs_translate(uint32_t **out, const struct kt_fsm *from, const struct kt_fsm *to)
{
	size_t j = 0;

	*out = malloc((from->n_letters + 1) * sizeof(**out));
	if (!*out) {
		return kt_error(KT_E_MEMORY, "compare letters: out of memory");
	}
	for (size_t i = 0; i < from->n_letters; i++) {
		while (j < to->n_letters && strcmp(to->letters[j], from->letters[i]) < 0) {
			j++;
		}
		(*out)[i] =
			j < to->n_letters && strcmp(to->letters[j], from->letters[i]) == 0
				? (uint32_t)j
				: KT_ARCS_NONE;
	}
	return KT_OK;
}
