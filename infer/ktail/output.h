/* SPDX-License-Identifier: MIT */
/* A machine as files: the ending of a name picks the format. */
#ifndef KTAIL_OUTPUT_H
#define KTAIL_OUTPUT_H

#include <ktail/fsm.h>

/* Whether a file of that name can be written by this version; KT_E_USAGE says what can. */
int kt_output_check(const char *path);

/*
 * Writes the machine to each of paths[0..n), or as DOT to standard output if n is 0. All
 * are made before the first is put in its place.
 */
int kt_output_write(const struct kt_fsm *fsm, char *const *paths, size_t n);

/* The transitions as a table: from, letter, to, count. */
int kt_output_write_tsv(const struct kt_fsm *fsm, FILE *out);

#endif
