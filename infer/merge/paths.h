/* SPDX-License-Identifier: MIT */
/*
 * Windows strung together to few long strings, each window in one of them: two windows
 * follow each other where the last k letters of one are the first k of the other. A string
 * of m letters then stands for m - k windows, which takes about a letter a window.
 *
 * Which strings depends on the set of windows alone. At each node, of the windows that
 * enter it, in order of their first letters, the i-th is followed by the i-th of those that
 * leave it, in order of their last letters; a circle begins with its least window.
 */
#ifndef KTAIL_ENGINE_PATHS_H
#define KTAIL_ENGINE_PATHS_H

#include "infer/merge/windows.h"

#define KT_NO_WINDOW UINT32_MAX

struct kt_paths {
	uint32_t *next;  /* Owned by this: by window, the one behind it or KT_NO_WINDOW */
	uint32_t *heads; /* Owned by this: the first windows of paths, in order */
	size_t n;
	size_t capacity;
};

/* O(windows + nodes + letters), but for comparing the first windows of paths; 24 bytes a
 * window and 4 a node.
 */
int kt_paths_string(struct kt_paths *paths, const struct kt_windows *windows,
		    const struct kt_text *text, uint64_t k);

void kt_paths_clear(struct kt_paths *paths);

#endif
