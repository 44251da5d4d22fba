/* SPDX-License-Identifier: MIT */
/*
 * Why two machines differ: a few letters that make them equal if runs of these are taken as
 * one, or if they are left out. Polling goes by time, and so two recordings of one program
 * differ in how often it looks.
 */
#ifndef KTAIL_DIFF_EXPLAIN_H
#define KTAIL_DIFF_EXPLAIN_H

#include "infer/ktail/diff/diff-versions.h"

#define KT_DIFF_EXPLAIN_MAX 3

enum kt_diff_of {
	KT_DIFF_OF_WORDS,     /* the words are equal then, and so all machines of them */
	KT_DIFF_OF_MACHINES,  /* those inferred by the k in use, from words that are not */
	KT_DIFF_OF_LANGUAGES, /* those of two machines of which one at least was read */
};

struct kt_diff_reason {
	const char *letters[KT_DIFF_EXPLAIN_MAX]; /* Weak: names of the machines' */
	size_t n;                                 /* 0: none was found */
	bool omit;                                /* left out, not runs taken as one */
	enum kt_diff_of of;                       /* what is the same then */
	/* Of equal machines of other words: */
	bool words_differ;
	uint64_t telling_k; /* by which they are not; 0: none */
};

/*
 * Tries the letters that the words of one side have more often, then the last three letters
 * of diverging words, what the other machine has there, and letters that have moved among
 * those that both sides have as often, the ten most frequent ones: runs of one, without
 * one, then two, then three (but machines that were read not without three); of more than
 * one only where that is no more than a third of all letters, since any two words are the
 * same without all of theirs. Fewer for large machines: 20,000,000 letters or transitions
 * are looked at, and 100,000,000 steps taken to reduce machines, counted over all tries.
 *
 * Where both sides have words, these must become equal. Where no one letter does that, but
 * makes the machines equal that are inferred from them by the same k, that comes before two
 * letters; of two or more that would explain nothing, since machines of any words can be
 * equal, by bold merging.
 */
int kt_diff_explain(struct kt_diff_reason *out, const struct kt_diff_versions *versions,
		    const kt_compare *compare);

/*
 * Where the machines of other words are equal: a k by which they are not, the least one if
 * they differ by all greater ones, too. 0: one greater than all words does not tell them
 * apart, as where all words of one side begin words of the other one. *words_differ: false
 * if the words are the same, or not there, or too many, so that all tries would look at
 * more than 20,000,000 letters.
 */
int kt_diff_find_k(bool *words_differ, uint64_t *k,
		   const struct kt_diff_versions *versions);

#endif
