/* SPDX-License-Identifier: MIT */
/*
 * Compares the cost of sweeping all k of a range with a lower bound ("floor"): the suffix
 * array of the letters as bytes, its LCP array, and a union-find that merges neighbours in
 * descending order of LCP, all on plain arrays.
 *
 * bench-sweep [MACHINE] [LETTERS...] prints a line for every number of letters and every
 * shape of input, for k = 1 to 40. MACHINE is chains (default) or pta. The sweep and the
 * floor of each line are measured in processes of their own; memory is the peak of the
 * sweep's process, word set included. There is no floor for more than 255 different
 * letters.
 */
#define _GNU_SOURCE /* MAP_ANONYMOUS */
#include <divsufsort.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "draw-words.h"

#define K_MAX 40

struct line {
	const struct shape *shape;
	enum kt_machine machine;
	uint64_t letters;
	double *floor; /* shared with the process that measures it */
};

static void *allocate(size_t n, size_t size)
{
	void *memory = calloc(n + 1, size);

	if (!memory) {
		fprintf(stderr, "bench-sweep: out of memory\n");
		exit(2);
	}
	return memory;
}

static size_t copy_word(unsigned char *bytes, const kt_words *words, size_t word)
{
	struct kt_word_info info;
	uint32_t chunk[4096];
	uint64_t length;

	must(kt_words_get(words, word, &info, &length));
	for (uint64_t at = 0; at < length; at += 4096) {
		uint64_t left = length - at;
		size_t n = left < 4096 ? (size_t)left : 4096;

		must(kt_words_read(words, word, at, n, chunk));
		for (size_t i = 0; i < n; i++) {
			bytes[at + i] = (unsigned char)chunk[i];
		}
	}
	return (size_t)length;
}

static unsigned char *copy_bytes(const struct line *line)
{
	kt_words *words = draw_words(line->shape, line->letters);
	unsigned char *bytes = allocate(line->letters, 1);
	size_t at = 0;

	for (size_t i = 0; i < kt_words_count(words); i++) {
		at += copy_word(bytes + at, words, i);
	}
	kt_words_free(words);
	return bytes;
}

/* Replaces the array of neighbours by the permuted LCP array, capped at K_MAX. */
static void compare_neighbours(int32_t *plcp, const unsigned char *bytes, size_t n)
{
	size_t agree = 0;

	for (size_t p = 0; p < n; p++) {
		size_t q = (size_t)plcp[p];

		if (plcp[p] < 0) {
			agree = 0;
		}
		while (plcp[p] >= 0 && agree < K_MAX && p + agree < n && q + agree < n &&
		       bytes[p + agree] == bytes[q + agree]) {
			agree++;
		}
		plcp[p] = (int32_t)agree;
		agree -= agree > 0;
	}
}

static uint32_t find(uint32_t *parent, uint32_t p)
{
	while (parent[p] != p) {
		parent[p] = parent[parent[p]];
		p = parent[p];
	}
	return p;
}

/*
 * Merges neighbours by descending LCP, with one bucket for each LCP. Returns the number of
 * sets left.
 */
static size_t merge_neighbours(const int32_t *order, const int32_t *plcp, size_t n)
{
	uint32_t *parent = allocate(n, sizeof(*parent));
	uint32_t *bucket = allocate(n, sizeof(*bucket));
	size_t from[K_MAX + 2] = {0};
	size_t sets = n;

	for (size_t p = 0; p < n; p++) {
		parent[p] = (uint32_t)p;
		from[K_MAX - plcp[p] + 1]++;
	}
	for (size_t i = 1; i < K_MAX + 2; i++) {
		from[i] += from[i - 1];
	}
	for (size_t i = 1; i < n; i++) {
		bucket[from[K_MAX - plcp[order[i]]]++] = (uint32_t)i;
	}
	for (size_t i = 0; i + 1 < n; i++) {
		uint32_t a = find(parent, (uint32_t)order[bucket[i] - (bucket[i] > 0)]);
		uint32_t b = find(parent, (uint32_t)order[bucket[i]]);

		if (plcp[order[bucket[i]]] > 0 && a != b) {
			parent[a > b ? a : b] = a > b ? b : a;
			sets--;
		}
	}
	free(parent);
	free(bucket);
	return sets;
}

static void measure_floor(const void *context)
{
	const struct line *line = context;
	unsigned char *bytes = copy_bytes(line);
	size_t n = (size_t)line->letters;
	int32_t *order;
	int32_t *plcp;
	double start = now();

	order = allocate(n, sizeof(*order));
	plcp = allocate(n, sizeof(*plcp));
	if (divsufsort(bytes, order, (saidx_t)n) != 0) {
		exit(2);
	}
	plcp[order[0]] = -1;
	for (size_t i = 1; i < n; i++) {
		plcp[order[i]] = order[i - 1];
	}
	compare_neighbours(plcp, bytes, n);
	if (merge_neighbours(order, plcp, n) == 0) {
		exit(2);
	}
	*line->floor = now() - start;
}

static void measure_sweep(const void *context)
{
	const struct line *line = context;
	kt_words *words = draw_words(line->shape, line->letters);
	struct kt_sweep_options options = KT_SWEEP_OPTIONS_INIT;
	struct kt_sweep_row row = {0};
	kt_sweep *sweep;
	bool more = true;
	uint64_t most = 0;
	double start = now();
	double seconds;

	options.hi = K_MAX;
	options.machine = line->machine;
	must(kt_sweep_new(&sweep, words, &options));
	while (more) {
		must(kt_sweep_next(&more, &row, sweep));
		most = row.states > most ? row.states : most;
	}
	seconds = now() - start;
	printf("| %" PRIu64 " | %s | %" PRIu32 " | %" PRIu64 " | %.2f | ", line->letters,
	       line->shape->name, line->shape->kinds, most, seconds);
	if (*line->floor > 0) {
		printf("%.2f | %.2f | ", *line->floor, seconds / *line->floor);
	} else {
		printf(" | | ");
	}
	printf("%.0f | %.1f |\n", seconds / (double)line->letters * 1e9,
	       peak_memory() / (double)line->letters);
	kt_sweep_free(sweep);
	kt_words_free(words);
}

static int measure(struct line *line)
{
	int status = 0;

	*line->floor = 0;
	if (line->shape->kinds < 256) {
		status = measure_apart(measure_floor, line);
	}
	return status ? status : measure_apart(measure_sweep, line);
}

int main(int argc, char **argv)
{
	static const char *const usual[] = {"100000", "1000000", "10000000"};
	struct line line = {.machine = take_machine(&argc, &argv)};
	int n = argc > 1 ? argc - 1 : 3;
	int status = 0;

	line.floor = mmap(NULL, sizeof(*line.floor), PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (line.floor == MAP_FAILED) {
		return 2;
	}
	printf("| letters | input | kinds | states, k = %d | seconds | floor | ratio | "
	       "ns a letter | bytes a letter |\n|---|---|---|---|---|---|---|---|---|\n",
	       K_MAX);
	for (int i = 0; i < n; i++) {
		line.letters = strtoull(argc > 1 ? argv[i + 1] : usual[i], NULL, 10);
		for (size_t j = 0; !status && line.letters && j < n_shapes; j++) {
			line.shape = &shapes[j];
			status = measure(&line);
		}
	}
	return status;
}
