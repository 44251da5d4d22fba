/* SPDX-License-Identifier: MIT */
/*
 * The windows of a text: its strings of k + 1 letters, each distinct one with how often it
 * occurs. A window leads from a node, its first k letters, to another, its last k: the
 * text's words are walks in that graph (de Bruijn's).
 */
#ifndef KTAIL_ENGINE_WINDOWS_H
#define KTAIL_ENGINE_WINDOWS_H

#include "infer/engine/text.h"

#define KT_NO_NODE UINT32_MAX

struct kt_windows {
	uint32_t *node_of; /* Owned by this: by position, of the k letters there, or
			      KT_NO_NODE where fewer remain */
	uint32_t n_nodes;
	uint32_t *first;    /* Owned by this: by window, its first position in the text */
	uint64_t *count;    /* Owned by this: by window */
	size_t n;           /* distinct windows, in order of their first positions */
	size_t n_positions; /* positions at which one was counted */
};

struct kt_windows_options {
	uint64_t k;
	size_t n_words;         /* windows are those of the text's first words */
	const uint64_t *counts; /* Weak: of each window in order of the text; NULL: one.
				   Their sum fits an int64_t */
};

/*
 * The window in which a word begins at the start is not counted. O(text), whatever k, but
 * for sorting; 13 bytes a symbol and 12 a window, text aside.
 */
int kt_windows_gather(struct kt_windows *windows, const struct kt_text *text,
		      const struct kt_windows_options *options);

void kt_windows_clear(struct kt_windows *windows);

/*
 * Windows strung together to few long strings, each window in one of them: two windows
 * follow each other where the last k letters of one are the first k of the other. A string
 * of m letters then stands for m - k windows, which takes about a letter a window.
 *
 * Which strings depends on the set of windows alone. At each node, of the windows that
 * enter it, in order of their first letters, the i-th is followed by the i-th of those that
 * leave it, in order of their last letters; a circle begins with its least window.
 */

#define KT_NO_WINDOW UINT32_MAX

struct kt_paths {
	uint32_t *next;  /* Owned by this: by window, the one after it or KT_NO_WINDOW */
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
