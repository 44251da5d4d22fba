/* SPDX-License-Identifier: MIT */
/* Files of statistics (kt_kgrams) on a command line. Their names end in .kgrams. */
#ifndef KTAIL_STATISTICS_H
#define KTAIL_STATISTICS_H

#include <stdbool.h>

#include <ktail/kgrams.h>

#include "infer/files/output.h"

/* Returns whether a path ends in .kgrams, so that it names statistics, not a trace. */
bool kt_statistics_is_named(const char *path);

/* Reads statistics from a file; the caller owns *out. */
int kt_statistics_read(kt_kgrams **out, const char *path);

/*
 * Locks a file, which must exist, for an update; waits until no other program updates it.
 * Closing *lock, or ending the program, releases the lock.
 */
int kt_statistics_lock(int *lock, const char *path);

/* Formats of statistics (kt_kgrams): .kgrams. */
extern const struct kt_output_kind kt_output_statistics;

#endif
