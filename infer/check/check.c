/* SPDX-License-Identifier: MIT */
#include "infer/check/check-reader.h"

#include <stdlib.h>
#include <string.h>

#include "base/try.h"

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
	return KT_CHECK_NOWHERE;
}

uint32_t kt_check_target(const kt_check *check, uint32_t from, uint32_t letter)
{
	uint32_t t = find_transition(check, from, letter);

	return t == KT_CHECK_NOWHERE ? KT_CHECK_NOWHERE : check->fsm->transitions[t].to;
}

uint32_t kt_check_transition(const kt_check *check, uint32_t state, uint32_t letter)
{
	uint32_t t = letter < check->fsm->n_letters ? find_transition(check, state, letter)
						    : KT_CHECK_NOWHERE;

	return t == KT_CHECK_NOWHERE ? KT_CHECK_UNKNOWN : t;
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

		if (find_transition(check, t->from, t->letter) != KT_CHECK_NOWHERE) {
			code = kt_error(KT_E_USAGE,
					"read words: state %u of the machine has two "
					"transitions with letter %s, so it is not "
					"deterministic",
					t->from, fsm->letters[t->letter]);
			goto end;
		}
		kt_hash_put(&check->by_letter, hash_of(t->from, t->letter), (uint32_t)i);
	}
	KT_TRY_END(
		sort(&check->of_state, &check->state_first, fsm, fsm->n_states, from_of));
	code = sort(&check->of_letter, &check->letter_first, fsm, fsm->n_letters,
		    letter_of);
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
