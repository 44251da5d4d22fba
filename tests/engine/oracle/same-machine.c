/* SPDX-License-Identifier: MIT */
#include "reference.h"

#include <stdio.h>
#include <string.h>

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

static bool same_word(const struct kt_fsm_word *a, const struct kt_fsm_word *b)
{
	return same_text(a->name, b->name) && a->events == b->events &&
	       a->lost == b->lost && a->entry == b->entry && a->exit == b->exit &&
	       a->complete == b->complete && same_text(a->hash, b->hash);
}

static bool same_transition(const struct kt_fsm_transition *a,
			    const struct kt_fsm_transition *b)
{
	return a->from == b->from && a->letter == b->letter && a->to == b->to &&
	       a->count == b->count;
}

static bool same_head(const struct kt_fsm *a, const struct kt_fsm *b)
{
	return a->k == b->k && same_text(a->machine, b->machine) &&
	       same_text(a->word, b->word) &&
	       same_text(a->alphabet_json, b->alphabet_json) && a->start == b->start;
}

bool same_machine(const struct kt_fsm *a, const struct kt_fsm *b, char *text, size_t size)
{
	snprintf(text, size, "same");
	if (!same_head(a, b)) {
		snprintf(text, size, "heads differ");
		return false;
	}
	if (a->n_letters != b->n_letters || a->n_words != b->n_words ||
	    a->n_states != b->n_states || a->n_transitions != b->n_transitions) {
		snprintf(text, size,
			 "%zu and %zu letters, %zu and %zu words, %zu and %zu states, %zu "
			 "and "
			 "%zu transitions",
			 a->n_letters, b->n_letters, a->n_words, b->n_words, a->n_states,
			 b->n_states, a->n_transitions, b->n_transitions);
		return false;
	}
	for (size_t i = 0; i < a->n_letters; i++) {
		if (!same_text(a->letters[i], b->letters[i])) {
			snprintf(text, size, "letter %zu differs", i);
			return false;
		}
	}
	for (size_t i = 0; i < a->n_words; i++) {
		if (!same_word(&a->words[i], &b->words[i])) {
			snprintf(text, size, "word %zu differs", i);
			return false;
		}
	}
	for (size_t i = 0; i < a->n_states; i++) {
		if (a->states[i].visits != b->states[i].visits ||
		    a->states[i].ends != b->states[i].ends) {
			snprintf(text, size, "state %zu differs", i);
			return false;
		}
	}
	for (size_t i = 0; i < a->n_transitions; i++) {
		if (!same_transition(&a->transitions[i], &b->transitions[i])) {
			snprintf(text, size, "transition %zu differs", i);
			return false;
		}
	}
	return true;
}
