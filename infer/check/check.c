/* SPDX-License-Identifier: MIT */
#include "infer/check/check-reader.h"

#include <stdlib.h>
#include <string.h>

static size_t find_slot(const kt_check *check, uint32_t from, uint32_t letter)
{
	uint64_t key = ((uint64_t)from << 32 | letter) * UINT64_C(0x9e3779b97f4a7c15);
	/* Only bits from the 32nd on depend on `from`: these must be the low ones. */
	size_t i = (size_t)(key >> 32 ^ key >> 7) & (check->n_slots - 1);

	while (check->slots[i] != KT_CHECK_NOWHERE) {
		const struct kt_fsm_transition *t =
			&check->fsm->transitions[check->slots[i]];

		if (t->from == from && t->letter == letter) {
			break;
		}
		i = (i + 1) & (check->n_slots - 1);
	}
	return i;
}

uint32_t kt_check_target(const kt_check *check, uint32_t from, uint32_t letter)
{
	uint32_t t = check->slots[find_slot(check, from, letter)];

	return t == KT_CHECK_NOWHERE ? KT_CHECK_NOWHERE : check->fsm->transitions[t].to;
}

uint32_t kt_check_transition(const kt_check *check, uint32_t state, uint32_t letter)
{
	uint32_t t = letter < check->fsm->n_letters
			     ? check->slots[find_slot(check, state, letter)]
			     : KT_CHECK_NOWHERE;

	return t == KT_CHECK_NOWHERE ? KT_CHECK_UNKNOWN : t;
}

static int fill_slots(kt_check *check)
{
	const struct kt_fsm *fsm = check->fsm;

	check->n_slots = 8;
	while (check->n_slots <= 2 * fsm->n_transitions) {
		check->n_slots *= 2;
	}
	check->slots = malloc(check->n_slots * sizeof(*check->slots));
	if (!check->slots) {
		return kt_no_memory("read words");
	}
	memset(check->slots, 0xff, check->n_slots * sizeof(*check->slots));
	for (size_t i = 0; i < fsm->n_transitions; i++) {
		const struct kt_fsm_transition *t = &fsm->transitions[i];
		size_t slot = find_slot(check, t->from, t->letter);

		if (check->slots[slot] != KT_CHECK_NOWHERE) {
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
		return kt_no_memory("read words");
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
		return kt_no_memory("read words");
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
