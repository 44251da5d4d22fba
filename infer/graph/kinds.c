/* SPDX-License-Identifier: MIT */
#include "infer/graph/kinds.h"

#include <stdlib.h>

#include <ktail/status.h>

/* How often the letters of one kind are taken. */
struct kind {
	uint64_t all;
	uint64_t cycles; /* on transitions between states of one component */
};

static size_t count_letters(const struct kt_fsm *fsm)
{
	size_t n = fsm->n_letters;

	for (size_t i = 0; i < fsm->n_transitions; i++) {
		size_t letter = fsm->transitions[i].letter;

		n = letter >= n ? letter + 1 : n;
	}
	return n;
}

static void add_up(struct kind *kinds, const struct kt_fsm *fsm,
		   const struct kt_components *components)
{
	for (size_t i = 0; i < fsm->n_transitions; i++) {
		const struct kt_fsm_transition *t = &fsm->transitions[i];

		kinds[t->letter].all += t->count;
		if (kt_components_hold(components, t)) {
			kinds[t->letter].cycles += t->count;
		}
	}
}

int kt_kinds_count(struct kt_kinds *out, const struct kt_fsm *fsm,
		   const struct kt_components *components)
{
	size_t n = count_letters(fsm);
	size_t words = fsm->n_words ? fsm->n_words : 1;
	struct kind *kinds = calloc(n + 1, sizeof(*kinds));

	*out = (struct kt_kinds){0};
	if (!kinds) {
		return kt_error(KT_E_MEMORY, "count kinds of letters: out of memory");
	}
	add_up(kinds, fsm, components);
	for (size_t i = 0; i < n; i++) {
		if (kinds[i].all / 2 >= words) {
			out->repeated++;
			out->cycles += kinds[i].cycles > kinds[i].all / 2;
		}
	}
	free(kinds);
	return KT_OK;
}
