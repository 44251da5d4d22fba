/* SPDX-License-Identifier: MIT */
#ifndef KTAIL_PROGRAM_H
#define KTAIL_PROGRAM_H

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

#endif
