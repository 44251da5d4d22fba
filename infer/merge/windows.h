/* SPDX-License-Identifier: MIT */
/*
 * The windows of a text: its distinct strings of k + 1 letters, with their counts. Windows
 * are the edges of a graph (a de Bruijn graph) whose nodes are the strings of k letters: a
 * window leads from its first k letters to its last k letters. The words of the text are
 * walks in this graph.
 */
#ifndef KTAIL_ENGINE_WINDOWS_H
#define KTAIL_ENGINE_WINDOWS_H

#include "infer/engine/text.h"

#define KT_NO_NODE UINT32_MAX

struct kt_windows {
	/*
	 * Owned by this: for each position, the node of the next k letters, or KT_NO_NODE
	 * if fewer follow
	 */
	uint32_t *node_of;
	uint32_t n_nodes;
	uint32_t *first;    /* Owned by this: for each window, its first position */
	uint64_t *count;    /* Owned by this: for each window, its count */
	size_t n;           /* distinct windows, sorted by first position */
	size_t n_positions; /* positions at which a window was counted */
};

struct kt_windows_options {
	uint64_t k;
	size_t n_words; /* the windows are those of the first n_words words */
	/*
	 * Weak: for each position at which a window is counted, in order of the text, what
	 * to add to the count of that window; NULL: 1 each. The sum fits an int64_t.
	 */
	const uint64_t *counts;
};

/*
 * Collects the windows, except the first window of each word whose beginning is known.
 * O(text) for any k, plus sorting; 13 bytes per symbol and 12 per window in addition to the
 * text.
 */
int kt_windows_gather(struct kt_windows *windows, const struct kt_text *text,
		      const struct kt_windows_options *options);

void kt_windows_clear(struct kt_windows *windows);

/*
 * Paths: windows joined into few long strings, so that each window is in exactly one
 * string. Window B can follow window A if the first k letters of B are the last k letters
 * of A. A string of m letters represents m - k windows, which takes about one letter per
 * window.
 *
 * The strings depend only on the set of windows. At each node, the i-th entering window,
 * sorted by first letter, is followed by the i-th leaving window, sorted by last letter. If
 * this gives a circle, its string begins with the least window.
 */

#define KT_NO_WINDOW UINT32_MAX

struct kt_paths {
	/* Owned by this: for each window, the next window or KT_NO_WINDOW */
	uint32_t *next;
	uint32_t *heads; /* Owned by this: the first windows of paths, sorted */
	size_t n;
	size_t capacity;
};

/*
 * Joins the windows. O(windows + nodes + letters), plus sorting the first windows of paths;
 * 24 bytes per window and 4 per node.
 */
int kt_paths_string(struct kt_paths *paths, const struct kt_windows *windows,
		    const struct kt_text *text, uint64_t k);

void kt_paths_clear(struct kt_paths *paths);

#endif
