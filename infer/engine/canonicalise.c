/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* qsort_r */
#include "infer/engine/canonicalise.h"

#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/try.h"
#include "infer/engine/word-set.h"

struct numbering {
	struct kt_fsm *fsm;   /* Weak */
	struct kt_fold *fold; /* Weak */
	uint32_t *roots;      /* Owned by this: the root of each state's class; also the
			       * breadth-first queue */
	size_t roots_capacity;
	size_t states_capacity;
	size_t transitions_capacity;
	uint32_t *leaving; /* Owned by this: transitions that leave the current state */
	size_t leaving_capacity;
};

/*
 * Writes the number of the class's state to *out; a state without a number gets the next
 * one.
 */
static int number_state(uint32_t *out, struct numbering *numbering, uint32_t class)
{
	struct kt_fsm *fsm = numbering->fsm;
	uint32_t root = kt_fold_find(numbering->fold, class);

	if (kt_fold_is_numbered(numbering->fold, root)) {
		*out = kt_fold_number(numbering->fold, root);
		return KT_OK;
	}
	if (fsm->n_states == KT_FOLD_NUMBERED) {
		return kt_error(KT_E_USAGE, "number states: they are more than 2^30");
	}
	KT_TRY(kt_array_reserve(&fsm->states, &numbering->states_capacity,
				fsm->n_states + 1));
	KT_TRY(kt_array_reserve(&numbering->roots, &numbering->roots_capacity,
				fsm->n_states + 1));
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

/*
 * Numbers the state of a class and every state reachable from it. If the state already has
 * a number, all states reachable from it have numbers too, and nothing is done.
 */
static int walk_from(struct numbering *numbering, uint32_t class)
{
	struct kt_fsm *fsm = numbering->fsm;
	const struct kt_fold *fold = numbering->fold;
	size_t known = fsm->n_states;
	uint32_t first;

	KT_TRY(number_state(&first, numbering, class));
	for (size_t state = known; state < fsm->n_states; state++) {
		size_t n = 0;

		for (uint32_t t = numbering->roots[state]; t != KT_FOLD_NONE;
		     t = fold->next[t]) {
			if (kt_fold_has_transition(fold, t)) {
				KT_TRY(kt_array_reserve(&numbering->leaving,
							&numbering->leaving_capacity,
							n + 1));
				numbering->leaving[n++] = t;
			}
		}
		if (n > 1) {
			qsort_r(numbering->leaving, n, sizeof(*numbering->leaving),
				compare_letters, fold->letter);
		}
		for (size_t i = 0; i < n; i++) {
			uint32_t t = numbering->leaving[i];
			uint32_t to = 0;

			KT_TRY(number_state(&to, numbering, fold->target[t]));
			KT_TRY(kt_array_reserve(&fsm->transitions,
						&numbering->transitions_capacity,
						fsm->n_transitions + 1));
			fsm->transitions[fsm->n_transitions++] = (struct kt_fsm_transition){
				.from = (uint32_t)state,
				.letter = fold->letter[t],
				.to = to,
				.count = fold->count[t],
			};
			fsm->states[state].visits += fold->count[t];
		}
	}
	return KT_OK;
}

int kt_canonicalise(struct kt_fsm *fsm, struct kt_fold *fold, const kt_words *words,
		    const struct kt_word_span *spans, const struct kt_word_order *order)
{
	struct numbering numbering = {.fsm = fsm, .fold = fold};
	void *states;
	void *transitions;
	int code;

	KT_TRY_END(walk_from(&numbering, 0));
	for (size_t i = 0; i < words->n_words; i++) {
		KT_TRY_END(walk_from(&numbering, spans[order->words[i]].entry));
	}
	fsm->words = calloc(words->n_words + 1, sizeof(*fsm->words));
	if (!fsm->words) {
		code = kt_no_memory("number states");
		goto end;
	}
	for (size_t i = 0; i < words->n_words; i++) {
		size_t w = order->words[i];
		const struct kt_word *word = &words->words[w];
		struct kt_fsm_word *placed = &fsm->words[i];

		placed->name = strdup(word->name);
		if (!placed->name) {
			code = kt_no_memory("number states");
			goto end;
		}
		fsm->n_words++;
		placed->events = word->n;
		placed->lost = word->lost;
		placed->entry = kt_fold_number(fold, kt_fold_find(fold, spans[w].entry));
		placed->exit = kt_fold_number(fold, kt_fold_find(fold, spans[w].exit));
		placed->complete = !word->cut_begin && !word->cut_end;
		memcpy(placed->hash, order->hash[w], sizeof(placed->hash));
		/*
		 * Up to here, `visits` counts how often words leave a state. A word does
		 * not leave its last state, so one visit must be added there.
		 */
		fsm->states[placed->exit].visits++;
		fsm->states[placed->exit].ends += !word->cut_end;
	}
	/* Growing by doubling left spare space in the arrays: free it. */
	states = realloc(fsm->states, (fsm->n_states + 1) * sizeof(*fsm->states));
	transitions = realloc(fsm->transitions,
			      (fsm->n_transitions + 1) * sizeof(*fsm->transitions));
	fsm->states = states ? states : fsm->states;
	fsm->transitions = transitions ? transitions : fsm->transitions;
end:
	/*
	 * The roots of the fold now hold state numbers in place of degrees (numbers of
	 * transitions). Restore the degrees, so that the fold can continue to merge.
	 */
	for (size_t i = 0; i < fsm->n_states; i++) {
		uint32_t root = numbering.roots[i];
		uint32_t degree = 0;

		for (uint32_t t = root; t != KT_FOLD_NONE; t = fold->next[t]) {
			degree += kt_fold_has_transition(fold, t);
		}
		kt_fold_set_degree(fold, root, degree);
	}
	free(numbering.roots);
	free(numbering.leaving);
	return code;
}
