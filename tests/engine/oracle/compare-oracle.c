/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "compare-oracle.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int compare_words(const char *a, const char *b)
{
	size_t m = strlen(a);
	size_t n = strlen(b);

	return m != n ? (m > n) - (m < n) : strcmp(a, b);
}

/* Returns a state's transition with the letter, or NULL if there is none. */
static const struct kt_fsm_transition *take(const struct kt_fsm *fsm, uint32_t state,
					    char letter)
{
	for (size_t i = 0; i < fsm->n_transitions; i++) {
		const struct kt_fsm_transition *t = &fsm->transitions[i];

		if (t->from == state && fsm->letters[t->letter][0] == letter) {
			return t;
		}
	}
	return NULL;
}

bool accepts(const struct kt_fsm *fsm, const char *word)
{
	uint32_t state = fsm->start;

	for (; *word; word++) {
		const struct kt_fsm_transition *t = take(fsm, state, *word);

		if (!t) {
			return false;
		}
		state = t->to;
	}
	return true;
}

static char *append(const char *word, char letter)
{
	char *longer;

	if (asprintf(&longer, "%s%c", word, letter) < 0) {
		abort();
	}
	return longer;
}

/* Keeps the lesser of two words and frees the greater; returns whether it kept `word`. */
static bool keep_least(char **least, char *word)
{
	if (*least && compare_words(*least, word) <= 0) {
		free(word);
		return false;
	}
	free(*least);
	*least = word;
	return true;
}

/* Returns the least word that leads to each pair of states; NULL if no word does. */
static char **find_words(const struct kt_fsm *old, const struct kt_fsm *new)
{
	char **words = calloc(old->n_states * new->n_states, sizeof(*words));
	bool changed = true;

	if (!words) {
		abort();
	}
	keep_least(&words[old->start * new->n_states + new->start], strdup(""));
	while (changed) {
		changed = false;
		for (size_t i = 0; i < old->n_transitions; i++) {
			const struct kt_fsm_transition *a = &old->transitions[i];
			char letter = old->letters[a->letter][0];

			for (uint32_t q = 0; q < new->n_states; q++) {
				const struct kt_fsm_transition *b = take(new, q, letter);
				const char *word = words[a->from * new->n_states + q];

				if (b && word &&
				    keep_least(&words[a->to * new->n_states + b->to],
					       append(word, letter))) {
					changed = true;
				}
			}
		}
	}
	return words;
}

static void add_way(struct oracle *oracle, int version, size_t transition, char *word)
{
	for (size_t i = 0; i < oracle->n_ways; i++) {
		if (oracle->ways[i].version == version &&
		    oracle->ways[i].transition == transition) {
			keep_least(&oracle->ways[i].word, word);
			return;
		}
	}
	oracle->ways = realloc(oracle->ways, (oracle->n_ways + 1) * sizeof(*oracle->ways));
	if (!oracle->ways) {
		abort();
	}
	oracle->ways[oracle->n_ways++] = (struct oracle_way){version, transition, word};
}

static void find_ways(struct oracle *oracle, char *const *words, const struct kt_fsm *old,
		      const struct kt_fsm *new)
{
	const struct kt_fsm *fsm[2] = {old, new};

	for (uint32_t pair = 0; pair < old->n_states * new->n_states; pair++) {
		uint32_t state[2] = {(uint32_t)(pair / new->n_states),
				     (uint32_t)(pair % new->n_states)};

		for (int s = 0; words[pair] && s < 2; s++) {
			for (size_t i = 0; i < fsm[s]->n_transitions; i++) {
				const struct kt_fsm_transition *t = &fsm[s]->transitions[i];
				char letter = fsm[s]->letters[t->letter][0];

				if (t->from == state[s] &&
				    !take(fsm[1 - s], state[1 - s], letter)) {
					add_way(oracle, s, i, append(words[pair], letter));
				}
			}
		}
	}
}

static int compare_ways(const void *a, const void *b)
{
	return compare_words(((const struct oracle_way *)a)->word,
			     ((const struct oracle_way *)b)->word);
}

struct oracle compare_slowly(const struct kt_fsm *old, const struct kt_fsm *new)
{
	struct oracle oracle = {0};
	char **words = find_words(old, new);

	find_ways(&oracle, words, old, new);
	oracle.equal = oracle.n_ways == 0;
	if (oracle.n_ways) {
		qsort(oracle.ways, oracle.n_ways, sizeof(*oracle.ways), compare_ways);
	}
	for (size_t i = 0; i < old->n_states * new->n_states; i++) {
		free(words[i]);
	}
	free(words);
	return oracle;
}

void oracle_clear(struct oracle *oracle)
{
	for (size_t i = 0; i < oracle->n_ways; i++) {
		free(oracle->ways[i].word);
	}
	free(oracle->ways);
	*oracle = (struct oracle){0};
}
