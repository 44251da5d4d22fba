/* SPDX-License-Identifier: MIT */
/* Compares kt_compare with the slow oracle, and the oracle with enumerated words. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/ktail.h>

#include "tests/engine/oracle/compare-oracle.h"
#include "tests/engine/oracle/random-machines.h"
#include "tests/suite.h"

#define SETS 4000

/* For each n, kt_compare_ending() must write the last n letters of the word and no more. */
static void check_endings(const kt_compare *compare, size_t i, const uint32_t *letters,
			  uint64_t length)
{
	for (uint64_t n = 0; n <= length; n++) {
		uint32_t *ending = calloc(n + 1, sizeof(*ending));

		CU_ASSERT_EQUAL_FATAL(kt_compare_ending(ending, compare, i, n), KT_OK);
		CU_ASSERT_EQUAL(memcmp(ending, letters + length - n, n * sizeof(*ending)),
				0);
		CU_ASSERT_EQUAL(ending[n], 0);
		free(ending);
	}
	CU_ASSERT_EQUAL(kt_compare_ending(NULL, compare, i, length + 1), KT_E_USAGE);
	CU_ASSERT_EQUAL(kt_compare_find_letter(compare, "no such letter"), UINT32_MAX);
}

/* Returns the word of the i-th diverging transition as a string; the caller frees it. */
static char *word_of(const kt_compare *compare, size_t i, uint64_t length)
{
	uint32_t *letters = calloc(length, sizeof(*letters));
	char *word = calloc(length + 1, 1);

	if (!letters || !word || kt_compare_word(letters, compare, i)) {
		abort();
	}
	for (uint64_t j = 0; j < length; j++) {
		const char *name = kt_compare_letter(compare, letters[j]);

		word[j] = name[0];
		CU_ASSERT_EQUAL(kt_compare_find_letter(compare, name), letters[j]);
	}
	check_endings(compare, i, letters, length);
	free(letters);
	return word;
}

static bool same_way(const kt_compare *compare, size_t i, const struct oracle_way *expected)
{
	struct kt_compare_way way;
	char *word;
	bool same;

	if (kt_compare_way(&way, compare, i)) {
		return false;
	}
	word = word_of(compare, i, way.length);
	same = (int)way.version == expected->version &&
	       way.transition == expected->transition &&
	       strcmp(word, expected->word) == 0 &&
	       strcmp(kt_compare_letter(compare, way.letter), word + way.length - 1) == 0;
	free(word);
	return same;
}

/* Returns whether the summaries and the diverging transitions are the same. */
static bool same_result(const kt_compare *compare, const struct oracle *oracle)
{
	const struct kt_compare_summary *summary = kt_compare_summary(compare);
	size_t n[2] = {0, 0};
	bool same = summary->complete && summary->equal == oracle->equal &&
		    summary->n_ways[0] + summary->n_ways[1] == oracle->n_ways;

	for (size_t i = 0; same && i < oracle->n_ways; i++) {
		same = same_way(compare, i, &oracle->ways[i]);
		n[oracle->ways[i].version]++;
	}
	return same && n[0] == summary->n_ways[0] && n[1] == summary->n_ways[1] &&
	       summary->old_in_new == (n[0] ? KT_ANSWER_NO : KT_ANSWER_YES) &&
	       summary->new_in_old == (n[1] ? KT_ANSWER_NO : KT_ANSWER_YES);
}

static bool check(const struct kt_fsm *old, const struct kt_fsm *new)
{
	struct oracle oracle = compare_slowly(old, new);
	kt_compare *compare = NULL;
	bool equal = !oracle.equal;
	bool good = kt_compare_new(&compare, old, new, NULL) == KT_OK &&
		    same_result(compare, &oracle) &&
		    kt_compare_equal(&equal, old, new) == KT_OK && equal == oracle.equal;

	kt_compare_free(compare);
	for (size_t i = 0; i < oracle.n_ways; i++) {
		oracle.ways[i].version = 1 - oracle.ways[i].version;
	}
	good = good && kt_compare_new(&compare, new, old, NULL) == KT_OK &&
	       same_result(compare, &oracle);
	if (good) {
		kt_compare_free(compare);
	}
	oracle_clear(&oracle);
	return good;
}

static void test_oracle(void)
{
	unsigned equal = 0;

	for (uint64_t seed = 1; seed <= SETS; seed++) {
		struct random random = {.state = seed * 77};
		struct kt_fsm *old = random_machine(&random, seed % 2 ? 4 : 12, 4);
		struct kt_fsm *new = seed % 3 ? edited_machine(&random, old, 2)
					      : random_machine(&random, 6, 4);
		bool same = false;

		CU_ASSERT_TRUE(check(old, new));
		CU_ASSERT_TRUE(check(old, old));
		CU_ASSERT_EQUAL(kt_compare_equal(&same, old, new), KT_OK);
		equal += same;
		kt_fsm_free(old);
		kt_fsm_free(new);
	}
	CU_ASSERT_TRUE(equal > SETS / 20 && equal < SETS / 2);
}

/*
 * Tries all words of up to 6 letters from an alphabet of three: a word that only one
 * machine can read must not be less than the least one that the oracle found.
 */
static void check_by_enumeration(const struct kt_fsm *old, const struct kt_fsm *new)
{
	struct oracle oracle = compare_slowly(old, new);
	const char *least[2] = {NULL, NULL};
	char word[7] = "";

	for (size_t i = oracle.n_ways; i-- > 0;) {
		least[oracle.ways[i].version] = oracle.ways[i].word;
	}
	for (unsigned n = 0; n < 4 * 4 * 4 * 4 * 4 * 4; n++) {
		size_t length = 0;

		for (unsigned rest = n; rest % 4; rest /= 4) {
			word[length++] = (char)('a' - 1 + rest % 4);
		}
		word[length] = '\0';
		for (int s = 0; s < 2; s++) {
			const struct kt_fsm *fsm[2] = {old, new};

			if (accepts(fsm[s], word) && !accepts(fsm[1 - s], word)) {
				CU_ASSERT_FATAL(least[s] != NULL);
				CU_ASSERT_TRUE(compare_words(least[s], word) <= 0);
			}
		}
	}
	for (size_t i = 0; i < oracle.n_ways; i++) {
		const struct oracle_way *way = &oracle.ways[i];

		CU_ASSERT_EQUAL(accepts(old, way->word), way->version == 0);
		CU_ASSERT_EQUAL(accepts(new, way->word), way->version == 1);
	}
	oracle_clear(&oracle);
}

static void test_enumeration(void)
{
	for (uint64_t seed = 1; seed <= 200; seed++) {
		struct random random = {.state = seed * 91};
		struct kt_fsm *old = random_machine(&random, 4, 3);
		struct kt_fsm *new = seed % 2 ? edited_machine(&random, old, 2)
					      : random_machine(&random, 4, 3);

		check_by_enumeration(old, new);
		kt_fsm_free(old);
		kt_fsm_free(new);
	}
}

/* Makes a machine of one cycle of n letters "a". */
static struct kt_fsm *cycle(uint32_t n)
{
	struct kt_fsm *fsm;

	CU_ASSERT_EQUAL_FATAL(kt_fsm_new(&fsm), KT_OK);
	fsm->letters = calloc(1, sizeof(*fsm->letters));
	fsm->letters[0] = strdup("a");
	fsm->n_letters = 1;
	fsm->states = calloc(n, sizeof(*fsm->states));
	fsm->n_states = n;
	fsm->transitions = calloc(n, sizeof(*fsm->transitions));
	fsm->n_transitions = n;
	for (uint32_t i = 0; i < n; i++) {
		fsm->transitions[i] = (struct kt_fsm_transition){
			.from = i, .to = (i + 1) % n, .count = 1};
	}
	return fsm;
}

/*
 * If most_pairs stops the search before the only diverging transition, the answer is
 * unknown; one more pair is enough to find it.
 */
static void test_limit(void)
{
	struct kt_compare_options options = {.most_pairs = 10};
	const struct kt_compare_summary *summary;
	struct kt_fsm *old = cycle(7);
	struct kt_fsm *new = cycle(11);
	struct kt_compare_way way;
	kt_compare *compare;
	bool equal = false;

	CU_ASSERT_EQUAL(kt_compare_equal(&equal, old, new), KT_OK);
	CU_ASSERT_TRUE(equal);
	new->n_transitions--; /* now a chain of ten letters */
	CU_ASSERT_EQUAL_FATAL(kt_compare_new(&compare, old, new, &options), KT_OK);
	summary = kt_compare_summary(compare);
	CU_ASSERT_FALSE(summary->equal);
	CU_ASSERT_FALSE(summary->complete);
	CU_ASSERT_EQUAL(summary->old_in_new, KT_ANSWER_UNKNOWN);
	CU_ASSERT_EQUAL(summary->sure_length, 10);
	CU_ASSERT_EQUAL(kt_compare_way(&way, compare, 0), KT_E_USAGE);
	kt_compare_free(compare);
	options.most_pairs = 11;
	CU_ASSERT_EQUAL_FATAL(kt_compare_new(&compare, old, new, &options), KT_OK);
	summary = kt_compare_summary(compare);
	CU_ASSERT_TRUE(summary->complete);
	CU_ASSERT_EQUAL(summary->old_in_new, KT_ANSWER_NO);
	CU_ASSERT_EQUAL(summary->new_in_old, KT_ANSWER_YES);
	CU_ASSERT_EQUAL(kt_compare_way(&way, compare, 0), KT_OK);
	CU_ASSERT_EQUAL(way.length, 11);
	CU_ASSERT_PTR_NULL(kt_compare_letter(compare, 1));
	kt_compare_free(compare);
	kt_fsm_free(old);
	kt_fsm_free(new);
}

static void test_refused(void)
{
	struct kt_fsm *good = cycle(3);
	struct kt_fsm *bad = cycle(3);
	struct kt_fsm *empty;
	kt_compare *compare;
	bool equal;

	bad->transitions[1].from = 0;
	CU_ASSERT_EQUAL(kt_compare_new(&compare, good, bad, NULL), KT_E_USAGE);
	CU_ASSERT_PTR_NULL(compare);
	CU_ASSERT_PTR_NOT_NULL(strstr(kt_error_message(), "the new machine is not det"));
	bad->transitions[1].from = 3;
	CU_ASSERT_EQUAL(kt_compare_equal(&equal, bad, good), KT_E_USAGE);
	CU_ASSERT_EQUAL(kt_fsm_new(&empty), KT_OK);
	CU_ASSERT_EQUAL(kt_compare_equal(&equal, empty, good), KT_E_USAGE);
	kt_fsm_free(empty);
	kt_fsm_free(bad);
	kt_fsm_free(good);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"random machines and the oracle", test_oracle},
		{"the oracle and words written out", test_enumeration},
		{"the limit on pairs", test_limit},
		{"what is refused", test_refused},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("comparing languages", tests);
}
