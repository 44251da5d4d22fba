/* SPDX-License-Identifier: MIT */
#include <ktail/check.h>

#include <stdlib.h>
#include <string.h>

#define FREE UINT32_MAX /* a slot of the table without a transition */

struct kt_check {
	const struct kt_fsm *fsm; /* Weak */
	uint32_t *slots;          /* Owned by this: transitions by (from, letter) */
	size_t n_slots;           /* a power of two, more than twice the transitions */
	unsigned shift;           /* of a hash, that is less than n_slots then */
	uint32_t *of_state;       /* Owned by this: transitions in order of `from` */
	size_t *state_first;      /* Owned by this: where each state's begin in it */
	uint32_t *of_letter;      /* Owned by this: transitions in order of letter */
	size_t *letter_first;     /* Owned by this: where each letter's begin in it */
};

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

static int out_of_memory(void)
{
	return kt_error(KT_E_MEMORY, "read words: out of memory");
}

/* --- the machine --- */

static size_t find_slot(const kt_check *check, uint32_t from, uint32_t letter)
{
	uint64_t key = (uint64_t)from << 32 | letter;
	/* Only the highest bits depend on all of the key. */
	size_t i = (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> check->shift);

	while (check->slots[i] != FREE) {
		const struct kt_fsm_transition *t =
			&check->fsm->transitions[check->slots[i]];

		if (t->from == from && t->letter == letter) {
			break;
		}
		i = (i + 1) & (check->n_slots - 1);
	}
	return i;
}

/* Where the letter leads from there; FREE: nowhere. */
static uint32_t find_target(const kt_check *check, uint32_t from, uint32_t letter)
{
	uint32_t t = check->slots[find_slot(check, from, letter)];

	return t == FREE ? FREE : check->fsm->transitions[t].to;
}

static int fill_slots(kt_check *check)
{
	const struct kt_fsm *fsm = check->fsm;

	check->n_slots = 8;
	check->shift = 64 - 3;
	while (check->n_slots <= 2 * fsm->n_transitions) {
		check->n_slots *= 2;
		check->shift--;
	}
	check->slots = malloc(check->n_slots * sizeof(*check->slots));
	if (!check->slots) {
		return out_of_memory();
	}
	memset(check->slots, 0xff, check->n_slots * sizeof(*check->slots));
	for (size_t i = 0; i < fsm->n_transitions; i++) {
		const struct kt_fsm_transition *t = &fsm->transitions[i];
		size_t slot = find_slot(check, t->from, t->letter);

		if (check->slots[slot] != FREE) {
			return kt_error(KT_E_USAGE,
					"read words: state %u of the machine has two "
					"transitions with letter %s, so it is not "
					"deterministic",
					t->from, fsm->letters[t->letter]);
		}
		check->slots[slot] = (uint32_t)i;
	}
	return KT_OK;
}

static uint32_t from_of(const struct kt_fsm_transition *t)
{
	return t->from;
}

static uint32_t letter_of(const struct kt_fsm_transition *t)
{
	return t->letter;
}

/* Sorts the transitions by what key() says, which is less than n_keys. */
static int sort(uint32_t **sorted, size_t **first, const struct kt_fsm *fsm, size_t n_keys,
		uint32_t (*key)(const struct kt_fsm_transition *))
{
	*sorted = malloc((fsm->n_transitions + 1) * sizeof(**sorted));
	*first = calloc(n_keys + 2, sizeof(**first));
	if (!*sorted || !*first) {
		return out_of_memory();
	}
	/* While it is filled, a key's place is one further on: it ends where the next
	 * begins. */
	for (size_t i = 0; i < fsm->n_transitions; i++) {
		(*first)[key(&fsm->transitions[i]) + 2]++;
	}
	for (size_t i = 2; i <= n_keys; i++) {
		(*first)[i] += (*first)[i - 1];
	}
	for (size_t i = 0; i < fsm->n_transitions; i++) {
		(*sorted)[(*first)[key(&fsm->transitions[i]) + 1]++] = (uint32_t)i;
	}
	return KT_OK;
}

static int make_ready(kt_check *check)
{
	const struct kt_fsm *fsm = check->fsm;
	int code = fill_slots(check);

	code = code ? code
		    : sort(&check->of_state, &check->state_first, fsm, fsm->n_states,
			   from_of);
	return code ? code
		    : sort(&check->of_letter, &check->letter_first, fsm, fsm->n_letters,
			   letter_of);
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
		return out_of_memory();
	}
	check->fsm = fsm;
	code = make_ready(check);
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
		free(check->slots);
		free(check->of_state);
		free(check->state_first);
		free(check->of_letter);
		free(check->letter_first);
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

/* --- a word --- */

int kt_check_begin(kt_check_word **out, const kt_check *check, bool cut_begin)
{
	kt_check_word *word = calloc(1, sizeof(*word));

	*out = word;
	if (!word) {
		return out_of_memory();
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
		return out_of_memory();
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
	while (read < word->n &&
	       find_target(word->check, word->states[read], letter) == FREE) {
		read++;
	}
	if (read == word->n) {
		return false;
	}
	clear_marks(word);
	for (; read < word->n; read++) {
		uint32_t target = find_target(word->check, word->states[read], letter);

		n = target == FREE ? n : put(word, n, target);
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
	target = find_target(word->check, word->one, letter);
	*fits = target != FREE;
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
		return out_of_memory();
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
