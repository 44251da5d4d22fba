/* SPDX-License-Identifier: MIT */
/*
 * Finds letters whose number differs between recordings of one program although the program
 * does the same each time.
 */
#ifndef KTAIL_CHANGES_NOISE_H
#define KTAIL_CHANGES_NOISE_H

#include <stdbool.h>
#include <stddef.h>

#include <ktail/words.h>

struct kt_noise {
	/* Owned by this: for each letter of the words, whether it is noise */
	bool *letters;
	/*
	 * Owned by this: for each letter, whether its number differed between recordings.
	 * The other noise consists of letters of accesses, whose number may differ in the
	 * next recording.
	 */
	bool *seen;
	size_t recordings; /* the largest number of words with one name, such as "app.0" */
	/*
	 * without noise, all words with the same name are equal, or the threads of each
	 * process are equal in all recordings, in any order
	 */
	bool equal;
};

/*
 * Finds the noise of recordings of one program: letters whose number varies among the words
 * of one name ("app.0" of "trace/app.0"), and all letters of accesses ("R:..." and "W:..."
 * but not the doorbell "W:reg"). How often a driver polls depends on time, so accesses that
 * did not vary in a few recordings may vary in the next one. Threads ("app.0.t1") are
 * numbered in order of time, so one number may stand for different threads in two
 * recordings. If each thread of a process occurs in all recordings, the threads are
 * therefore compared in any order: a letter varies if no assignment of threads gives equal
 * numbers. The caller frees *out with kt_noise_free(), also after a failure. O(letters +
 * words * distinct letters * log threads).
 */
int kt_noise_find(struct kt_noise *out, const kt_words *words);

/*
 * Returns the length of a word's name without the number of its thread, such as ".t3"; 0 if
 * the name has no such number.
 */
size_t kt_noise_process_length(const char *name);

void kt_noise_free(struct kt_noise *noise);

#endif
