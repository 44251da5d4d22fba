/* SPDX-License-Identifier: MIT */
/*
 * Expands the inputs of a command line, which are traces and words, also compressed and in
 * archives:
 *
 * - X.events.zst: a word, compressed by zstd(1).
 * - X.tar.zst: an archive of traces, or of .events files.
 * - a folder with .events or .events.zst files: these files in the order of their names, in
 *   which numbers are compared by value (r2 before r10).
 *
 * Compressed inputs are unpacked into a temporary folder. All other paths are kept as
 * given.
 */
#ifndef KTAIL_FILES_INPUTS_H
#define KTAIL_FILES_INPUTS_H

#include <stddef.h>

struct kt_inputs {
	char **paths; /* Owned by this, as is each path; in the order of the command line */
	size_t n;
	size_t capacity;
	char *folder; /* Owned by this: the temporary folder; NULL: none */
};

/*
 * Expands paths[0..n). KT_E_IO if an input cannot be read or unpacked; KT_E_MALFORMED if an
 * archive is damaged, has an entry whose path leaves the archive's folder, or unpacks to
 * more than 16 GiB; KT_E_EMPTY if an archive has no entries. The caller calls
 * kt_inputs_free(), also on failure.
 */
int kt_inputs_open(struct kt_inputs *out, char *const *paths, size_t n);

/* Frees the paths, and removes the temporary folder. */
void kt_inputs_free(struct kt_inputs *inputs);

#endif
