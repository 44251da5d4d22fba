/* SPDX-License-Identifier: MIT */
/*
 * Inputs of a command line: traces and words, also compressed and in archives.
 *
 * - X.events.zst: a word, compressed by zstd(1).
 * - X.tar.zst: an archive of traces, or of .events files.
 * - a folder with .events files: these files, in the order of their names, in which numbers
 *   are compared by value (r2 before r10).
 *
 * Compressed inputs are unpacked into a temporary folder. Everything else stays as it is.
 */
#ifndef KTAIL_FILES_INPUTS_H
#define KTAIL_FILES_INPUTS_H

#include <stddef.h>

struct kt_inputs {
	char **paths; /* Owned by this, each as well; in order */
	size_t n;
	size_t capacity;
	char *folder; /* Owned by this: the temporary folder; NULL: none */
};

/*
 * Expands the paths of a command line. KT_E_IO if an input cannot be read or unpacked,
 * KT_E_MALFORMED if it is damaged, has an entry outside of its folder, or unpacks
 * to more than 16 GiB, KT_E_EMPTY if an archive has no files. *out needs a
 * kt_inputs_free(), also on failure.
 */
int kt_inputs_open(struct kt_inputs *out, char *const *paths, size_t n);

/* Removes what was unpacked. */
void kt_inputs_free(struct kt_inputs *inputs);

#endif
