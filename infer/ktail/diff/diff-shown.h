/* SPDX-License-Identifier: MIT */
/*
 * Finds the diverging transitions that words take. Merged states also allow diverging
 * transitions that no word takes, so only those taken are evidence of a difference between
 * the programs. A word diverges at most once: at the first letter that the other machine
 * cannot read.
 */
#ifndef KTAIL_DIFF_SHOWN_H
#define KTAIL_DIFF_SHOWN_H

#include "infer/ktail/diff/diff-versions.h"

/* A diverging transition of one machine. */
struct kt_diff_shown_way {
	uint64_t n;          /* number of words that take it and could be read so far */
	size_t word;         /* the first of them, an index in the words of that machine */
	uint64_t at;         /* letters of this word before the transition */
	uint32_t other;      /* the state of the other machine there */
	uint32_t transition; /* index in that machine's transitions */
};

/* Of one version. */
struct kt_diff_shown_version {
	struct kt_diff_shown_way *ways; /* Owned by this: most words first, then earliest */
	size_t n_ways;
	uint64_t accepted; /* words that the other machine accepts */
	uint64_t words;    /* words whose beginning is known; others are not compared */
};

struct kt_diff_shown {
	bool known; /* both versions have words; otherwise all else is 0 */
	struct kt_diff_shown_version version[2];
};

/* O(letters). The caller frees *out, also after failure. */
int kt_diff_find_shown(struct kt_diff_shown *out, const struct kt_diff_versions *versions);

void kt_diff_shown_free(struct kt_diff_shown *shown);

#endif
