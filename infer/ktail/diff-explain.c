/* SPDX-License-Identifier: MIT */
#include "infer/ktail/diff-explain.h"

#include <stdlib.h>
#include <string.h>

#define LETTERS_MAX 8
#define WORK_MAX    20000000

/* A letter, and how many diverging transitions have it. */
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
	return a->name && b->name ? strcmp(a->name, b->name) : 0;
}

/* All letters that diverge, the most frequent first; *n of them. */
static int list_suspects(struct suspect **out, size_t *n, const kt_compare *compare)
{
	const struct kt_compare_summary *summary = kt_compare_summary(compare);
	uint64_t n_ways = summary->n_ways[0] + summary->n_ways[1];
	size_t n_letters = 0;
	struct suspect *suspects;

	while (kt_compare_letter(compare, (uint32_t)n_letters)) {
		n_letters++;
	}
	suspects = calloc(n_letters + 1, sizeof(*suspects));
	*out = suspects;
	*n = 0;
	if (!suspects) {
		return kt_error(KT_E_MEMORY, "explain difference: out of memory");
	}
	for (uint64_t i = 0; i < n_ways; i++) {
		struct kt_compare_way way;

		if (kt_compare_way(&way, compare, i) == KT_OK) {
			suspects[way.letter].name = kt_compare_letter(compare, way.letter);
			*n += suspects[way.letter].n++ == 0;
		}
	}
	qsort(suspects, n_letters, sizeof(*suspects), compare_suspects);
	return KT_OK;
}

/* How much one try looks at. */
static uint64_t measure(const struct kt_diff_sides *sides)
{
	uint64_t size = 0;

	for (int s = 0; s < 2; s++) {
		const struct kt_diff_side *side = &sides->side[s];

		size += kt_diff_sides_have_words(sides) ? kt_words_total(side->words)
							: side->fsm->n_transitions;
	}
	return size;
}

/* Choices of one, two or three of n. */
static uint64_t count_tries(uint64_t n)
{
	return n + n * (n - 1) / 2 + n * (n - 1) * (n > 1 ? n - 2 : 0) / 6;
}

static int try(bool *equal, const struct kt_diff_sides *sides,
	       const struct kt_diff_reason *reason)
{
	struct kt_fsm *folded[2];
	bool cut;
	int code = kt_diff_sides_take_runs(folded, &cut, sides, reason->letters, reason->n);

	*equal = false;
	if (!code && !cut) {
		code = kt_compare_equal(equal, folded[0], folded[1]);
		kt_fsm_free(folded[0]);
		kt_fsm_free(folded[1]);
	}
	return code;
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
	uint64_t size = measure(sides);
	struct suspect *suspects;
	bool equal = false;
	size_t n = 0;
	int code = list_suspects(&suspects, &n, compare);

	*out = (struct kt_diff_reason){.n = 1};
	n = n < LETTERS_MAX ? n : LETTERS_MAX;
	while (n > 0 && count_tries(n) * size > WORK_MAX) {
		n--;
	}
	while (!code && !equal && out->n <= KT_DIFF_EXPLAIN_MAX) {
		code = choose(&equal, out, 0, 0, suspects, n, sides);
		out->n += !equal;
	}
	out->n = equal ? out->n : 0;
	free(suspects);
	return code;
}
