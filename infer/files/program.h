/* SPDX-License-Identifier: MIT */
#ifndef KTAIL_PROGRAM_H
#define KTAIL_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/*
 * Finds a program of this project in the folder of the running program, or else on PATH.
 * The caller frees the path; NULL if not found.
 */
char *kt_program_find(const char *name);

/* Writes the standard input of a program; returns 0 or a status. */
typedef int (*kt_feed_fn)(FILE *out, const void *context);

/*
 * Runs the program at `path` as a child process, and waits until it ends. argv[] begins
 * with the program's name and ends with NULL. The child reads from standard input what
 * `feed` writes, writes its output to the file descriptor `out`, and inherits standard
 * error. KT_E_IO if the child cannot be run, fails, or does not read all input; otherwise
 * the status of `feed`.
 */
int kt_program_run(const char *path, char *const *argv, int out, kt_feed_fn feed,
		   const void *context);

/* Like kt_program_run(), but the child may also end with exit statuses up to `most`. */
int kt_program_run_up_to(const char *path, char *const *argv, int out, int most,
			 kt_feed_fn feed, const void *context);

struct kt_program_limits {
	size_t bytes;  /* how much it may print */
	int seconds;   /* how long the program may print nothing, or continue after its last
			* output */
	bool exceeded; /* set if the program was ended because it broke a limit */
};

/*
 * Runs the program at `path` with an empty standard input, and returns its standard output
 * and standard error in *out, a string that the caller frees. KT_E_IO if the program cannot
 * be run, fails or breaks a limit; if it fails, the message has the first line of *out.
 * KT_E_MEMORY.
 */
int kt_program_read(char **out, const char *path, char *const *argv,
		    struct kt_program_limits *limits);

#endif
