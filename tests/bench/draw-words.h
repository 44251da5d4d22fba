/* SPDX-License-Identifier: MIT */
/* Words to measure with: the same ones whenever they are drawn. */
#ifndef KTAIL_BENCH_DRAW_WORDS_H
#define KTAIL_BENCH_DRAW_WORDS_H

#include <ktail/ktail.h>

struct shape {
	const char *name;
	uint32_t kinds;
	uint64_t word; /* letters of each word, about; 0: all in one */
};

/*
 * What can be drawn: "traces" of 33 and of 400 kinds of letters, "random", and "programs",
 * as traces, but of many words that begin alike.
 */
extern const struct shape shapes[];
extern const size_t n_shapes;

/* Words of this many letters in all. The caller frees it; ends the program on failure. */
kt_words *draw_words(const struct shape *shape, uint64_t letters);

/* Takes "chains" or "pta" away from the front of the arguments; chains if neither is there.
 */
enum kt_machine take_machine(int *argc, char ***argv);

/* Ends the program with the thread's message if code is one of failure. */
void must(int code);

double now(void);

/* Runs a measurement in a process of its own; 0 or 2, the exit status. */
int measure_apart(void (*measure)(const void *context), const void *context);

/* The most memory that this process had so far, in bytes. */
double peak_memory(void);

#endif
