/* SPDX-License-Identifier: MIT */
#include "tests/softgpu/truth/walk.h"

#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

int walk_new(struct walk *out, const struct kt_fsm *fsm)
{
	*out = (struct walk){
		.fsm = fsm,
		.first = calloc(fsm->n_states + 1, sizeof(*out->first)),
		.covered = calloc(fsm->n_transitions + 1, sizeof(*out->covered)),
	};
	if (!out->first || !out->covered) {
		walk_free(out);
		return kt_no_memory("check words");
	}
	for (size_t i = 0; i < fsm->n_transitions; i++) {
		out->first[fsm->transitions[i].from + (size_t)1]++;
	}
	for (size_t i = 0; i < fsm->n_states; i++) {
		out->first[i + 1] += out->first[i];
	}
	return KT_OK;
}

void walk_free(struct walk *walk)
{
	free(walk->first);
	free(walk->covered);
	*walk = (struct walk){0};
}

size_t walk_find(const struct walk *walk, uint32_t state, uint32_t letter)
{
	for (size_t i = walk->first[state]; i < walk->first[state + (size_t)1]; i++) {
		if (walk->fsm->transitions[i].letter == letter) {
			return i;
		}
	}
	return SIZE_MAX;
}

uint32_t walk_letter(const struct walk *walk, const char *name)
{
	for (uint32_t i = 0; i < walk->fsm->n_letters; i++) {
		if (strcmp(walk->fsm->letters[i], name) == 0) {
			return i;
		}
	}
	return UINT32_MAX;
}

/*
 * Computes the states that the letter can reach from the possible states. Returns their
 * number.
 */
static size_t step(struct walk *walk, const uint32_t *states, size_t n, uint32_t letter,
		   uint32_t *next, bool *seen)
{
	size_t left = 0;

	for (size_t i = 0; i < n; i++) {
		size_t t = walk_find(walk, states[i], letter);

		if (t == SIZE_MAX) {
			continue;
		}
		walk->covered[t] |= n == 1;
		if (!seen[walk->fsm->transitions[t].to]) {
			seen[walk->fsm->transitions[t].to] = true;
			next[left++] = walk->fsm->transitions[t].to;
		}
	}
	for (size_t i = 0; i < left; i++) {
		seen[next[i]] = false;
	}
	return left;
}

static int read_letters(const kt_words *words, size_t word, uint64_t n, uint32_t **out)
{
	*out = calloc(n + 1, sizeof(**out));
	return *out ? kt_words_read(words, word, 0, n, *out) : kt_no_memory("check words");
}

static void walk_letters(struct walk *walk, const kt_words *words, const uint32_t *letters,
			 uint64_t n, struct verdict *out, uint32_t *next, bool *seen)
{
	out->accepted = true;
	for (out->position = 0; out->position < n; out->position++) {
		const char *name = kt_words_letter_name(words, letters[out->position]);
		size_t left = step(walk, out->states, out->n_states,
				   walk_letter(walk, name), next, seen);

		if (left == 0) {
			out->accepted = false;
			return;
		}
		memcpy(out->states, next, left * sizeof(*next));
		out->n_states = left;
	}
}

int walk_word(struct walk *walk, const kt_words *words, size_t word, struct verdict *out)
{
	size_t n_states = walk->fsm->n_states;
	uint32_t *next = calloc(n_states, sizeof(*next));
	bool *seen = calloc(n_states, sizeof(*seen));
	struct kt_word_info info;
	uint32_t *letters = NULL;
	uint64_t n = 0;
	int code = kt_words_get(words, word, &info, &n);

	*out = (struct verdict){.states = calloc(n_states, sizeof(*out->states))};
	if (!next || !seen || !out->states) {
		code = kt_no_memory("check words");
	}
	code = code ? code : read_letters(words, word, n, &letters);
	if (!code) {
		for (uint32_t i = 0; i < n_states; i++) {
			if (info.cut_begin || i == walk->fsm->start) {
				out->states[out->n_states++] = i;
			}
		}
		walk_letters(walk, words, letters, n, out, next, seen);
	}
	free(letters);
	free(next);
	free(seen);
	return code;
}
