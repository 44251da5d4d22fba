/* SPDX-License-Identifier: MIT */
/*
 * Distributes random word sets to parts, counts the parts separately, and merges them in
 * random order, some through a file. The statistics, their machine and the machine for a
 * smaller k must equal, byte for byte, those of all words counted at once.
 *
 * test-merge FIRST N: the seeds FIRST to FIRST + N - 1
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/ktail.h>

#include "tests/engine/oracle/random-sets.h"
#include "tests/engine/oracle/shrink.h"

#define PARTS_MAX 8
#define K_MAX     41

struct text {
	char *bytes;
	size_t n;
};

static void must(int code)
{
	if (code != KT_OK) {
		fprintf(stderr, "test-merge: %s\n", kt_error_message());
		exit(1);
	}
}

static struct text print_kgrams(const kt_kgrams *kgrams)
{
	struct text text = {0};
	FILE *out = open_memstream(&text.bytes, &text.n);

	must(out ? kt_kgrams_write(kgrams, out) : KT_E_MEMORY);
	fclose(out);
	return text;
}

static struct text print_machine(struct kt_fsm *fsm)
{
	struct text text = {0};
	FILE *out = open_memstream(&text.bytes, &text.n);

	must(out ? kt_fsm_write_json(fsm, out) : KT_E_MEMORY);
	fclose(out);
	kt_fsm_free(fsm);
	return text;
}

/* Returns whether the texts are the same; frees them. */
static bool same(struct text a, struct text b, const char *what)
{
	bool equal = a.n == b.n && memcmp(a.bytes, b.bytes, a.n) == 0;

	if (!equal) {
		fprintf(stderr, "%s differ\n", what);
	}
	free(a.bytes);
	free(b.bytes);
	return equal;
}

static kt_kgrams *count(const kt_words *words, uint64_t k)
{
	struct kt_infer_options options = KT_INFER_OPTIONS_INIT;
	kt_kgrams *kgrams = NULL;

	options.k = k;
	must(kt_kgrams_count(&kgrams, words, &options));
	return kgrams;
}

static kt_kgrams *pass_through_file(kt_kgrams *kgrams)
{
	struct text text = print_kgrams(kgrams);
	FILE *in = fmemopen(text.bytes, text.n, "r");
	kt_kgrams *back = NULL;

	must(in ? kt_kgrams_read(&back, in, "text") : KT_E_MEMORY);
	fclose(in);
	free(text.bytes);
	kt_kgrams_free(kgrams);
	return back;
}

/* Makes n sets, and puts each word into a random one. */
static void deal(kt_words **sets, uint32_t n, const kt_words *words, struct random *random)
{
	for (uint32_t i = 0; i < n; i++) {
		must(kt_words_new(&sets[i]));
	}
	for (size_t i = 0; i < kt_words_count(words); i++) {
		copy_word(sets[random_below(random, n)], words, i);
	}
}

/* Merges two or three random parts into one, until only one part is left. */
static kt_kgrams *merge(kt_kgrams **parts, uint32_t n, struct random *random)
{
	while (n > 1) {
		uint32_t m = n > 2 && random_below(random, 2) ? 3 : 2;
		const kt_kgrams *picked[3];
		kt_kgrams *merged = NULL;

		for (uint32_t i = 0; i < m; i++) {
			uint32_t j = i + random_below(random, n - i);
			kt_kgrams *part = parts[j];

			parts[j] = parts[i];
			parts[i] = part;
			picked[i] = part;
		}
		must(kt_kgrams_merge(&merged, picked, m));
		for (uint32_t i = 0; i < m; i++) {
			kt_kgrams_free(parts[i]);
		}
		parts[0] = random_below(random, 4) ? merged : pass_through_file(merged);
		for (uint32_t i = m; i < n; i++) {
			parts[i - m + 1] = parts[i];
		}
		n -= m - 1;
	}
	return parts[0];
}

static kt_kgrams *count_apart(const kt_words *words, uint64_t k, struct random *random)
{
	uint32_t n = 1 + random_below(random, PARTS_MAX);
	kt_words *sets[PARTS_MAX];
	kt_kgrams *parts[PARTS_MAX];

	deal(sets, n, words, random);
	for (uint32_t i = 0; i < n; i++) {
		parts[i] = count(sets[i], k);
		kt_words_free(sets[i]);
	}
	return merge(parts, n, random);
}

/* Returns whether the k-grams, counted for k or more, give the engine's machine for k. */
static bool check_machine(const kt_words *words, const kt_kgrams *kgrams, uint64_t k)
{
	struct kt_infer_options options = KT_INFER_OPTIONS_INIT;
	struct kt_fsm *expected = NULL;
	struct kt_fsm *fsm = NULL;

	options.k = k;
	must(kt_infer(&expected, words, &options));
	must(kt_kgrams_infer(&fsm, kgrams, k));
	return same(print_machine(expected), print_machine(fsm), "machines");
}

static bool check(const kt_words *words, uint64_t k, struct random *random)
{
	kt_kgrams *whole = count(words, k);
	kt_kgrams *merged = count_apart(words, k, random);
	bool good = same(print_kgrams(whole), print_kgrams(merged), "statistics");

	good = check_machine(words, merged, k) && good;
	good = check_machine(words, merged, random_below(random, (uint32_t)k + 1)) && good;
	kt_kgrams_free(whole);
	kt_kgrams_free(merged);
	return good;
}

/* k, and the seed by which words are distributed and parts are merged. */
struct request {
	uint64_t k;
	uint64_t seed;
};

static bool fails(const kt_words *words, void *context)
{
	const struct request *request = context;
	struct random random = {.state = request->seed * 0x2545f4914f6cdd1du | 1};

	return !check(words, request->k, &random);
}

static void report(const kt_words *words, struct request *request)
{
	kt_words *small = shrink_set(words, fails, request);

	fprintf(stderr, "seed %llu, k %llu; made small:\n",
		(unsigned long long)request->seed, (unsigned long long)request->k);
	print_set(stderr, small);
	kt_words_free(small);
}

static bool check_seed(uint64_t seed)
{
	struct random random = {.state = seed * 0x2545f4914f6cdd1du | 1};
	kt_words *words = random_set(seed, seed % 4 ? 12 : 200);
	bool good = true;

	for (int i = 0; good && i < 4; i++) {
		struct request request = {
			.k = i < 3 ? (uint64_t)i : random_below(&random, K_MAX),
			.seed = seed + (uint64_t)i,
		};

		good = !fails(words, &request);
		if (!good) {
			report(words, &request);
		}
	}
	kt_words_free(words);
	return good;
}

int main(int argc, char **argv)
{
	uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 10) : 0;
	uint64_t n = argc > 2 ? strtoull(argv[2], NULL, 10) : 100;

	for (uint64_t seed = first; seed < first + n; seed++) {
		if (!check_seed(seed)) {
			return 1;
		}
	}
	return 0;
}
