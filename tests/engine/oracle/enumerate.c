/* SPDX-License-Identifier: MIT */
/* Enumerates k-tails: all strings of at most k letters that can follow a state. */
#include "reference-internal.h"

#include <stdlib.h>
#include <string.h>

struct strings {
	uint32_t (*text)[16];
	size_t *length;
	size_t n;
	bool unknown;
};

#define STRINGS_MAX 256

static void add_string(struct strings *strings, const uint32_t *text, size_t length)
{
	for (size_t i = 0; i < strings->n; i++) {
		if (strings->length[i] == length &&
		    memcmp(strings->text[i], text, length * sizeof(*text)) == 0) {
			return;
		}
	}
	if (strings->n == STRINGS_MAX) {
		abort();
	}
	memcpy(strings->text[strings->n], text, length * sizeof(*text));
	strings->length[strings->n++] = length;
}

/* Returns whether an earlier word has the same step from states[j] to states[j + 1]. */
static bool is_repeated(const struct reference *r, size_t i, size_t j)
{
	const struct reference_word *word = &r->words[i];

	for (size_t k = 0; k < i; k++) {
		const struct reference_word *other = &r->words[k];

		if (j < other->n && other->states[j] == word->states[j] &&
		    other->states[j + 1] == word->states[j + 1]) {
			return true;
		}
	}
	return false;
}

/* Adds the string so far and all its continuations, over the transitions of all words. */
static void walk(struct strings *strings, const struct reference *r, uint32_t state,
		 uint32_t *text, size_t length)
{
	add_string(strings, text, length);
	for (size_t i = 0; i < r->n_words; i++) {
		const struct reference_word *word = &r->words[i];

		for (size_t j = 0; j <= word->n; j++) {
			if (word->states[j] != state || length >= r->k) {
				continue;
			}
			if (j == word->n) {
				/* The letters after a cut are unknown. */
				strings->unknown |= word->cut_end;
			} else if (is_repeated(r, i, j)) {
				continue;
			} else if (length + 1 >= sizeof(*strings->text) / sizeof(*text)) {
				abort();
			} else {
				text[length] = word->letters[j];
				walk(strings, r, word->states[j + 1], text, length + 1);
			}
		}
	}
}

static bool subset(const struct strings *a, const struct strings *b)
{
	for (size_t i = 0; i < a->n; i++) {
		bool found = false;

		for (size_t j = 0; j < b->n && !found; j++) {
			found = a->length[i] == b->length[j] &&
				memcmp(a->text[i], b->text[j],
				       a->length[i] * sizeof(*a->text[i])) == 0;
		}
		if (!found) {
			return false;
		}
	}
	return true;
}

static bool equal(const struct strings *a, const struct strings *b)
{
	return !a->unknown && !b->unknown && subset(a, b) && subset(b, a);
}

static bool nothing_begins(const struct reference *r)
{
	for (size_t i = 0; i < r->n_words; i++) {
		if (!r->words[i].cut_begin) {
			return false;
		}
	}
	return true;
}

bool reference_agrees_with_strings(const struct reference *r)
{
	struct strings *all = reference_allocate(r->n_states, sizeof(*all));
	bool agrees = true;
	uint32_t text[16];

	for (uint32_t s = 0; s < r->n_states; s++) {
		all[s].text = reference_allocate(STRINGS_MAX, sizeof(*all[s].text));
		all[s].length = reference_allocate(STRINGS_MAX, sizeof(*all[s].length));
		walk(&all[s], r, s, text, 0);
	}
	all[0].unknown |= r->k >= 1 && nothing_begins(r);
	for (uint32_t s = 0; s < r->n_states; s++) {
		agrees = agrees && all[s].unknown == reference_tail_is_unknown(r, s);
		for (uint32_t t = 0; t < s; t++) {
			agrees = agrees &&
				 equal(&all[s], &all[t]) == (r->tails[s] == r->tails[t]);
		}
	}
	for (uint32_t s = 0; s < r->n_states; s++) {
		free(all[s].text);
		free(all[s].length);
	}
	free(all);
	return agrees;
}
