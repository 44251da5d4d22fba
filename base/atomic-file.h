/* SPDX-License-Identifier: MIT */
/*
 * Output files that are written completely or not at all: written under a temporary name in
 * the same folder, and renamed on commit. "-" is standard output (not atomic).
 *
 * A path is resolved like open(2): symbolic links are followed and kept, and targets that
 * the kernel would not let the caller write are refused (base/output-target.h). A replaced
 * file keeps its owner, group, mode, access control list and user attributes; other hard
 * links to it keep the old content.
 *
 * A file cannot be replaced this way if its folder is not writable, its owner or attributes
 * cannot be kept, or it is a mount point. The new content is then collected in memory (for
 * a mount point, in the temporary file) and overwrites the file on commit; an error or a
 * kill during that leaves the file incomplete. Devices, pipes and /dev/fd/N are written
 * directly.
 */
#ifndef KTAIL_BASE_ATOMIC_FILE_H
#define KTAIL_BASE_ATOMIC_FILE_H

#include <stdbool.h>
#include <stdio.h>

struct kt_atomic_file {
	FILE *stream;    /* Owned by this */
	char *name;      /* Owned by this: the name given by the caller; NULL: standard
			  * output */
	char *path;      /* Owned by this: the resolved path */
	char *temporary; /* Owned by this, or NULL */
	int old;         /* the file to be replaced, open for writing, if has_old */
	bool has_old;
	bool held; /* the content is collected in memory and overwrites `old` on commit */
};

/* Opens path for writing. On failure *file needs no kt_atomic_file_abort(). */
int kt_atomic_file_open(struct kt_atomic_file *file, const char *path);

/* Flushes, closes and installs the file. On failure no temporary file remains. */
int kt_atomic_file_commit(struct kt_atomic_file *file);

/* Closes and discards the file. Does nothing if it was committed or is zeroed. */
void kt_atomic_file_abort(struct kt_atomic_file *file);

#endif
