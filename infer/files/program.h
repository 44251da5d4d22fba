/* SPDX-License-Identifier: MIT */
#ifndef KTAIL_PROGRAM_H
#define KTAIL_PROGRAM_H

#include <stdio.h>

/*
 * The path of a program of this project: beside the one that runs, else on PATH. The caller
 * frees it; NULL if there is none.
 */
char *kt_program_find(const char *name);

/* Writes what a child is to read; 0 or a status. */
typedef int (*kt_feed_fn)(FILE *out, const void *context);

/*
 * Runs a program with arguments argv (argv[0] its name, NULL at the end), standard input
 * fed by `feed`, standard output `out`; what it says on standard error passes through.
 * Waits for its end. KT_E_IO if it cannot be run, fails, or does not read to the end.
 */
int kt_program_run(const char *path, char *const *argv, int out, kt_feed_fn feed,
		   const void *context);

#endif
