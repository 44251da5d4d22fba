/* SPDX-License-Identifier: MIT */
#ifndef KTAIL_PROGRAM_H
#define KTAIL_PROGRAM_H

#include <stdio.h>

/*
 * Finds a program of this project: in the running program's folder, or else on PATH. The
 * caller frees the path; NULL if not found.
 */
char *kt_program_find(const char *name);

/* Writes a child's input; returns 0 or a status. */
typedef int (*kt_feed_fn)(FILE *out, const void *context);

/*
 * Runs a program and waits for its end. argv ends with NULL and begins with its name;
 * `feed` writes its standard input, `out` is its standard output, and standard error is
 * inherited. KT_E_IO if it cannot be run, fails, or does not read all input.
 */
int kt_program_run(const char *path, char *const *argv, int out, kt_feed_fn feed,
		   const void *context);

#endif
