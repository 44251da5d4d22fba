/* SPDX-License-Identifier: MIT */
#include "infer/ktail/diff-explain.h"

#include <stdlib.h>
#include <string.h>

#include "infer/ktail/diff-reduce.h"

#define LETTERS_MAX 10
#define WORK_MAX    20000000

/* A letter, and how often it is seen where words diverge. */
struct suspect {
	const char *name;
	uint64_t n;
};

static int compare_suspects(const void *left, const void *right)
{
	const struct suspect *a = left;
	const struct suspect *b = right;

	if (a->n != b->n) {
		return a->n > b->n ? -1 : 1;
	}
	return strcmp(a->name, b->name);
}

static size_t count_letters(const kt_compare *compare)
{
	size_t n = 0;

	while (kt_compare_letter(compare, (uint32_t)n)) {
		n++;
	}
	return n;
}

/* How often each letter of a word set is in its words; the caller frees *out. */
static int count_in_words(uint64_t **out, const kt_words *words)
{
	int code = KT_OK;

	*out = calloc(kt_words_letter_count(words) + 1, sizeof(**out));
	if (!*out) {
		return kt_error(KT_E_MEMORY, "explain difference: out of memory");
	}
	for (size_t i = 0; !code && i < kt_words_count(words); i++) {
		struct kt_word_info info;
		uint64_t n = 0;
		uint32_t letter;

		code = kt_words_get(words, i, &info, &n);
		for (uint64_t j = 0; !code && j < n; j++) {
			code = kt_words_read(words, i, j, 1, &letter);
			if (!code) {
				(*out)[letter]++;
			}
		}
	}
	return code;
}

static uint64_t count_of(const char *name, const uint64_t *counts, const kt_words *words)
{
	for (uint32_t l = 0; l < kt_words_letter_count(words); l++) {
		if (strcmp(kt_words_letter_name(words, l), name) == 0) {
			return counts[l];
		}
	}
	return 0;
}

/* Letters that one side has more often are the first suspects, wherever words part. */
static int suspect_counts(struct suspect *suspects, size_t n,
			  const struct kt_diff_sides *sides)
{
	uint64_t *counts[2] = {NULL, NULL};
	int code = KT_OK;

	for (int s = 0; !code && s < 2; s++) {
		code = count_in_words(&counts[s], sides->side[s].input.words);
	}
	for (size_t i = 0; !code && i < n; i++) {
		const char *name = suspects[i].name;

		if (count_of(name, counts[0], sides->side[0].input.words) !=
		    count_of(name, counts[1], sides->side[1].input.words)) {
			suspects[i].n += UINT32_MAX;
		}
	}
	free(counts[0]);
	free(counts[1]);
	return code;
}

/* Suspects what the other machine has where a word diverges. */
static void suspect_others(struct suspect *suspects, size_t n, const struct kt_fsm *fsm,
			   uint32_t state)
{
	for (size_t i = 0; i < fsm->n_transitions; i++) {
		const struct kt_fsm_transition *t = &fsm->transitions[i];

		for (size_t j = 0; t->from == state && j < n; j++) {
			suspects[j].n +=
				strcmp(suspects[j].name, fsm->letters[t->letter]) == 0;
		}
	}
}

/* And the last two letters of the word: where runs end, one goes on. */
static int suspect_word(struct suspect *suspects, const kt_compare *compare, size_t i)
{
	struct kt_compare_way way;
	uint32_t *letters;
	int code = kt_compare_way(&way, compare, i);

	if (code) {
		return code;
	}
	letters = calloc(way.length, sizeof(*letters));
	if (!letters) {
		return kt_error(KT_E_MEMORY, "explain difference: out of memory");
	}
	code = kt_compare_word(letters, compare, i);
	for (uint64_t j = way.length > 1 ? way.length - 2 : 0; !code && j < way.length;
	     j++) {
		suspects[letters[j]].n++;
	}
	free(letters);
	return code;
}

/* All of them, the most frequent first; *n of them. */
static int list_suspects(struct suspect **out, size_t *n, const kt_compare *compare,
			 const struct kt_diff_sides *sides)
{
	const struct kt_compare_summary *summary = kt_compare_summary(compare);
	uint64_t n_ways = summary->n_ways[0] + summary->n_ways[1];
	size_t n_letters = count_letters(compare);
	struct suspect *suspects = calloc(n_letters + 1, sizeof(*suspects));
	int code = KT_OK;

	*out = suspects;
	*n = 0;
	if (!suspects) {
		return kt_error(KT_E_MEMORY, "explain difference: out of memory");
	}
	for (size_t i = 0; i < n_letters; i++) {
		suspects[i].name = kt_compare_letter(compare, (uint32_t)i);
	}
	for (uint64_t i = 0; !code && i < n_ways; i++) {
		struct kt_compare_way way;

		code = kt_compare_way(&way, compare, i);
		code = code ? code : suspect_word(suspects, compare, i);
		if (!code) {
			enum kt_compare_side other = 1 - way.side;

			suspect_others(suspects, n_letters, sides->side[other].input.fsm,
				       way.state[other]);
		}
	}
	if (!code && kt_diff_sides_have_words(sides)) {
		code = suspect_counts(suspects, n_letters, sides);
	}
	qsort(suspects, n_letters, sizeof(*suspects), compare_suspects);
	while (*n < n_letters && suspects[*n].n > 0) {
		++*n;
	}
	return code;
}

/* How much one try looks at. */
static uint64_t measure(const struct kt_diff_sides *sides)
{
	uint64_t size = 0;

	for (int s = 0; s < 2; s++) {
		const struct kt_diff_side *side = &sides->side[s];

		size += kt_diff_sides_have_words(sides) ? kt_words_total(side->input.words)
							: side->input.fsm->n_transitions;
	}
	return size;
}

/* Choices of one, two or three of n, and of one or two. */
static uint64_t count_tries(uint64_t n)
{
	uint64_t pairs = n * (n - 1) / 2;

	return 2 * n + 2 * pairs + pairs * (n > 1 ? n - 2 : 0) / 3;
}

static int try(bool *equal, const struct kt_diff_sides *sides,
	       const struct kt_diff_reason *reason)
{
	const struct kt_reduction reduction = {reason->letters, reason->n, reason->omit};

	return reason->of_words ? kt_diff_same_words(equal, sides, &reduction)
				: kt_diff_same_language(equal, sides, &reduction);
}

/* Each choice of reason->n suspects, from `first` on, for the places from `place` on. */
static int choose(bool *equal, struct kt_diff_reason *reason, size_t place, size_t first,
		  const struct suspect *suspects, size_t n,
		  const struct kt_diff_sides *sides)
{
	int code = KT_OK;

	if (place == reason->n) {
		return try(equal, sides, reason);
	}
	for (size_t i = first; !code && !*equal && i < n; i++) {
		reason->letters[place] = suspects[i].name;
		code = choose(equal, reason, place + 1, i + 1, suspects, n, sides);
	}
	return code;
}

int kt_diff_explain(struct kt_diff_reason *out, const struct kt_diff_sides *sides,
		    const kt_compare *compare)
{
	static const struct {
		size_t n;
		bool omit;
	} tries[] = {{1, false}, {1, true}, {2, false}, {2, true}, {3, false}};
	uint64_t size = measure(sides);
	struct suspect *suspects;
	bool equal = false;
	size_t n = 0;
	int code = list_suspects(&suspects, &n, compare, sides);

	*out = (struct kt_diff_reason){.of_words = kt_diff_sides_have_words(sides)};
	n = n < LETTERS_MAX ? n : LETTERS_MAX;
	while (n > 0 && count_tries(n) * size > WORK_MAX) {
		n--;
	}
	for (size_t i = 0; i < sizeof(tries) / sizeof(tries[0]) && !code && !equal; i++) {
		out->omit = tries[i].omit;
		out->n = tries[i].n;
		if (out->n == 1 || out->n <= count_letters(compare) / 3) {
			code = choose(&equal, out, 0, 0, suspects, n, sides);
		}
	}
	out->n = equal ? out->n : 0;
	free(suspects);
	return code;
}
