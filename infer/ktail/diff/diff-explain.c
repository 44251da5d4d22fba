/* SPDX-License-Identifier: MIT */
#include "infer/ktail/diff/diff-explain.h"

#include <stdlib.h>
#include <string.h>

#include "infer/ktail/diff/diff-reduce.h"

#define LETTERS_MAX  10
#define LAST_LETTERS 3
#define WORK_MAX     20000000  /* letters or transitions, counted over all tries */
#define STEPS_MAX    100000000 /* of all reductions of machines */

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

static int no_memory(void)
{
	return kt_error(KT_E_MEMORY, "explain difference: out of memory");
}

/* How often each of the comparison's letters is in a word set, times `sign`. */
static int count_in_words(int64_t *counts, int sign, const kt_words *words,
			  const kt_compare *compare)
{
	uint32_t n_letters = (uint32_t)kt_words_letter_count(words);
	uint32_t *number = calloc(n_letters + (size_t)1, sizeof(*number));
	int code = number ? KT_OK : no_memory();

	for (uint32_t l = 0; !code && l < n_letters; l++) {
		number[l] = kt_compare_find_letter(compare, kt_words_letter_name(words, l));
	}
	for (size_t i = 0; !code && i < kt_words_count(words); i++) {
		struct kt_word_info info;
		uint64_t n = 0;
		uint32_t letter;

		code = kt_words_get(words, i, &info, &n);
		for (uint64_t j = 0; !code && j < n; j++) {
			code = kt_words_read(words, i, j, 1, &letter);
			if (!code && number[letter] != UINT32_MAX) {
				counts[number[letter]] += sign;
			}
		}
	}
	free(number);
	return code;
}

/* Letters that one side has more often are the first suspects, wherever words part. */
static int suspect_counts(struct suspect *suspects, size_t n, const kt_compare *compare,
			  const struct kt_diff_sides *sides)
{
	int64_t *counts = calloc(n + 1, sizeof(*counts));
	int code = counts ? KT_OK : no_memory();

	for (int s = 0; !code && s < 2; s++) {
		code = count_in_words(counts, s ? -1 : 1, sides->side[s].input.words,
				      compare);
	}
	for (size_t i = 0; !code && i < n; i++) {
		suspects[i].n += counts[i] ? UINT32_MAX : 0;
	}
	free(counts);
	return code;
}

/*
 * Suspects the last letters of diverging words: where runs end, one goes on. Three, as a
 * letter that comes in between of two others (a clock that is read while something is
 * polled) may be as often on both sides and yet stand elsewhere.
 */
static int suspect_words(struct suspect *suspects, uint64_t n_ways,
			 const kt_compare *compare)
{
	int code = KT_OK;

	for (uint64_t i = 0; !code && i < n_ways; i++) {
		struct kt_compare_way way;
		uint32_t letters[LAST_LETTERS];
		uint64_t n;

		code = kt_compare_way(&way, compare, i);
		n = !code && way.length < LAST_LETTERS ? way.length : LAST_LETTERS;
		code = code ? code : kt_compare_ending(letters, compare, i, n);
		for (uint64_t j = 0; !code && j < n; j++) {
			suspects[letters[j]].n++;
		}
	}
	return code;
}

/* And what one machine has where the other one alone goes on; times: of its states. */
static int suspect_others(struct suspect *suspects, uint64_t n_ways,
			  const kt_compare *compare, const struct kt_fsm *fsm,
			  enum kt_compare_side side)
{
	uint64_t *times = calloc(fsm->n_states, sizeof(*times));
	int code = times ? KT_OK : no_memory();

	for (uint64_t i = 0; !code && i < n_ways; i++) {
		struct kt_compare_way way;

		code = kt_compare_way(&way, compare, i);
		if (!code && way.side != side) {
			times[way.state[side]]++;
		}
	}
	for (size_t i = 0; !code && i < fsm->n_transitions; i++) {
		const struct kt_fsm_transition *t = &fsm->transitions[i];

		if (times[t->from]) {
			suspects[kt_compare_find_letter(compare, fsm->letters[t->letter])]
				.n += times[t->from];
		}
	}
	free(times);
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
		return no_memory();
	}
	for (size_t i = 0; i < n_letters; i++) {
		suspects[i].name = kt_compare_letter(compare, (uint32_t)i);
	}
	code = suspect_words(suspects, n_ways, compare);
	for (int side = 0; !code && side < 2; side++) {
		code = suspect_others(suspects, n_ways, compare,
				      sides->side[side].input.fsm,
				      side ? KT_COMPARE_NEW : KT_COMPARE_OLD);
	}
	if (!code && kt_diff_sides_have_words(sides)) {
		code = suspect_counts(suspects, n_letters, compare, sides);
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

/* Choices of one, two or three of n, both ways; machines of one cost the double. */
static uint64_t count_tries(uint64_t n)
{
	uint64_t pairs = n * (n - 1) / 2;

	return 6 * n + 2 * pairs + 2 * pairs * (n > 1 ? n - 2 : 0) / 3;
}

/* What is looked for, and where. */
struct search {
	struct kt_diff_reason *reason;     /* Weak */
	const struct suspect *suspects;    /* Weak */
	size_t n;                          /* of them */
	const struct kt_diff_sides *sides; /* Weak */
	uint64_t steps;                    /* left for reducing machines */
	bool found;
};

static int try(struct search *s)
{
	const struct kt_diff_reason *reason = s->reason;
	const struct kt_reduction reduction = {reason->letters, reason->n, reason->omit};

	switch (reason->of) {
	case KT_DIFF_OF_WORDS: return kt_diff_same_words(&s->found, s->sides, &reduction);
	case KT_DIFF_OF_MACHINES:
		return kt_diff_same_machines(&s->found, s->sides, &reduction);
	case KT_DIFF_OF_LANGUAGES: break;
	}
	return s->steps > 0
		       ? kt_diff_same_language(&s->found, s->sides, &reduction, &s->steps)
		       : KT_OK;
}

/* Each choice of reason->n suspects, from `first` on, for the places from `place` on. */
static int choose(struct search *s, size_t place, size_t first)
{
	int code = KT_OK;

	if (place == s->reason->n) {
		return try(s);
	}
	for (size_t i = first; !code && !s->found && i < s->n; i++) {
		s->reason->letters[place] = s->suspects[i].name;
		code = choose(s, place + 1, i + 1);
	}
	return code;
}

/* How many letters there are to choose from, so that all choices can be tried. */
static size_t limit_suspects(size_t n, const struct kt_diff_sides *sides)
{
	uint64_t size = measure(sides);

	n = n < LETTERS_MAX ? n : LETTERS_MAX;
	while (n > 0 && count_tries(n) * size > WORK_MAX) {
		n--;
	}
	return n;
}

int kt_diff_explain(struct kt_diff_reason *out, const struct kt_diff_sides *sides,
		    const kt_compare *compare)
{
	static const struct {
		size_t n;
		bool omit;
		enum kt_diff_of of;
	} tries[] = {
		{1, false, KT_DIFF_OF_WORDS},    {1, false, KT_DIFF_OF_LANGUAGES},
		{1, true, KT_DIFF_OF_WORDS},     {1, true, KT_DIFF_OF_LANGUAGES},
		{1, false, KT_DIFF_OF_MACHINES}, {1, true, KT_DIFF_OF_MACHINES},
		{2, false, KT_DIFF_OF_WORDS},    {2, false, KT_DIFF_OF_LANGUAGES},
		{2, true, KT_DIFF_OF_WORDS},     {2, true, KT_DIFF_OF_LANGUAGES},
		{3, false, KT_DIFF_OF_WORDS},    {3, false, KT_DIFF_OF_LANGUAGES},
		{3, true, KT_DIFF_OF_WORDS},
	};
	bool have_words = kt_diff_sides_have_words(sides);
	struct search s = {.reason = out, .sides = sides, .steps = STEPS_MAX};
	struct suspect *suspects;
	int code = list_suspects(&suspects, &s.n, compare, sides);

	*out = (struct kt_diff_reason){.n = 0};
	s.suspects = suspects;
	s.n = limit_suspects(s.n, sides);
	for (size_t i = 0; i < sizeof(tries) / sizeof(tries[0]) && !code && !s.found; i++) {
		out->omit = tries[i].omit;
		out->n = tries[i].n;
		out->of = tries[i].of;
		if (have_words == (out->of != KT_DIFF_OF_LANGUAGES) &&
		    (out->n == 1 || out->n <= count_letters(compare) / 3)) {
			code = choose(&s, 0, 0);
		}
	}
	out->n = s.found ? out->n : 0;
	free(suspects);
	return code;
}

static int differ_by(bool *out, const struct kt_diff_sides *sides, uint64_t k)
{
	const struct kt_reduction nothing = {.omit = true};
	struct kt_diff_sides other = *sides; /* its members are still those of sides */
	bool same;
	int code;

	other.operand.k = k;
	code = kt_diff_same_machines(&same, &other, &nothing);
	*out = !code && !same;
	return code;
}

/* Halves what is between a k by which the machines are equal and one by which they are not.
 */
static int narrow(uint64_t *k, uint64_t equal, const struct kt_diff_sides *sides)
{
	int code = KT_OK;

	while (!code && equal + 1 < *k) {
		uint64_t middle = equal + (*k - equal) / 2;
		bool differ;

		code = differ_by(&differ, sides, middle);
		equal = differ ? equal : middle;
		*k = differ ? middle : *k;
	}
	return code;
}

int kt_diff_find_k(bool *words_differ, uint64_t *k, const struct kt_diff_sides *sides)
{
	const struct kt_reduction nothing = {.omit = true};
	uint64_t equal = sides->operand.k;
	uint64_t size;
	bool same = true;
	bool differ = false;
	int code = KT_OK;

	*k = 0;
	*words_differ = false;
	if (!kt_diff_sides_have_words(sides) || measure(sides) > WORK_MAX / 64) {
		return KT_OK;
	}
	size = measure(sides);
	code = kt_diff_same_words(&same, sides, &nothing);
	*words_differ = !same && !code;
	while (*words_differ && !code && !differ && equal <= size) {
		*k = 2 * equal + 1;
		code = differ_by(&differ, sides, *k);
		equal = differ ? equal : *k;
	}
	*k = differ ? *k : 0;
	return code || !differ ? code : narrow(k, equal, sides);
}
