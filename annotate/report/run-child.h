/* SPDX-License-Identifier: MIT */
/* Runs a program of this project and keeps what it writes. */
#ifndef KTAIL_ANNOTATE_REPORT_RUN_CHILD_H
#define KTAIL_ANNOTATE_REPORT_RUN_CHILD_H

#include "infer/files/program.h"

/*
 * Runs the program argv[0] with the input that `feed` writes (NULL: none), and sets *out to
 * its standard output, which the caller frees. The program may end with exit statuses up to
 * `most`. KT_E_IO, KT_E_MEMORY, or the status of `feed`.
 */
int kt_run_child(char **out, char *const *argv, int most, kt_feed_fn feed,
		 const void *context);

#endif
