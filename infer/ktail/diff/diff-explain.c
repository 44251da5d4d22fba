/* SPDX-License-Identifier: MIT */
#include "infer/ktail/diff/diff-explain.h"

#include <stdlib.h>
#include <string.h>

#include "base/try.h"
#include "infer/ktail/diff/diff-reduce.h"

#define LETTERS_MAX   10
#define LAST_LETTERS  3
#define POSITIONS_LOG 6
#define POSITIONS     (1 << POSITIONS_LOG)
#define WORK_MAX      20000000  /* limit of letters or transitions read in all tries */
#define STEPS_MAX     100000000 /* limit of transitions explored to reduce machines */

/* A letter, with how strongly it is suspected to cause the difference. */
struct suspect {
	const char *name;
	uint64_t n;
	bool more; /* one version has it more often */
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

/* Hashes the two neighbours of a letter to one of POSITIONS classes. */
static uint32_t position_of(uint32_t before, uint32_t after)
{
	return ((before * 31 + after) * UINT32_C(0x9E3779B1)) >> (32 - POSITIONS_LOG);
}

/*
 * Adds to positions[letter][class] `sign` times the number of occurrences of the letter in
 * the words with neighbours of that class. Letters that one version has more often are
 * skipped, as if the words did not contain them.
 */
static int count_positions(int64_t (*positions)[POSITIONS], int sign, const kt_words *words,
			   const kt_compare *compare, const struct suspect *suspects)
{
	uint32_t n_letters = (uint32_t)kt_words_letter_count(words);
	uint32_t *number = calloc(n_letters + (size_t)1, sizeof(*number));
	int code = KT_OK;

	if (!number) {
		return kt_no_memory("explain difference");
	}
	for (uint32_t l = 0; l < n_letters; l++) {
		number[l] = kt_compare_find_letter(compare, kt_words_letter_name(words, l));
		if (number[l] != UINT32_MAX && suspects[number[l]].more) {
			number[l] = UINT32_MAX;
		}
	}
	for (size_t i = 0; i < kt_words_count(words); i++) {
		struct kt_word_info info;
		uint32_t before = UINT32_MAX;
		uint32_t here = UINT32_MAX;
		uint64_t n = 0;

		KT_TRY_END(kt_words_get(words, i, &info, &n));
		for (uint64_t j = 0; j < n; j++) {
			uint32_t letter;

			KT_TRY_END(kt_words_read(words, i, j, 1, &letter));
			if (number[letter] == UINT32_MAX) {
				continue;
			}
			if (here != UINT32_MAX) {
				positions[here][position_of(before, number[letter])] +=
					sign;
			}
			before = here;
			here = number[letter];
		}
		if (here != UINT32_MAX) {
			positions[here][position_of(before, UINT32_MAX)] += sign;
		}
	}
end:
	free(number);
	return code;
}

/*
 * The first pass marks the letters that one version has more often; they are the most
 * suspect. A letter that both versions have equally often may have moved, so the second
 * pass skips the marked letters and suspects the others by how often their neighbours
 * differ.
 */
static int suspect_positions(struct suspect *suspects, size_t n, const kt_compare *compare,
			     const struct kt_diff_versions *versions)
{
	int64_t(*positions)[POSITIONS] = calloc(n + 1, sizeof(*positions));
	int code = KT_OK;

	if (!positions) {
		return kt_no_memory("explain difference");
	}
	for (int turn = 0; turn < 2; turn++) {
		memset(positions, 0, n * sizeof(*positions));
		for (int s = 0; s < 2; s++) {
			KT_TRY_END(count_positions(positions, s ? -1 : 1,
						   versions->version[s].input.words,
						   compare, suspects));
		}
		for (size_t i = 0; i < n; i++) {
			int64_t more = 0;
			uint64_t moved = 0;

			for (size_t p = 0; p < POSITIONS; p++) {
				more += positions[i][p];
				moved += (uint64_t)llabs(positions[i][p]);
			}
			suspects[i].more = suspects[i].more || more != 0;
			suspects[i].n += more ? UINT32_MAX : moved * (uint64_t)turn;
		}
	}
end:
	free(positions);
	return code;
}

/*
 * Suspects the last three letters of diverging words, up to the point of divergence. The
 * reason: a letter such as a read of a clock may interrupt a run of polls at different
 * points in the two versions, and the words then diverge there. Also suspects the letters
 * with which the other machine can continue at the point of divergence.
 */
static int suspect_ways(struct suspect *suspects, const kt_compare *compare,
			const struct kt_diff_versions *versions)
{
	const struct kt_compare_summary *summary = kt_compare_summary(compare);
	const struct kt_fsm *const fsm[2] = {versions->version[0].input.fsm,
					     versions->version[1].input.fsm};
	/*
	 * for each state of a machine: number of diverging words of the other machine that
	 * reach it
	 */
	uint64_t *times[2] = {calloc(fsm[0]->n_states, sizeof(**times)),
			      calloc(fsm[1]->n_states, sizeof(**times))};
	int code = KT_OK;

	if (!times[0] || !times[1]) {
		code = kt_no_memory("explain difference");
		goto end;
	}
	for (uint64_t i = 0; i < summary->n_ways[0] + summary->n_ways[1]; i++) {
		struct kt_compare_way way;
		uint32_t letters[LAST_LETTERS];
		uint64_t n;
		int other;

		KT_TRY_END(kt_compare_way(&way, compare, i));
		n = way.length < LAST_LETTERS ? way.length : LAST_LETTERS;
		KT_TRY_END(kt_compare_ending(letters, compare, i, n));
		for (uint64_t j = 0; j < n; j++) {
			suspects[letters[j]].n++;
		}
		other = way.version == KT_COMPARE_OLD;
		times[other][way.state[other]]++;
	}
	for (int s = 0; s < 2; s++) {
		for (size_t i = 0; i < fsm[s]->n_transitions; i++) {
			const struct kt_fsm_transition *t = &fsm[s]->transitions[i];

			if (times[s][t->from]) {
				suspects[kt_compare_find_letter(compare,
								fsm[s]->letters[t->letter])]
					.n += times[s][t->from];
			}
		}
	}
end:
	free(times[0]);
	free(times[1]);
	return code;
}

/* Lists all *n suspects, the most suspect first. The caller frees *out in any case. */
static int list_suspects(struct suspect **out, size_t *n, const kt_compare *compare,
			 const struct kt_diff_versions *versions)
{
	size_t n_letters = count_letters(compare);
	struct suspect *suspects = calloc(n_letters + 1, sizeof(*suspects));

	*out = suspects;
	*n = 0;
	if (!suspects) {
		return kt_no_memory("explain difference");
	}
	for (size_t i = 0; i < n_letters; i++) {
		suspects[i].name = kt_compare_letter(compare, (uint32_t)i);
	}
	KT_TRY(suspect_ways(suspects, compare, versions));
	if (kt_diff_versions_have_words(versions)) {
		KT_TRY(suspect_positions(suspects, n_letters, compare, versions));
	}
	qsort(suspects, n_letters, sizeof(*suspects), compare_suspects);
	while (*n < n_letters && suspects[*n].n > 0) {
		++*n;
	}
	return KT_OK;
}

/* Returns the number of letters or transitions that one try reads. */
static uint64_t measure(const struct kt_diff_versions *versions)
{
	uint64_t size = 0;

	for (int s = 0; s < 2; s++) {
		const struct kt_diff_version *version = &versions->version[s];

		size += kt_diff_versions_have_words(versions)
				? kt_words_total(version->input.words)
				: version->input.fsm->n_transitions;
	}
	return size;
}

/* State of the search. */
struct search {
	struct kt_diff_reason *reason;           /* Weak */
	const struct suspect *suspects;          /* Weak */
	size_t n;                                /* number of suspects */
	const struct kt_diff_versions *versions; /* Weak */
	uint64_t steps; /* number of transitions that may still be explored */
	bool found;
};

/*
 * Tries all choices of reason->n suspects until a choice explains the difference. Fills
 * reason->letters from `position` on with suspects from index `first` on.
 */
static int choose(struct search *s, size_t position, size_t first)
{
	const struct kt_diff_reason *reason = s->reason;
	const struct kt_reduction reduction = {reason->letters, reason->n, reason->omit};

	if (position < reason->n) {
		for (size_t i = first; !s->found && i < s->n; i++) {
			s->reason->letters[position] = s->suspects[i].name;
			KT_TRY(choose(s, position + 1, i + 1));
		}
		return KT_OK;
	}
	switch (reason->of) {
	case KT_DIFF_OF_WORDS:
		return kt_diff_same_words(&s->found, s->versions, &reduction);
	case KT_DIFF_OF_MACHINES:
		return kt_diff_same_machines(&s->found, s->versions, &reduction);
	case KT_DIFF_OF_LANGUAGES: break;
	}
	return s->steps > 0 ? kt_diff_same_language(&s->found, s->versions, &reduction,
						    &s->steps)
			    : KT_OK;
}

int kt_diff_explain(struct kt_diff_reason *out, const struct kt_diff_versions *versions,
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
	bool have_words = kt_diff_versions_have_words(versions);
	uint64_t size = measure(versions);
	struct search s = {.reason = out, .versions = versions, .steps = STEPS_MAX};
	struct suspect *suspects;
	int code;

	*out = (struct kt_diff_reason){.n = 0};
	KT_TRY_END(list_suspects(&suspects, &s.n, compare, versions));
	/* Reduce the number of suspects until all choices can be tried. */
	s.suspects = suspects;
	s.n = s.n < LETTERS_MAX ? s.n : LETTERS_MAX;
	for (; s.n > 0; s.n--) {
		/*
		 * The table above has six tries with one letter. Each pair and each triple
		 * is tried at most twice: once with runs of its letters counted as one,
		 * once with its letters left out.
		 */
		uint64_t pairs = s.n * (s.n - 1) / 2;
		uint64_t triples = pairs * (s.n > 1 ? s.n - 2 : 0) / 3;

		if ((6 * s.n + 2 * pairs + 2 * triples) * size <= WORK_MAX) {
			break;
		}
	}
	for (size_t i = 0; i < sizeof(tries) / sizeof(tries[0]) && !s.found; i++) {
		out->omit = tries[i].omit;
		out->n = tries[i].n;
		out->of = tries[i].of;
		if (have_words == (out->of != KT_DIFF_OF_LANGUAGES) &&
		    (out->n == 1 || out->n <= count_letters(compare) / 3)) {
			KT_TRY_END(choose(&s, 0, 0));
		}
	}
end:
	out->n = s.found ? out->n : 0;
	free(suspects);
	return code;
}

static int differ_by(bool *out, const struct kt_diff_versions *versions, uint64_t k)
{
	const struct kt_reduction nothing = {.omit = true};
	struct kt_diff_versions other = *versions; /* shares all that `versions` owns */
	bool same;
	int code;

	other.operand.k = k;
	code = kt_diff_same_machines(&same, &other, &nothing);
	*out = !code && !same;
	return code;
}

int kt_diff_find_k(bool *words_differ, uint64_t *k, const struct kt_diff_versions *versions)
{
	const struct kt_reduction nothing = {.omit = true};
	uint64_t equal = versions->operand.k; /* a k for which the machines are equal */
	uint64_t other = 0;                   /* a k for which they differ; 0: unknown */
	uint64_t size;
	bool same;
	bool differ;

	*k = 0;
	*words_differ = false;
	if (!kt_diff_versions_have_words(versions) || measure(versions) > WORK_MAX / 64) {
		return KT_OK;
	}
	size = measure(versions);
	KT_TRY(kt_diff_same_words(&same, versions, &nothing));
	*words_differ = !same;
	while (!same && !other && equal <= size) {
		KT_TRY(differ_by(&differ, versions, 2 * equal + 1));
		*(differ ? &other : &equal) = 2 * equal + 1;
	}
	while (equal + 1 < other) {
		uint64_t middle = equal + (other - equal) / 2;

		KT_TRY(differ_by(&differ, versions, middle));
		*(differ ? &other : &equal) = middle;
	}
	*k = other;
	return KT_OK;
}
