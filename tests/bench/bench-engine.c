/* SPDX-License-Identifier: MIT */
/*
 * Prints a table of the time and the memory that the engine needs for one k.
 *
 * bench-engine [MACHINE] [LETTERS [K...]] prints a line for every shape of input and every
 * k. MACHINE is chains (default) or pta. Each line is measured in a process of its own; the
 * memory is the peak of this process, word set included.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "draw-words.h"

struct line {
	const struct shape *shape;
	enum kt_machine machine;
	uint64_t letters;
	uint64_t k;
};

static void measure(const void *context)
{
	const struct line *line = context;
	kt_words *words = draw_words(line->shape, line->letters);
	struct kt_infer_options options = KT_INFER_OPTIONS_INIT;
	struct kt_fsm *fsm = NULL;
	double start = now();
	double seconds;

	options.k = line->k;
	options.machine = line->machine;
	must(kt_infer(&fsm, words, &options));
	seconds = now() - start;
	printf("| %s | %" PRIu32 " | %" PRIu64 " | %zu | %zu | %.2f | %.1f |\n",
	       line->shape->name, line->shape->kinds, line->k, fsm->n_states,
	       fsm->n_transitions, seconds, peak_memory() / (double)line->letters);
	kt_fsm_free(fsm);
	kt_words_free(words);
}

int main(int argc, char **argv)
{
	static const char *const usual[] = {"1", "5", "20", "40", "1000"};
	enum kt_machine machine = take_machine(&argc, &argv);
	struct line line = {.machine = machine,
			    .letters = argc > 1 ? strtoull(argv[1], NULL, 10) : 10000000};
	size_t n_ks = argc > 2 ? (size_t)argc - 2 : sizeof(usual) / sizeof(usual[0]);
	int status = line.letters ? 0 : 2;

	printf("%" PRIu64 " letters\n\n"
	       "| input | kinds | k | states | transitions | seconds | bytes a letter |\n"
	       "|---|---|---|---|---|---|---|\n",
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
