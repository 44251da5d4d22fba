/* SPDX-License-Identifier: MIT */
/* Files of statistics (kt_kgrams) on a command line, which end in .kgrams. */
#ifndef KTAIL_STATISTICS_H
#define KTAIL_STATISTICS_H

#include <stdbool.h>

#include <ktail/kgrams.h>

#include "infer/files/output.h"

/* Whether a path names statistics, not a trace: by its suffix. */
bool kt_statistics_is_named(const char *path);

/* Reads statistics from a file; the caller owns *out. */
int kt_statistics_read(kt_kgrams **out, const char *path);

/*
 * Waits until no other program updates the file, which must exist. Closing *lock, or ending
 * the program, releases it.
 */
int kt_statistics_lock(int *lock, const char *path);

/* Formats of statistics (kt_kgrams): .kgrams. */
extern const struct kt_output_kind kt_output_statistics;

#endif
