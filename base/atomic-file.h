/* SPDX-License-Identifier: MIT */
/*
 * Output files that are there whole or not at all: written beside their place under a
 * temporary name, moved there on commit. "-" is standard output (not atomic).
 *
 * A path is what open(2) would make of it: its links are followed and stay, and what the
 * kernel would not let the caller write to is refused (base/output-target.h). A file that
 * is replaced keeps its owner, group, mode, access control list and user attributes; other
 * hard links to it keep the old content. Where it cannot be replaced so, because its folder
 * may not be written to, its owner cannot be kept or it is a mount point, its content is
 * held in memory and written into it on commit, which an error or a kill can cut short.
 * Devices, pipes and /dev/fd/N are written to at once.
 */
#ifndef KTAIL_BASE_ATOMIC_FILE_H
#define KTAIL_BASE_ATOMIC_FILE_H

#include <stdbool.h>
#include <stdio.h>

struct kt_atomic_file {
	FILE *stream;    /* Owned by this */
	char *name;      /* Owned by this: as the caller calls it; NULL: standard output */
	char *path;      /* Owned by this: where it really is */
	char *temporary; /* Owned by this; NULL if there is none */
	int old;         /* the file to be replaced, open for writing, if has_old */
	bool has_old;
	bool held; /* the stream is a file in memory, to be written into `old` */
};

/* Opens path for writing. On failure *file needs no kt_atomic_file_abort(). */
int kt_atomic_file_open(struct kt_atomic_file *file, const char *path);

/* Flushes, closes and puts the file in its place; on failure no file is left behind. */
int kt_atomic_file_commit(struct kt_atomic_file *file);

/* Closes and forgets the file. Does nothing on a file that was committed or zeroed. */
void kt_atomic_file_abort(struct kt_atomic_file *file);

#endif
