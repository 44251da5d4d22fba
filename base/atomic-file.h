/* SPDX-License-Identifier: MIT */
/*
 * Output files that are there whole or not at all: written beside their place under a
 * temporary name, moved there on commit. "-" is standard output (not atomic).
 */
#ifndef KTAIL_BASE_ATOMIC_FILE_H
#define KTAIL_BASE_ATOMIC_FILE_H

#include <stdio.h>

struct kt_atomic_file {
	FILE *stream;    /* Owned by this */
	char *path;      /* Owned by this; NULL for standard output */
	char *temporary; /* Owned by this; NULL for standard output or a device */
};

/* Opens path for writing. On failure *file needs no kt_atomic_file_abort(). */
int kt_atomic_file_open(struct kt_atomic_file *file, const char *path);

/* Flushes, closes and puts the file in its place; on failure no file is left behind. */
int kt_atomic_file_commit(struct kt_atomic_file *file);

/* Closes and forgets the file. Does nothing on a file that was committed or zeroed. */
void kt_atomic_file_abort(struct kt_atomic_file *file);

#endif
