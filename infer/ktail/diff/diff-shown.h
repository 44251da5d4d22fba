/* SPDX-License-Identifier: MIT */
/*
 * Finds the diverging transitions that words take, that is, transitions that the other
 * machine does not have after the same letters. Merged states also allow diverging
 * transitions that no word takes, but these do not prove a difference between the
 * programs. A word diverges at most once: at the first letter that the other machine
 * cannot read.
 */
#ifndef KTAIL_DIFF_SHOWN_H
#define KTAIL_DIFF_SHOWN_H

#include "infer/ktail/diff/diff-versions.h"

/* A diverging transition of a machine. */
struct kt_diff_shown_way {
	uint64_t n;          /* number of words that diverge here */
	size_t word;         /* the first such word, an index in the words of the machine */
	uint64_t at;         /* number of letters of this word before the transition */
	uint32_t other;      /* state of the other machine before the transition */
	uint32_t transition; /* index in fsm->transitions of the machine */
};

/* The diverging words of one version. */
struct kt_diff_shown_version {
	struct kt_diff_shown_way *ways; /* Owned by this: most words first, then earliest */
	size_t n_ways;
	uint64_t accepted; /* number of words that the other machine accepts */
	/* number of words that are compared: those whose beginning is known */
	uint64_t words;
};

struct kt_diff_shown {
	bool known; /* both versions have words; otherwise all other members are 0 */
	struct kt_diff_shown_version version[2];
};

/* O(letters). The caller frees *out, also after failure. */
int kt_diff_find_shown(struct kt_diff_shown *out, const struct kt_diff_versions *versions);

void kt_diff_shown_free(struct kt_diff_shown *shown);

#endif
