/* SPDX-License-Identifier: MIT */
/*
 * Writes output files completely or not at all: the content is written under a temporary
 * name in the same folder, and the commit renames the file. "-" is standard output (not
 * atomic).
 *
 * A path is resolved as by open(2): symbolic links are followed and not replaced. Links
 * and files that another user may have planted are refused (base/output-target.h). The new
 * file gets the owner, group, mode, access control list and user attributes of the
 * replaced file. Other hard links to the replaced file keep the old content.
 *
 * A file cannot be replaced this way if its folder is not writable, its owner or
 * attributes cannot be kept, or it is a mount point. The new content is then collected in
 * memory (for a mount point, in the temporary file) and overwrites the file on commit; an
 * error or a kill during the commit leaves the file incomplete. Devices, pipes and
 * /dev/fd/N are written directly.
 */
#ifndef KTAIL_BASE_ATOMIC_FILE_H
#define KTAIL_BASE_ATOMIC_FILE_H

#include <stdbool.h>
#include <stdio.h>

struct kt_atomic_file {
	FILE *stream;    /* Owned by this */
	char *name;      /* Owned by this: the path given by the caller; NULL: standard
			  * output */
	char *path;      /* Owned by this: the resolved path; NULL: standard output */
	char *temporary; /* Owned by this: path of the temporary file, or NULL */
	int old;         /* if has_old: the file to be replaced, open for writing */
	bool has_old;
	bool held; /* the content is collected in memory and overwrites `old` on commit */
};

/* Opens path for writing. KT_E_IO, KT_E_MEMORY; *file then needs no kt_atomic_file_abort(). */
int kt_atomic_file_open(struct kt_atomic_file *file, const char *path);

/*
 * Flushes, closes and renames the file. No temporary file remains, even on failure
 * (KT_E_IO).
 */
int kt_atomic_file_commit(struct kt_atomic_file *file);

/* Closes and discards the file. Does nothing if *file was committed or is zeroed. */
void kt_atomic_file_abort(struct kt_atomic_file *file);

#endif
