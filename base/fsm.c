/* SPDX-License-Identifier: MIT */
#include <ktail/fsm.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/json.h"

int kt_fsm_new(struct kt_fsm **out)
{
	*out = calloc(1, sizeof(**out));
	if (!*out) {
		return kt_error(KT_E_MEMORY, "make machine: out of memory");
	}
	return KT_OK;
}

void kt_fsm_free(struct kt_fsm *fsm)
{
	if (!fsm) {
		return;
	}
	kt_fsm_clear_names(fsm);
	kt_versions_clear(&fsm->versions);
	for (size_t i = 0; i < fsm->n_letters; i++) {
		free(fsm->letters[i]);
	}
	for (size_t i = 0; i < fsm->n_words; i++) {
		free(fsm->words[i].name);
	}
	for (size_t i = 0; i < fsm->n_states; i++) {
		for (size_t j = 0; j < fsm->states[i].n_points; j++) {
			free(fsm->states[i].points[j]);
		}
		free(fsm->states[i].points);
		free(fsm->states[i].label);
		free(fsm->states[i].phase);
	}
	for (size_t i = 0; i < fsm->n_transitions; i++) {
		free(fsm->transitions[i].label);
	}
	free(fsm->machine);
	free(fsm->word);
	free(fsm->alphabet_json);
	free(fsm->letters);
	free(fsm->words);
	free(fsm->states);
	free(fsm->transitions);
	free(fsm->state_origins);
	free(fsm->transition_origins);
	free(fsm);
}

/* --- names of letters --- */

const char *kt_fsm_letter_name(const struct kt_fsm *fsm, size_t letter)
{
	return fsm->names && fsm->names[letter] ? fsm->names[letter] : fsm->letters[letter];
}

static int compare_letters(const void *key, const void *element)
{
	return strcmp(key, *(char *const *)element);
}

size_t kt_fsm_find_letter(const struct kt_fsm *fsm, const char *letter)
{
	char **found = fsm->n_letters ? bsearch(letter, fsm->letters, fsm->n_letters,
						sizeof(*fsm->letters), compare_letters)
				      : NULL;

	return found ? (size_t)(found - fsm->letters) : SIZE_MAX;
}

int kt_fsm_set_name(struct kt_fsm *fsm, size_t letter, const char *name)
{
	char *copy = strdup(name);

	if (copy && !fsm->names) {
		fsm->names = calloc(fsm->n_letters, sizeof(*fsm->names));
	}
	if (!copy || !fsm->names) {
		free(copy);
		return kt_no_memory("name letters");
	}
	free(fsm->names[letter]);
	fsm->names[letter] = copy;
	return KT_OK;
}

void kt_fsm_clear_names(struct kt_fsm *fsm)
{
	for (size_t i = 0; fsm->names && i < fsm->n_letters; i++) {
		free(fsm->names[i]);
	}
	free(fsm->names);
	fsm->names = NULL;
}

/* --- degrees --- */

int kt_fsm_count_complex(const struct kt_fsm *fsm, size_t *out)
{
	/*
	 * Degrees capped at two, in one byte per state: incoming in bits 0-1, outgoing in
	 * bits 2-3.
	 */
	unsigned char *degree = calloc(fsm->n_states ? fsm->n_states : 1, 1);

	if (!degree) {
		return kt_error(KT_E_MEMORY, "count complex states: out of memory");
	}
	for (size_t i = 0; i < fsm->n_transitions; i++) {
		const struct kt_fsm_transition *t = &fsm->transitions[i];

		if ((degree[t->to] & 3) < 2) {
			degree[t->to] += 1;
		}
		if ((degree[t->from] >> 2) < 2) {
			degree[t->from] += 4;
		}
	}
	*out = 0;
	for (size_t i = 0; i < fsm->n_states; i++) {
		*out += (degree[i] & 3) > 1 || (degree[i] >> 2) > 1;
	}
	free(degree);
	return KT_OK;
}

/* --- origins in a "diff" --- */

#define ID_TAKEN " is a duplicate id, or too large"

const char *kt_presence_name(enum kt_presence presence)
{
	switch (presence) {
	case KT_PRESENCE_BOTH: return "both";
	case KT_PRESENCE_OLD: return "old";
	case KT_PRESENCE_NEW: return "new";
	case KT_PRESENCE_NONE: break;
	}
	return NULL;
}

/* Returns whether a state or transition with origin `presence` is in `machine`. */
static bool is_in(enum kt_presence presence, enum kt_presence machine)
{
	return presence == KT_PRESENCE_BOTH || presence == machine;
}

static bool fits_state(enum kt_presence transition, enum kt_presence state)
{
	return state == KT_PRESENCE_BOTH || state == transition;
}

/* Marks a state's id in one machine as used; false if the id is already used or too large. */
static bool mark_id(bool *taken, size_t n, uint64_t id)
{
	if (id >= n || taken[id]) {
		return false;
	}
	taken[id] = true;
	return true;
}

static int check_states(const struct kt_fsm *fsm)
{
	bool *old_ids = calloc(fsm->n_states + 1, sizeof(*old_ids));
	bool *new_ids = calloc(fsm->n_states + 1, sizeof(*new_ids));
	int code = old_ids && new_ids ? KT_OK : kt_error(KT_E_MEMORY, "out of memory");

	for (size_t i = 0; !code && i < fsm->n_states; i++) {
		enum kt_presence presence = fsm->states[i].presence;
		const struct kt_fsm_origin *origin = &fsm->state_origins[i];

		if (presence == KT_PRESENCE_NONE) {
			code = kt_json_error("side", "is missing");
		} else if (is_in(presence, KT_PRESENCE_OLD) &&
			   !mark_id(old_ids, fsm->n_states, origin->in_old)) {
			code = kt_json_error("old", "%" PRIu64 ID_TAKEN, origin->in_old);
		} else if (is_in(presence, KT_PRESENCE_NEW) &&
			   !mark_id(new_ids, fsm->n_states, origin->in_new)) {
			code = kt_json_error("new", "%" PRIu64 ID_TAKEN, origin->in_new);
		}
		code = kt_json_within(code, "states", i);
	}
	free(old_ids);
	free(new_ids);
	return code;
}

static int check_transition(const struct kt_fsm *fsm, size_t i)
{
	const struct kt_fsm_transition *t = &fsm->transitions[i];
	const struct kt_fsm_origin *origin = &fsm->transition_origins[i];
	uint64_t sum;

	if (t->presence == KT_PRESENCE_NONE ||
	    !fits_state(t->presence, fsm->states[t->from].presence) ||
	    !fits_state(t->presence, fsm->states[t->to].presence)) {
		return kt_json_error("side",
				     "is missing, or differs from that of its states");
	}
	if (__builtin_add_overflow(origin->in_old, origin->in_new, &sum) ||
	    sum != t->count || (t->presence == KT_PRESENCE_OLD && origin->in_new != 0) ||
	    (t->presence == KT_PRESENCE_NEW && origin->in_old != 0)) {
		return kt_json_error("count",
				     "%" PRIu64 " is not the sum of \"old\" and \"new\"",
				     t->count);
	}
	return KT_OK;
}

/*
 * Returns whether t and the transition before t in the array have the same source state
 * and letter, and one of the two machines has both transitions.
 */
static bool is_twin(const struct kt_fsm_transition *t)
{
	return t[-1].from == t->from && t[-1].letter == t->letter &&
	       (t[-1].presence == t->presence || t[-1].presence == KT_PRESENCE_BOTH ||
		t->presence == KT_PRESENCE_BOTH);
}

int kt_fsm_check_presence(const struct kt_fsm *fsm)
{
	int code = check_states(fsm);

	for (size_t i = 0; !code && i < fsm->n_transitions; i++) {
		const struct kt_fsm_transition *t = &fsm->transitions[i];

		code = check_transition(fsm, i);
		if (!code && ((i > 0 && is_twin(t)) || (i > 1 && t[-2].from == t->from &&
							t[-2].letter == t->letter))) {
			code = kt_json_error("letter",
					     "leads to two states in one machine");
		}
		code = kt_json_within(code, "transitions", i);
	}
	return code;
}
