/* SPDX-License-Identifier: MIT */
/*
 * Compares machines of the engine, inferred for each k alone and in a sweep, with those of
 * the reference, and k-tails of the reference with enumerated strings.
 *
 * test-oracle MACHINE [FIRST COUNT]: MACHINE is chains or pta. Tests the random sets FIRST,
 * FIRST + 1, ... for k = 0..40: even ones have words of at most 5 letters, odd ones of at
 * most 200 (see random_set()).
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "random-sets.h"
#include "reference.h"
#include "shrink.h"

#define K_MAX 40
/* Words of small sets have at most 5 letters, so a larger k changes nothing. */
#define K_STRINGS_MAX 7

struct tally {
	unsigned long machines;
	unsigned long strings;
	unsigned long wide; /* sets with too many letters for symbols of one byte */
	unsigned long reordered;
};

static enum kt_machine machine;
static bool shrinking; /* while true, complain() prints nothing */

static void complain(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	if (!shrinking) {
		vfprintf(stderr, format, arguments);
	}
	va_end(arguments);
}

static bool compare(const kt_words *words, const struct kt_fsm *expected, uint64_t seed,
		    const char *what)
{
	struct kt_infer_options options = KT_INFER_OPTIONS_INIT;
	struct kt_fsm *fsm = NULL;
	char text[200];
	bool same;

	options.k = expected->k;
	options.machine = machine;
	if (kt_infer(&fsm, words, &options) != KT_OK) {
		complain("set %llu%s, k %llu: %s\n", (unsigned long long)seed, what,
			 (unsigned long long)options.k, kt_error_message());
		return false;
	}
	same = same_machine(fsm, expected, text, sizeof(text));
	if (!same) {
		complain("set %llu%s, k %llu: engine and reference: %s\n",
			 (unsigned long long)seed, what, (unsigned long long)options.k,
			 text);
	}
	kt_fsm_free(fsm);
	return same;
}

static bool check_k(struct tally *tally, const kt_words *words, const kt_words *reordered,
		    struct reference *reference, uint64_t seed, uint64_t k)
{
	const struct kt_fsm *expected = reference_infer(reference, k);
	bool small = seed % 2 == 0;

	tally->machines++;
	if (!compare(words, expected, seed, "")) {
		return false;
	}
	if ((seed + k) % 4 == 0) {
		tally->reordered++;
		if (!compare(reordered, expected, seed, " reordered")) {
			return false;
		}
	}
	if (small && k <= K_STRINGS_MAX) {
		tally->strings++;
		if (!reference_agrees_with_strings(reference)) {
			complain("set %llu, k %llu: reference and strings differ\n",
				 (unsigned long long)seed, (unsigned long long)k);
			return false;
		}
	}
	return true;
}

static bool has_sizes(const struct kt_fsm *fsm, const struct kt_sweep_row *row)
{
	size_t complex = 0;

	return kt_fsm_count_complex(fsm, &complex) == KT_OK && row->k == fsm->k &&
	       row->states == fsm->n_states && row->transitions == fsm->n_transitions &&
	       row->complex == complex;
}

/* Compares the sizes and, for some k, the machine of the sweep's current k. */
static bool check_row(kt_sweep *sweep, const struct kt_sweep_row *row,
		      const struct kt_fsm *expected, uint64_t seed)
{
	struct kt_fsm *fsm = NULL;
	char text[200] = "sizes";
	bool same = has_sizes(expected, row);

	/*
	 * Build only some machines: whether one is built must not affect the rows after it.
	 */
	if (same && (seed / 3 + row->k) % 3 != 0) {
		same = kt_sweep_machine(&fsm, sweep) == KT_OK &&
		       same_machine(fsm, expected, text, sizeof(text));
		kt_fsm_free(fsm);
	}
	if (!same) {
		complain("set %llu, k %llu: sweep and reference: %s\n",
			 (unsigned long long)seed, (unsigned long long)row->k, text);
	}
	return same;
}

/* Checks a sweep over a range of k that depends on the seed. */
static bool check_sweep(const kt_words *words, struct reference *reference, uint64_t seed)
{
	struct kt_sweep_options options = KT_SWEEP_OPTIONS_INIT;
	struct kt_sweep_row row;
	kt_sweep *sweep;
	bool more = true;
	bool good;
	uint64_t k;

	options.machine = machine;
	options.lo = seed % 3 == 0 ? seed / 3 % 5 : 0;
	options.hi = seed % 5 == 0 ? options.lo + seed / 5 % 9 : K_MAX;
	good = kt_sweep_new(&sweep, words, &options) == KT_OK;
	for (k = options.hi + 1; good && more; k -= more) {
		good = kt_sweep_next(&more, &row, sweep) == KT_OK;
		if (good && more) {
			good = row.k == k - 1 &&
			       check_row(sweep, &row, reference_infer(reference, row.k),
					 seed);
		}
	}
	kt_sweep_free(sweep);
	return good && k == options.lo;
}

static bool check_words(struct tally *tally, const kt_words *words, uint64_t seed)
{
	kt_words *reordered = reordered_set(words, seed + 1);
	struct reference *reference = reference_new_from(words, machine);
	bool good = true;

	for (uint64_t k = 0; good && k <= K_MAX; k++) {
		good = check_k(tally, words, reordered, reference, seed, k);
	}
	good = good && check_sweep(words, reference, seed);
	reference_free(reference);
	kt_words_free(reordered);
	return good;
}

static bool fails(const kt_words *words, void *context)
{
	struct tally none = {0};

	return !check_words(&none, words, *(const uint64_t *)context);
}

/* Shrinks a set that fails, and prints the result and how it fails. */
static void show(const kt_words *words, uint64_t seed)
{
	kt_words *small;

	shrinking = true;
	small = shrink_set(words, fails, &seed);
	shrinking = false;
	fails(small, &seed);
	fprintf(stderr, "this fails as well:\n");
	print_set(stderr, small);
	kt_words_free(small);
}

static bool check_set(struct tally *tally, uint64_t seed)
{
	kt_words *words = random_set(seed, seed % 2 == 0 ? 5 : 200);
	bool good = check_words(tally, words, seed);

	tally->wide += kt_words_letter_count(words) > 254;
	if (!good) {
		show(words, seed);
	}
	kt_words_free(words);
	return good;
}

int main(int argc, char **argv)
{
	uint64_t first = argc > 2 ? strtoull(argv[2], NULL, 10) : 0;
	uint64_t count = argc > 3 ? strtoull(argv[3], NULL, 10) : 10000;
	struct tally tally = {0};
	unsigned long bad = 0;

	if (argc < 2) {
		return 2;
	}
	machine = strcmp(argv[1], "pta") == 0 ? KT_MACHINE_PTA : KT_MACHINE_CHAINS;
	for (uint64_t seed = first; seed < first + count && bad < 10; seed++) {
		bad += !check_set(&tally, seed);
	}
	printf("%llu sets (%lu with wide letters): %lu machines, %lu of them also "
	       "reordered, "
	       "%lu partitions written out as strings; %lu sets differ\n",
	       (unsigned long long)count, tally.wide, tally.machines, tally.reordered,
	       tally.strings, bad);
	return bad != 0;
}
