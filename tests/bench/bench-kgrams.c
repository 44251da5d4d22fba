/* SPDX-License-Identifier: MIT */
/*
 * Measures the k-gram counts for one k: their size in a file, and the seconds to count,
 * write, read and merge them and to build the machine; for comparison, also the seconds of
 * kt_infer() from the words. Seconds are CPU time, which depends less on other load.
 *
 * bench-kgrams [LETTERS [K...]] prints a line for every shape of input and every k, each
 * measured in a process of its own. Memory is the peak of this process, word set included.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "draw-words.h"

struct line {
	const struct shape *shape;
	uint64_t letters;
	uint64_t k;
};

static double processor_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static double lap(double *since)
{
	double t = processor_seconds();
	double seconds = t - *since;

	*since = t;
	return seconds;
}

static kt_kgrams *through_file(const kt_kgrams *kgrams, double *since)
{
	FILE *file = tmpfile();
	kt_kgrams *back = NULL;

	must(file ? kt_kgrams_write(kgrams, file) : KT_E_IO);
	fflush(file);
	printf(" %.2f |", (double)ftell(file) / 1e6);
	printf(" %.2f |", lap(since));
	rewind(file);
	must(kt_kgrams_read(&back, file, "file"));
	printf(" %.2f |", lap(since));
	fclose(file);
	return back;
}

static void measure(const void *context)
{
	const struct line *line = context;
	kt_words *words = draw_words(line->shape, line->letters);
	struct kt_infer_options options = KT_INFER_OPTIONS_INIT;
	struct kt_fsm *fsm = NULL;
	kt_kgrams *parts[2] = {NULL, NULL};
	kt_kgrams *merged = NULL;
	double since = processor_seconds();

	options.k = line->k;
	must(kt_infer(&fsm, words, &options));
	printf("| %s | %" PRIu32 " | %" PRIu64 " | %.2f |", line->shape->name,
	       line->shape->kinds, line->k, lap(&since));
	kt_fsm_free(fsm);
	since = processor_seconds();
	must(kt_kgrams_count(&parts[0], words, &options));
	printf(" %.2f | %zu |", lap(&since), kt_kgrams_windows(parts[0]));
	parts[1] = through_file(parts[0], &since);
	must(kt_kgrams_merge(&merged, (const kt_kgrams *const *)parts, 2));
	printf(" %.2f |", lap(&since));
	must(kt_kgrams_infer(&fsm, merged, line->k));
	printf(" %.2f | %.1f |\n", lap(&since), peak_memory() / (double)line->letters);
	kt_fsm_free(fsm);
	kt_kgrams_free(parts[0]);
	kt_kgrams_free(parts[1]);
	kt_kgrams_free(merged);
	kt_words_free(words);
}

int main(int argc, char **argv)
{
	static const char *const usual[] = {"1", "5", "20", "40"};
	struct line line = {.letters = argc > 1 ? strtoull(argv[1], NULL, 10) : 10000000};
	size_t n_ks = argc > 2 ? (size_t)argc - 2 : sizeof(usual) / sizeof(usual[0]);
	int status = line.letters ? 0 : 2;

	printf("%" PRIu64 " letters\n\n"
	       "| input | kinds | k | kt_infer s | count s | windows | file MB | write s | "
	       "read s | merge s | infer s | bytes a letter |\n"
	       "|---|---|---|---|---|---|---|---|---|---|---|---|\n",
	       line.letters);
	for (size_t i = 0; i < n_shapes; i++) {
		for (size_t j = 0; !status && j < n_ks; j++) {
			line.shape = &shapes[i];
			line.k = strtoull(argc > 2 ? argv[j + 2] : usual[j], NULL, 10);
			status = measure_apart(measure, &line);
		}
	}
	return status;
}
