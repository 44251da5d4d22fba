/* SPDX-License-Identifier: MIT */
#include "infer/ktail/diff/diff-shown.h"

#include <stdlib.h>
#include <string.h>

#include "base/try.h"

/*
 * State of reading one version's words with its own machine (index 0) and with the machine
 * of the other version (1).
 */
struct reading {
	const kt_words *words; /* Weak */
	kt_check *check[2];    /* Owned by this: own machine, other machine */
	uint32_t start[2];
	/* Owned by this: for each letter of the words, its number in each machine */
	uint32_t *numbers[2];
	struct kt_diff_shown_version *out; /* Weak */
};

static int compare_transitions(const void *left, const void *right)
{
	const struct kt_diff_shown_way *a = left;
	const struct kt_diff_shown_way *b = right;

	if (a->transition != b->transition) {
		return a->transition < b->transition ? -1 : 1;
	}
	return (a->word > b->word) - (a->word < b->word);
}

static int compare_ways(const void *left, const void *right)
{
	const struct kt_diff_shown_way *a = left;
	const struct kt_diff_shown_way *b = right;

	if (a->n != b->n) {
		return a->n > b->n ? -1 : 1;
	}
	if (a->at != b->at) {
		return a->at < b->at ? -1 : 1;
	}
	return compare_transitions(a, b);
}

/*
 * Reads a word, unless its beginning is unknown. If the word diverges, appends the
 * diverging transition to out->ways; otherwise counts the word as accepted.
 */
static int read_word(struct reading *r, const struct kt_fsm *const fsm[2], size_t word)
{
	uint32_t state[2] = {r->start[0], r->start[1]};
	struct kt_word_info info;
	uint64_t n = 0;

	KT_TRY(kt_words_get(r->words, word, &info, &n));
	if (info.cut_begin) {
		return KT_OK;
	}
	r->out->words++;
	for (uint64_t i = 0; i < n; i++) {
		uint32_t transition[2];
		uint32_t letter;

		KT_TRY(kt_words_read(r->words, word, i, 1, &letter));
		for (int m = 0; m < 2; m++) {
			transition[m] = kt_check_transition(r->check[m], state[m],
							    r->numbers[m][letter]);
		}
		/* Cannot happen: a machine reads all words from which it was inferred. */
		if (transition[0] == KT_CHECK_UNKNOWN) {
			return kt_error(
				KT_E_INTERNAL,
				"compare words: the machine cannot read its word %zu",
				word);
		}
		if (transition[1] == KT_CHECK_UNKNOWN) {
			r->out->ways[r->out->n_ways++] = (struct kt_diff_shown_way){
				.n = 1,
				.word = word,
				.at = i,
				.other = state[1],
				.transition = transition[0],
			};
			return KT_OK;
		}
		for (int m = 0; m < 2; m++) {
			state[m] = fsm[m]->transitions[transition[m]].to;
		}
	}
	r->out->accepted++;
	return KT_OK;
}

/* Merges the elements of out->ways that have the same transition. */
static void join_ways(struct kt_diff_shown_version *out)
{
	size_t kept = 0;

	qsort(out->ways, out->n_ways, sizeof(*out->ways), compare_transitions);
	for (size_t i = 0; i < out->n_ways; i++) {
		if (kept && out->ways[kept - 1].transition == out->ways[i].transition) {
			out->ways[kept - 1].n++;
		} else {
			out->ways[kept++] = out->ways[i];
		}
	}
	out->n_ways = kept;
	qsort(out->ways, out->n_ways, sizeof(*out->ways), compare_ways);
}

static int read_version(struct kt_diff_shown_version *out, const kt_words *words,
			const struct kt_fsm *own, const struct kt_fsm *other)
{
	const struct kt_fsm *const fsm[2] = {own, other};
	size_t n_letters = kt_words_letter_count(words);
	struct reading r = {
		.words = words, .start = {own->start, other->start}, .out = out};
	int code = KT_OK;

	out->ways = calloc(kt_words_count(words) + 1, sizeof(*out->ways));
	for (int m = 0; m < 2; m++) {
		r.numbers[m] = calloc(n_letters + 1, sizeof(*r.numbers[m]));
		if (!r.numbers[m] || !out->ways) {
			code = kt_no_memory("compare words");
			goto end;
		}
		KT_TRY_END(kt_check_new(&r.check[m], fsm[m]));
		for (uint32_t l = 0; l < n_letters; l++) {
			const char *name = kt_words_letter_name(words, l);

			r.numbers[m][l] = kt_check_letter(r.check[m], name, strlen(name));
		}
	}
	for (size_t i = 0; i < kt_words_count(words); i++) {
		KT_TRY_END(read_word(&r, fsm, i));
	}
	join_ways(out);
end:
	for (int m = 0; m < 2; m++) {
		kt_check_free(r.check[m]);
		free(r.numbers[m]);
	}
	return code;
}

int kt_diff_find_shown(struct kt_diff_shown *out, const struct kt_diff_versions *versions)
{
	*out = (struct kt_diff_shown){.known = kt_diff_versions_have_words(versions)};
	for (int s = 0; s < 2 && out->known; s++) {
		const struct kt_operand *own = &versions->version[s].input;
		const struct kt_operand *other = &versions->version[1 - s].input;

		KT_TRY(read_version(&out->version[s], own->words, own->fsm, other->fsm));
	}
	return KT_OK;
}

void kt_diff_shown_free(struct kt_diff_shown *shown)
{
	free(shown->version[0].ways);
	free(shown->version[1].ways);
}
