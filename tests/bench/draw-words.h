/* SPDX-License-Identifier: MIT */
/* Random words to measure with; they are the same in each run. */
#ifndef KTAIL_BENCH_DRAW_WORDS_H
#define KTAIL_BENCH_DRAW_WORDS_H

#include <ktail/ktail.h>

struct shape {
	const char *name;
	uint32_t kinds;
	uint64_t word; /* approximate number of letters of each word; 0: one word */
};

/*
 * "traces" with 33 and with 400 kinds of letters, "random", and "programs", which is like
 * "traces", but with many words that have the same beginning.
 */
extern const struct shape shapes[];
extern const size_t n_shapes;

/*
 * Returns words with this many letters in all. The caller frees them; failure ends the
 * program.
 */
kt_words *draw_words(const struct shape *shape, uint64_t letters);

/* Removes a leading "chains" or "pta" from the arguments; returns chains by default. */
enum kt_machine take_machine(int *argc, char ***argv);

/* Ends the program with the thread's error message if `code` is an error. */
void must(int code);

double now(void);

/*
 * Runs a measurement in a process of its own. Returns the exit status for main(), 0 or 2.
 */
int measure_apart(void (*measure)(const void *context), const void *context);

/* Returns the most memory that this process has had so far, in bytes. */
double peak_memory(void);

#endif
