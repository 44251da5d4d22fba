/* SPDX-License-Identifier: MIT */
#include "infer/compare/sequences.h"

#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/try.h"

#define SEQUENCES_MAX 2000000

/* A sequence that can be read from some state; unused letters are 0. */
struct gram {
	uint32_t letters[KT_DIFF_SEQUENCE_MAX];
	uint32_t states; /* from how many it can be read */
};

/* Those of one length that a machine has, in order of letters, each once. */
struct grams {
	struct gram *list; /* Owned by this */
	size_t n;
	size_t capacity;
	bool cut;
};

static int compare_grams(const void *a, const void *b)
{
	const uint32_t *x = ((const struct gram *)a)->letters;
	const uint32_t *y = ((const struct gram *)b)->letters;

	for (size_t i = 0; i < KT_DIFF_SEQUENCE_MAX; i++) {
		if (x[i] != y[i]) {
			return x[i] < y[i] ? -1 : 1;
		}
	}
	return 0;
}

/* All of `length` letters from one state, of which `gram` holds the first `done`. */
static int add_from(struct grams *grams, const struct kt_joint_machine *machine,
		    uint32_t state, struct gram *gram, size_t done, size_t length)
{
	if (done == length) {
		grams->cut = grams->cut || grams->n == SEQUENCES_MAX;
		KT_TRY(kt_array_reserve(&grams->list, &grams->capacity, grams->n + 1));
		if (!grams->cut) {
			grams->list[grams->n++] = *gram;
		}
		return KT_OK;
	}
	for (size_t i = machine->first[state];
	     !grams->cut && i < machine->first[state + (size_t)1]; i++) {
		gram->letters[done] = kt_joint_letter(machine, i);
		KT_TRY(add_from(grams, machine, machine->fsm->transitions[i].to, gram,
				done + 1, length));
	}
	gram->letters[done] = 0;
	return KT_OK;
}

static int list_grams(struct grams *grams, const struct kt_joint_machine *machine,
		      size_t length)
{
	struct gram gram = {.states = 1};
	size_t kept = 0;

	for (uint32_t s = 0; !grams->cut && s < machine->fsm->n_states; s++) {
		KT_TRY(add_from(grams, machine, s, &gram, 0, length));
	}
	/* Machines are deterministic: a state has each sequence once at most. */
	if (grams->n > 1) {
		qsort(grams->list, grams->n, sizeof(*grams->list), compare_grams);
	}
	for (size_t i = 0; i < grams->n; i++) {
		if (kept && compare_grams(&grams->list[kept - 1], &grams->list[i]) == 0) {
			grams->list[kept - 1].states++;
		} else {
			grams->list[kept++] = grams->list[i];
		}
	}
	grams->n = kept;
	return KT_OK;
}

static bool has(const struct grams *grams, const struct gram *gram)
{
	return grams->n && bsearch(gram, grams->list, grams->n, sizeof(*grams->list),
				   compare_grams) != NULL;
}

/* now: of `length` letters, of both machines; before: of one letter less. */
static int compare_length(struct kt_sequences *out, const struct grams *now,
			  const struct grams *before, size_t length)
{
	for (int s = 0; s < 2; s++) {
		for (size_t i = 0; i < now[s].n; i++) {
			const struct gram *gram = &now[s].list[i];
			struct gram front = *gram; /* all but the last letter */
			struct gram back = *gram;  /* all but the first */
			struct kt_diff_sequence *added;

			front.letters[length - 1] = 0;
			memmove(back.letters, gram->letters + 1,
				(length - 1) * sizeof(*back.letters));
			back.letters[length - 1] = 0;
			if (has(&now[1 - s], gram) ||
			    (length > 1 && (!has(&before[1 - s], &front) ||
					    !has(&before[1 - s], &back)))) {
				continue;
			}
			KT_TRY(kt_array_reserve(&out->list, &out->capacity, out->n + 1));
			added = &out->list[out->n++];
			*added = (struct kt_diff_sequence){
				.side = s ? KT_COMPARE_NEW : KT_COMPARE_OLD,
				.n = (uint32_t)length,
				.states = gram->states,
			};
			memcpy(added->letters, gram->letters, sizeof(added->letters));
		}
	}
	return KT_OK;
}

/* Old before new, short before long, frequent before rare, then by letters. */
static int compare_sequences(const void *left, const void *right)
{
	const struct kt_diff_sequence *a = left;
	const struct kt_diff_sequence *b = right;

	if (a->side != b->side) {
		return a->side < b->side ? -1 : 1;
	}
	if (a->n != b->n) {
		return a->n < b->n ? -1 : 1;
	}
	if (a->states != b->states) {
		return a->states > b->states ? -1 : 1;
	}
	for (size_t i = 0; i < a->n; i++) {
		if (a->letters[i] != b->letters[i]) {
			return a->letters[i] < b->letters[i] ? -1 : 1;
		}
	}
	return 0;
}

int kt_sequences_init(struct kt_sequences *out, const struct kt_joint *joint)
{
	struct grams now[2] = {{0}};
	struct grams before[2] = {{0}};
	int code = KT_OK;
	bool cut = false;

	*out = (struct kt_sequences){0};
	for (size_t length = 1; !cut && length <= KT_DIFF_SEQUENCE_MAX; length++) {
		for (int s = 0; s < 2; s++) {
			free(before[s].list);
			before[s] = now[s];
			now[s] = (struct grams){0};
			KT_TRY_END(list_grams(&now[s], &joint->side[s], length));
			cut = cut || now[s].cut;
		}
		if (!cut) {
			KT_TRY_END(compare_length(out, now, before, length));
		}
	}
	if (out->n > 1) {
		qsort(out->list, out->n, sizeof(*out->list), compare_sequences);
	}
end:
	for (int s = 0; s < 2; s++) {
		free(before[s].list);
		free(now[s].list);
	}
	if (code) {
		kt_sequences_clear(out);
	}
	return code;
}

void kt_sequences_clear(struct kt_sequences *sequences)
{
	free(sequences->list);
	*sequences = (struct kt_sequences){0};
}
