/* SPDX-License-Identifier: MIT */
#include "infer/graph/measure.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/try.h"
#include "infer/graph/components.h"
#include "infer/graph/walk.h"

/* Letters of doorbells in the alphabets table1, atc13 and roles, see ktail-alphabet(5). */
static const char *const doorbell_letters[] = {"W:doorbell", "W:doorbell:unpolled",
					       "W:reg"};

static bool is_doorbell(const char *letter)
{
	bool found = false;

	for (size_t i = 0; i < sizeof(doorbell_letters) / sizeof(doorbell_letters[0]);
	     i++) {
		found = found || strcmp(letter, doorbell_letters[i]) == 0;
	}
	return found;
}

/* How often one letter is taken. */
struct kind {
	uint64_t all;    /* on all transitions */
	uint64_t cycles; /* on transitions within a component */
};

static int count_kinds(struct kt_measures *out, const struct kt_fsm *fsm,
		       const struct kt_components *components)
{
	size_t n = fsm->n_letters;
	size_t words = fsm->n_words ? fsm->n_words : 1;
	struct kind *kinds;

	for (size_t i = 0; i < fsm->n_transitions; i++) {
		size_t letter = fsm->transitions[i].letter;

		n = letter >= n ? letter + 1 : n;
	}
	kinds = calloc(n + 1, sizeof(*kinds));
	if (!kinds) {
		return kt_no_memory("count kinds of letters");
	}
	for (size_t i = 0; i < fsm->n_transitions; i++) {
		const struct kt_fsm_transition *t = &fsm->transitions[i];

		kinds[t->letter].all += t->count;
		if (kt_components_hold(components, t)) {
			kinds[t->letter].cycles += t->count;
		}
	}
	for (size_t i = 0; i < n; i++) {
		if (kinds[i].all / 2 >= words) {
			out->kinds++;
			out->kinds_in_cycles += kinds[i].cycles > kinds[i].all / 2;
		}
	}
	free(kinds);
	return KT_OK;
}

int kt_measure(struct kt_measures *out, const struct kt_fsm *fsm)
{
	struct kt_components components;
	uint64_t most = 0; /* highest count of the self-loops of the current state */
	int code;

	*out = (struct kt_measures){0};
	KT_TRY(kt_components_find(&components, fsm));
	for (size_t i = 0; i < fsm->n_transitions; i++) {
		const struct kt_fsm_transition *t = &fsm->transitions[i];
		bool last = i + 1 == fsm->n_transitions ||
			    fsm->transitions[i + 1].from != t->from;

		out->letters += t->count;
		if (t->letter < fsm->n_letters && is_doorbell(fsm->letters[t->letter])) {
			out->doorbells += t->count;
			out->looping_doorbells += t->from == t->to ? t->count : 0;
		}
		out->cycles += kt_components_hold(&components, t) ? t->count : 0;
		if (t->from == t->to) {
			out->self_loops += t->count;
			out->mixed += t->count;
			most = t->count > most ? t->count : most;
		}
		if (last) {
			out->mixed -= most;
			most = 0;
		}
	}
	for (size_t i = 0; i < components.n; i++) {
		uint32_t size = components.size[i];

		out->components += size > 1;
		out->cycle_states += size > 1 ? size : 0;
	}
	KT_TRY_END(count_kinds(out, fsm, &components));
	code = kt_shortest_cycle(&out->shortest_cycle, fsm, &components);
end:
	kt_components_clear(&components);
	return code;
}
