/* SPDX-License-Identifier: MIT */
/* What ktail merge and ktail diff do with distilled machines. */
#ifndef KTAIL_DISTILLED_H
#define KTAIL_DISTILLED_H

#include <stdbool.h>

#include "base/option-table.h"
#include "infer/files/output.h"

/* Returns whether any of the files is a distilled machine. */
bool kt_distilled_any_named(char *const *paths, int n);

/*
 * Refuses a file that is not a distilled machine, as kt_file_type_refuse() does.
 * KT_E_USAGE, naming the option, if any option except --output, --format, --names and
 * --color was given. command->given must be set.
 */
int kt_distilled_check(const struct kt_command_line *command, char *const *paths, int n);

/* Merged distilled machines, for kt_outputs_check(). */
extern const struct kt_output_kind kt_output_distilled;

/* A difference of distilled machines, for kt_outputs_check(). */
extern const struct kt_output_kind kt_output_distilled_diff;

/* Merges the files and writes the outputs. Fails as reading, merging and writing do. */
int kt_distilled_merge_files(char *const *paths, int n, enum kt_names names,
			     const struct kt_outputs *outputs);

/*
 * Compares two files and writes the outputs. *differ becomes 1 if they differ, else 0.
 * Fails as kt_distilled_merge_files() does.
 */
int kt_distilled_diff_files(int *differ, char *const paths[2], enum kt_names names,
			    const struct kt_outputs *outputs);

#endif
