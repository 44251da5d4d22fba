/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* qsort_r */
#include "infer/engine/canonicalise.h"

#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/array.h"
#include "infer/engine/word-set.h"

struct numbering {
	struct kt_fsm *fsm;   /* Weak */
	struct kt_fold *fold; /* Weak */
	uint32_t *roots;      /* Owned by this: of a state, its root; also the queue */
	size_t roots_capacity;
	size_t states_capacity;
	size_t transitions_capacity;
	uint32_t *leaving; /* Owned by this: transitions of the state at hand */
	size_t leaving_capacity;
};

static int out_of_memory(void)
{
	return kt_error(KT_E_MEMORY, "number states: out of memory");
}

/* The number of the state a class is part of, a new one if it has none. */
static int number_state(uint32_t *out, struct numbering *numbering, uint32_t class)
{
	struct kt_fsm *fsm = numbering->fsm;
	uint32_t root = kt_fold_find(numbering->fold, class);
	int code;

	if (kt_fold_is_numbered(numbering->fold, root)) {
		*out = kt_fold_number(numbering->fold, root);
		return KT_OK;
	}
	if (fsm->n_states == KT_FOLD_NUMBERED) {
		return kt_error(KT_E_USAGE, "number states: they are more than 2^30");
	}
	code = kt_array_reserve(&fsm->states, &numbering->states_capacity,
				fsm->n_states + 1);
	code = code ? code
		    : kt_array_reserve(&numbering->roots, &numbering->roots_capacity,
				       fsm->n_states + 1);
	if (code) {
		return code;
	}
	*out = (uint32_t)fsm->n_states++;
	kt_fold_set_number(numbering->fold, root, *out);
	numbering->roots[*out] = root;
	fsm->states[*out] = (struct kt_fsm_state){0};
	return KT_OK;
}

static int compare_letters(const void *a, const void *b, void *letters)
{
	uint32_t x = ((const uint32_t *)letters)[*(const uint32_t *)a];
	uint32_t y = ((const uint32_t *)letters)[*(const uint32_t *)b];

	return (x > y) - (x < y);
}

/* The transitions of a root, in order of letters: numbering->leaving[0..*n). */
static int collect_leaving(size_t *n, struct numbering *numbering, uint32_t root)
{
	const struct kt_fold *fold = numbering->fold;
	int code = KT_OK;

	*n = 0;
	for (uint32_t t = root; !code && t != KT_FOLD_NONE; t = fold->next[t]) {
		if (!kt_fold_has_transition(fold, t)) {
			continue;
		}
		code = kt_array_reserve(&numbering->leaving, &numbering->leaving_capacity,
					*n + 1);
		if (!code) {
			numbering->leaving[(*n)++] = t;
		}
	}
	if (*n > 1) {
		qsort_r(numbering->leaving, *n, sizeof(*numbering->leaving),
			compare_letters, fold->letter);
	}
	return code;
}

static int add_transition(struct numbering *numbering, uint32_t from, uint32_t transition)
{
	struct kt_fsm *fsm = numbering->fsm;
	const struct kt_fold *fold = numbering->fold;
	struct kt_fsm_transition *added;
	uint32_t to = 0;
	int code = number_state(&to, numbering, fold->target[transition]);

	code = code ? code
		    : kt_array_reserve(&fsm->transitions, &numbering->transitions_capacity,
				       fsm->n_transitions + 1);
	if (code) {
		return code;
	}
	added = &fsm->transitions[fsm->n_transitions++];
	*added = (struct kt_fsm_transition){.from = from,
					    .letter = fold->letter[transition],
					    .to = to,
					    .count = fold->count[transition]};
	fsm->states[from].visits += added->count;
	return KT_OK;
}

/* Numbers a class's state, if it has no number yet, and all that can be reached from it. */
static int walk_from(struct numbering *numbering, uint32_t class)
{
	struct kt_fsm *fsm = numbering->fsm;
	size_t known = fsm->n_states;
	uint32_t first;
	int code = number_state(&first, numbering, class);

	for (size_t state = known; !code && state < fsm->n_states; state++) {
		size_t n = 0;

		code = collect_leaving(&n, numbering, numbering->roots[state]);
		for (size_t i = 0; !code && i < n; i++) {
			code = add_transition(numbering, (uint32_t)state,
					      numbering->leaving[i]);
		}
	}
	return code;
}

/* A word is in its last state once more than it leaves it. */
static int place_word(struct numbering *numbering, const struct kt_word *word,
		      const struct kt_word_place *place, const char *hash)
{
	struct kt_fsm *fsm = numbering->fsm;
	struct kt_fsm_word *placed = &fsm->words[fsm->n_words];

	placed->name = strdup(word->name);
	if (!placed->name) {
		return out_of_memory();
	}
	fsm->n_words++;
	placed->events = word->n;
	placed->lost = word->lost;
	placed->entry = kt_fold_number(numbering->fold,
				       kt_fold_find(numbering->fold, place->entry));
	placed->exit =
		kt_fold_number(numbering->fold, kt_fold_find(numbering->fold, place->exit));
	placed->complete = !word->cut_begin && !word->cut_end;
	memcpy(placed->hash, hash, sizeof(placed->hash));
	fsm->states[placed->exit].visits++;
	fsm->states[placed->exit].ends += !word->cut_end;
	return KT_OK;
}

static int place_words(struct numbering *numbering, const kt_words *words,
		       const struct kt_word_place *places,
		       const struct kt_word_order *order)
{
	int code = KT_OK;

	numbering->fsm->words = calloc(words->n_words + 1, sizeof(*numbering->fsm->words));
	if (!numbering->fsm->words) {
		return out_of_memory();
	}
	for (size_t i = 0; !code && i < words->n_words; i++) {
		size_t w = order->words[i];

		code = place_word(numbering, &words->words[w], &places[w], order->hash[w]);
	}
	return code;
}

/* Numbers go, degrees come back: the fold is as it was. */
static void forget_numbers(struct numbering *numbering)
{
	struct kt_fold *fold = numbering->fold;

	for (size_t i = 0; i < numbering->fsm->n_states; i++) {
		uint32_t root = numbering->roots[i];
		uint32_t degree = 0;

		for (uint32_t t = root; t != KT_FOLD_NONE; t = fold->next[t]) {
			degree += kt_fold_has_transition(fold, t);
		}
		kt_fold_set_degree(fold, root, degree);
	}
}

/* Arrays that grew have room to spare; give it back. */
static void trim(struct kt_fsm *fsm)
{
	void *states = realloc(fsm->states, (fsm->n_states + 1) * sizeof(*fsm->states));
	void *transitions = realloc(fsm->transitions,
				    (fsm->n_transitions + 1) * sizeof(*fsm->transitions));

	fsm->states = states ? states : fsm->states;
	fsm->transitions = transitions ? transitions : fsm->transitions;
}

int kt_canonicalise(struct kt_fsm *fsm, struct kt_fold *fold, const kt_words *words,
		    const struct kt_word_place *places, const struct kt_word_order *order)
{
	struct numbering numbering = {.fsm = fsm, .fold = fold};
	int code;

	code = walk_from(&numbering, 0);
	for (size_t i = 0; !code && i < words->n_words; i++) {
		code = walk_from(&numbering, places[order->words[i]].entry);
	}
	code = code ? code : place_words(&numbering, words, places, order);
	forget_numbers(&numbering);
	if (!code) {
		trim(fsm);
	}
	free(numbering.roots);
	free(numbering.leaving);
	return code;
}
