/* SPDX-License-Identifier: MIT */
#include "infer/check/check-reader.h"

#include <stdlib.h>
#include <string.h>

struct kt_check_word {
	const kt_check *check; /* Weak */
	uint64_t position;
	bool all;          /* it may be in any state */
	size_t n;          /* else the states it may be in */
	uint32_t one;      /* the only one, if n is 1 */
	uint32_t *states;  /* Owned by this: if n is more; NULL until it was */
	uint32_t *marks;   /* Owned by this: by state, the letter that last led there */
	uint32_t mark;     /* of the letter in hand */
	uint32_t *letters; /* Owned by this: those expected; NULL until asked for */
};

/* --- its letters --- */

int kt_check_begin(kt_check_word **out, const kt_check *check, bool cut_begin)
{
	kt_check_word *word = calloc(1, sizeof(*word));

	*out = word;
	if (!word) {
		return kt_no_memory("read words");
	}
	word->check = check;
	word->all = cut_begin && check->fsm->n_states > 1;
	word->n = 1;
	word->one = cut_begin ? 0 : check->fsm->start;
	return KT_OK;
}

void kt_check_end(kt_check_word *word)
{
	if (word) {
		free(word->states);
		free(word->marks);
		free(word->letters);
		free(word);
	}
}

uint64_t kt_check_position(const kt_check_word *word)
{
	return word->position;
}

/* Room for a set of states. */
static int make_room(kt_check_word *word)
{
	size_t n = word->check->fsm->n_states;

	if (word->states) {
		return KT_OK;
	}
	word->states = malloc(n * sizeof(*word->states));
	word->marks = calloc(n, sizeof(*word->marks));
	if (!word->states || !word->marks) {
		free(word->states);
		free(word->marks);
		word->states = NULL;
		word->marks = NULL;
		return kt_no_memory("read words");
	}
	return KT_OK;
}

/* A new mark, that no state bears. */
static void clear_marks(kt_check_word *word)
{
	if (++word->mark == 0) {
		memset(word->marks, 0, word->check->fsm->n_states * sizeof(*word->marks));
		word->mark = 1;
	}
}

/* Puts a state at states[n], unless it is among those in front of it. */
static size_t put(kt_check_word *word, size_t n, uint32_t state)
{
	if (word->marks[state] == word->mark) {
		return n;
	}
	word->marks[state] = word->mark;
	word->states[n] = state;
	return n + 1;
}

static void set_states(kt_check_word *word, size_t n)
{
	word->all = false;
	word->n = n;
	word->one = word->states[0];
	word->position++;
}

static void set_one(kt_check_word *word, uint32_t state)
{
	word->all = false;
	word->n = 1;
	word->one = state;
	word->position++;
}

static bool is_known(const kt_check *check, uint32_t letter)
{
	return letter < check->fsm->n_letters &&
	       check->letter_first[letter] < check->letter_first[letter + 1];
}

/* To wherever the letter leads from any state: there must be such a place. */
static int step_from_all(kt_check_word *word, uint32_t letter)
{
	const kt_check *check = word->check;
	size_t first = check->letter_first[letter];
	size_t end = check->letter_first[letter + 1];
	size_t n = 0;
	int code;

	if (end - first == 1) {
		set_one(word, check->fsm->transitions[check->of_letter[first]].to);
		return KT_OK;
	}
	code = make_room(word);
	if (code) {
		return code;
	}
	clear_marks(word);
	for (size_t i = first; i < end; i++) {
		n = put(word, n, check->fsm->transitions[check->of_letter[i]].to);
	}
	set_states(word, n);
	return KT_OK;
}

/* Each target takes a place at or in front of its origin's. */
static bool step_from_some(kt_check_word *word, uint32_t letter)
{
	size_t read = 0;
	size_t n = 0;

	/* Nothing is overwritten before it is known that something fits. */
	while (read < word->n && kt_check_target(word->check, word->states[read], letter) ==
					 KT_CHECK_NOWHERE) {
		read++;
	}
	if (read == word->n) {
		return false;
	}
	clear_marks(word);
	for (; read < word->n; read++) {
		uint32_t target = kt_check_target(word->check, word->states[read], letter);

		n = target == KT_CHECK_NOWHERE ? n : put(word, n, target);
	}
	set_states(word, n);
	return true;
}

int kt_check_feed(bool *fits, kt_check_word *word, uint32_t letter)
{
	uint32_t target;

	*fits = is_known(word->check, letter);
	if (!*fits) {
		return KT_OK;
	}
	if (word->all) {
		return step_from_all(word, letter);
	}
	if (word->n > 1) {
		*fits = step_from_some(word, letter);
		return KT_OK;
	}
	target = kt_check_target(word->check, word->one, letter);
	*fits = target != KT_CHECK_NOWHERE;
	if (*fits) {
		set_one(word, target);
	}
	return KT_OK;
}

int kt_check_skip(kt_check_word *word, uint32_t letter)
{
	if (is_known(word->check, letter)) {
		return step_from_all(word, letter);
	}
	word->all = word->check->fsm->n_states > 1;
	word->n = 1;
	word->one = 0;
	word->position++;
	return KT_OK;
}

/* --- what can be told of it --- */

bool kt_check_state(uint32_t *state, const kt_check_word *word)
{
	*state = word->one;
	return !word->all && word->n == 1;
}

static int compare_numbers(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a;
	uint32_t y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

int kt_check_states(const uint32_t **states, size_t *n, kt_check_word *word)
{
	int code = KT_OK;

	*states = &word->one;
	*n = word->n;
	if (word->all) {
		code = make_room(word);
		*n = word->check->fsm->n_states;
		for (size_t i = 0; i < *n && !code; i++) {
			word->states[i] = (uint32_t)i;
		}
	} else if (word->n > 1) {
		qsort(word->states, word->n, sizeof(*word->states), compare_numbers);
	}
	*states = *n > 1 ? word->states : &word->one;
	return code;
}

static size_t add_expected(kt_check_word *word, size_t n, uint32_t state)
{
	const kt_check *check = word->check;
	size_t end = check->state_first[state + 1];

	for (size_t i = check->state_first[state]; i < end; i++) {
		word->letters[n++] = check->fsm->transitions[check->of_state[i]].letter;
	}
	return n;
}

static size_t count_transitions(const kt_check *check, const uint32_t *states, size_t n)
{
	size_t sum = 0;

	for (size_t i = 0; i < n; i++) {
		sum += check->state_first[states[i] + 1] - check->state_first[states[i]];
	}
	return sum;
}

int kt_check_expected(const uint32_t **letters, size_t *n, kt_check_word *word)
{
	const uint32_t *states;
	size_t n_states;
	size_t found = 0;
	int code = kt_check_states(&states, &n_states, word);

	*letters = NULL;
	*n = 0;
	if (code) {
		return code;
	}
	free(word->letters);
	word->letters = malloc((count_transitions(word->check, states, n_states) + 1) *
			       sizeof(*word->letters));
	if (!word->letters) {
		return kt_no_memory("read words");
	}
	for (size_t i = 0; i < n_states; i++) {
		found = add_expected(word, found, states[i]);
	}
	qsort(word->letters, found, sizeof(*word->letters), compare_numbers);
	for (size_t i = 0; i < found; i++) {
		if (*n == 0 || word->letters[*n - 1] != word->letters[i]) {
			word->letters[(*n)++] = word->letters[i];
		}
	}
	*letters = word->letters;
	return KT_OK;
}
