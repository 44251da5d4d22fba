/* SPDX-License-Identifier: MIT */
#include <ktail/check.h>

#include <stdlib.h>
#include <string.h>

#include "base/hash-index.h"
#include "base/order.h"
#include "base/try.h"

#define BATCH   4096
#define NOWHERE UINT32_MAX /* no state, no transition */

struct kt_check {
	const struct kt_fsm *fsm;       /* Weak */
	struct kt_hash_index by_letter; /* transitions by (from, letter) */
	struct kt_groups by_state;      /* Owned by this: transitions by `from` */
	struct kt_groups of_letter;     /* Owned by this: transitions by letter */
};

struct kt_check_word {
	const kt_check *check; /* Weak */
	uint64_t position;
	bool all;         /* the word may be in any state */
	size_t n;         /* otherwise, the number of states that it may be in */
	uint32_t one;     /* the state, if n is 1 */
	uint32_t *states; /* Owned by this: the states, if n > 1; NULL until needed */
	/*
	 * Owned by this: for each state, the value of `mark` when a letter last led to the
	 * state
	 */
	uint32_t *marks;
	uint32_t mark;     /* of the current letter; see clear_marks() */
	uint32_t *letters; /* Owned by this: expected letters; NULL until requested */
};

/* --- the machine --- */

static uint32_t hash_of(uint32_t from, uint32_t letter)
{
	return kt_hash_number((uint64_t)from << 32 | letter);
}

static uint32_t find_transition(const kt_check *check, uint32_t from, uint32_t letter)
{
	struct kt_hash_probe probe =
		kt_hash_probe(&check->by_letter, hash_of(from, letter));
	uint32_t i;

	while (kt_hash_next(&check->by_letter, &probe, &i)) {
		const struct kt_fsm_transition *t = &check->fsm->transitions[i];

		if (t->from == from && t->letter == letter) {
			return i;
		}
	}
	return NOWHERE;
}

/* Returns the state that a letter leads to from a state, or NOWHERE. O(1) on average. */
static uint32_t target_of(const kt_check *check, uint32_t from, uint32_t letter)
{
	uint32_t t = find_transition(check, from, letter);

	return t == NOWHERE ? NOWHERE : check->fsm->transitions[t].to;
}

uint32_t kt_check_transition(const kt_check *check, uint32_t state, uint32_t letter)
{
	uint32_t t = letter < check->fsm->n_letters ? find_transition(check, state, letter)
						    : NOWHERE;

	return t == NOWHERE ? KT_CHECK_UNKNOWN : t;
}

int kt_check_new(kt_check **out, const struct kt_fsm *fsm)
{
	kt_check *check;
	int code;

	*out = NULL;
	if (!fsm || fsm->n_states == 0) {
		return kt_error(KT_E_USAGE, "read words: the machine has no state");
	}
	check = calloc(1, sizeof(*check));
	if (!check) {
		return kt_no_memory("read words");
	}
	check->fsm = fsm;
	if (kt_hash_reserve(&check->by_letter, fsm->n_transitions)) {
		code = kt_no_memory("read words");
		goto end;
	}
	for (size_t i = 0; i < fsm->n_transitions; i++) {
		const struct kt_fsm_transition *t = &fsm->transitions[i];

		if (find_transition(check, t->from, t->letter) != NOWHERE) {
			code = kt_error(KT_E_USAGE,
					"read words: state %u of the machine has two "
					"transitions with letter %s, so it is not "
					"deterministic",
					t->from, fsm->letters[t->letter]);
			goto end;
		}
		kt_hash_put(&check->by_letter, hash_of(t->from, t->letter), (uint32_t)i);
	}
	KT_TRY_END(kt_group(&check->by_state, fsm->transitions, from, fsm->n_transitions,
			    fsm->n_states, NULL, "read words"));
	code = kt_group(&check->of_letter, fsm->transitions, letter, fsm->n_transitions,
			fsm->n_letters, NULL, "read words");
end:
	if (code) {
		kt_check_free(check);
		return code;
	}
	*out = check;
	return KT_OK;
}

void kt_check_free(kt_check *check)
{
	if (check) {
		kt_hash_free(&check->by_letter);
		kt_groups_clear(&check->by_state);
		kt_groups_clear(&check->of_letter);
		free(check);
	}
}

uint32_t kt_check_letter(const kt_check *check, const char *name, size_t length)
{
	size_t lo = 0;
	size_t hi = check->fsm->n_letters;

	while (lo < hi) {
		size_t middle = lo + (hi - lo) / 2;
		const char *other = check->fsm->letters[middle];
		int order = strncmp(other, name, length);

		order = order == 0 && other[length] ? 1 : order;
		if (order == 0) {
			return (uint32_t)middle;
		}
		if (order < 0) {
			lo = middle + 1;
		} else {
			hi = middle;
		}
	}
	return KT_CHECK_UNKNOWN;
}

/* --- letters of a word --- */

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

/* Allocates `states` and `marks`, unless an earlier call did. */
static int reserve_states(kt_check_word *word)
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

/* Advances the mark to a value that no state has, so that all states count as unmarked. */
static void clear_marks(kt_check_word *word)
{
	if (++word->mark == 0) {
		memset(word->marks, 0, word->check->fsm->n_states * sizeof(*word->marks));
		word->mark = 1;
	}
}

/* Stores a state at states[n], unless it is marked; returns the new number of states. */
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
	       check->of_letter.first[letter] < check->of_letter.first[letter + 1];
}

/*
 * Moves the word to the targets of all transitions with the letter, of which at least one
 * must exist.
 */
static int step_from_all(kt_check_word *word, uint32_t letter)
{
	const kt_check *check = word->check;
	size_t first = check->of_letter.first[letter];
	size_t end = check->of_letter.first[letter + 1];
	size_t n = 0;

	if (end - first == 1) {
		set_one(word, check->fsm->transitions[check->of_letter.member[first]].to);
		return KT_OK;
	}
	KT_TRY(reserve_states(word));
	clear_marks(word);
	for (size_t i = first; i < end; i++) {
		n = put(word, n, check->fsm->transitions[check->of_letter.member[i]].to);
	}
	set_states(word, n);
	return KT_OK;
}

int kt_check_feed(bool *fits, kt_check_word *word, uint32_t letter)
{
	const kt_check *check = word->check;
	uint32_t target = NOWHERE;
	size_t read = 0;
	size_t n = 0;

	*fits = is_known(check, letter);
	if (!*fits) {
		return KT_OK;
	}
	if (word->all) {
		return step_from_all(word, letter);
	}
	if (word->n == 1) {
		target = target_of(check, word->one, letter);
		*fits = target != NOWHERE;
		if (*fits) {
			set_one(word, target);
		}
		return KT_OK;
	}
	/*
	 * If the letter fits from no state, the set must stay unchanged. Therefore
	 * overwrite nothing until a state is found from which the letter fits.
	 */
	while (read < word->n && target_of(check, word->states[read], letter) == NOWHERE) {
		read++;
	}
	*fits = read < word->n;
	if (!*fits) {
		return KT_OK;
	}
	/*
	 * Each state has at most one target, so the new set never grows past the read
	 * position and can replace the old set in place.
	 */
	clear_marks(word);
	for (; read < word->n; read++) {
		target = target_of(check, word->states[read], letter);
		n = target == NOWHERE ? n : put(word, n, target);
	}
	set_states(word, n);
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

/* --- queries --- */

bool kt_check_state(uint32_t *state, const kt_check_word *word)
{
	*state = word->one;
	return !word->all && word->n == 1;
}

int kt_check_states(const uint32_t **states, size_t *n, kt_check_word *word)
{
	int code = KT_OK;

	*states = &word->one;
	*n = word->n;
	if (word->all) {
		code = reserve_states(word);
		*n = word->check->fsm->n_states;
		for (size_t i = 0; i < *n && !code; i++) {
			word->states[i] = (uint32_t)i;
		}
	} else if (word->n > 1) {
		qsort(word->states, word->n, sizeof(*word->states), kt_compare_u32);
	}
	*states = *n > 1 ? word->states : &word->one;
	return code;
}

int kt_check_expected(const uint32_t **letters, size_t *n, kt_check_word *word)
{
	const kt_check *check = word->check;
	const size_t *first = check->by_state.first;
	const uint32_t *states;
	size_t n_states;
	size_t sum = 0;
	size_t found = 0;

	*letters = NULL;
	*n = 0;
	KT_TRY(kt_check_states(&states, &n_states, word));
	for (size_t i = 0; i < n_states; i++) {
		sum += first[states[i] + 1] - first[states[i]];
	}
	free(word->letters);
	word->letters = malloc((sum + 1) * sizeof(*word->letters));
	if (!word->letters) {
		return kt_no_memory("read words");
	}
	for (size_t i = 0; i < n_states; i++) {
		for (size_t j = first[states[i]]; j < first[states[i] + 1]; j++) {
			word->letters[found++] =
				check->fsm->transitions[check->by_state.member[j]].letter;
		}
	}
	qsort(word->letters, found, sizeof(*word->letters), kt_compare_u32);
	for (size_t i = 0; i < found; i++) {
		if (*n == 0 || word->letters[*n - 1] != word->letters[i]) {
			word->letters[(*n)++] = word->letters[i];
		}
	}
	*letters = word->letters;
	return KT_OK;
}

/* --- all words of a set --- */

int kt_check_words(uint64_t *fitting, const kt_check *check, const kt_words *words)
{
	size_t n_letters = kt_words_letter_count(words);
	/* by letter of the set: the machine's number of that letter */
	uint32_t *numbers = malloc((n_letters + 1) * sizeof(*numbers));
	kt_check_word *word = NULL;
	uint32_t batch[BATCH];
	int code = KT_OK;

	if (!numbers) {
		return kt_no_memory("read words");
	}
	for (size_t i = 0; i < n_letters; i++) {
		const char *name = kt_words_letter_name(words, (uint32_t)i);

		numbers[i] = kt_check_letter(check, name, strlen(name));
	}
	for (size_t i = 0; i < kt_words_count(words); i++) {
		struct kt_word_info info;
		bool fits = true;
		uint64_t n;

		KT_TRY_END(kt_words_get(words, i, &info, &n));
		KT_TRY_END(kt_check_begin(&word, check, info.cut_begin));
		for (uint64_t from = 0; from < n && fits; from += BATCH) {
			size_t m = n - from < BATCH ? (size_t)(n - from) : BATCH;

			KT_TRY_END(kt_words_read(words, i, from, m, batch));
			for (size_t j = 0; j < m && fits; j++) {
				KT_TRY_END(kt_check_feed(&fits, word, numbers[batch[j]]));
			}
		}
		fitting[i] = kt_check_position(word);
		kt_check_end(word);
		word = NULL;
	}
end:
	kt_check_end(word);
	free(numbers);
	return code;
}
