/* SPDX-License-Identifier: MIT */
/*
 * Explains why two machines differ: finds a few letters such that the machines become equal
 * if runs of the letters count as one, or if the letters are left out. The number of polls
 * depends on timing, so two recordings of one program may differ in it.
 */
#ifndef KTAIL_DIFF_EXPLAIN_H
#define KTAIL_DIFF_EXPLAIN_H

#include "infer/ktail/diff/diff-versions.h"

#define KT_DIFF_EXPLAIN_MAX 3

enum kt_diff_of {
	/* the words are equal, and so are all machines inferred from them */
	KT_DIFF_OF_WORDS,
	KT_DIFF_OF_MACHINES, /* machines inferred with the given k from different words */
	/* languages of two machines, at least one of which was read from a file */
	KT_DIFF_OF_LANGUAGES,
};

struct kt_diff_reason {
	const char *letters[KT_DIFF_EXPLAIN_MAX]; /* Weak: letter names of the machines */
	size_t n;                                 /* 0: no explanation found */
	/* true: the letters are left out; false: their runs count as one */
	bool omit;
	enum kt_diff_of of; /* what becomes equal */
	/* For equal machines of different words: */
	bool words_differ;
	uint64_t telling_k; /* k for which the machines differ; 0: none */
};

/*
 * Tries the ten most suspect letters. The most suspect are letters that one version has
 * more often; then the last three letters of diverging words, the letters with which the
 * other machine continues there, and letters whose neighbours differ.
 *
 * Single letters are tried first, then pairs, then triples; each time with their runs
 * counted as one, then left out. For machines that were read, triples are not left out.
 * Several letters are tried only if they are at most a third of all, since any words are
 * equal without all their letters. Large machines get fewer tries: over all tries,
 * 20,000,000 letters or transitions are read, and 100,000,000 steps taken to reduce
 * machines.
 *
 * If both versions have words, the words must become equal. If no single letter achieves
 * that, a letter that makes the machines inferred with the same k equal is preferred to two
 * letters. Two or more letters must make the words themselves equal, because bold merging
 * can make machines of any words equal.
 */
int kt_diff_explain(struct kt_diff_reason *out, const struct kt_diff_versions *versions,
		    const kt_compare *compare);

/*
 * For equal machines of different words, finds a k for which machines inferred from the
 * words differ: the least such k, if the machines also differ for every greater k. *k is 0
 * if even a k greater than the length of all words does not separate the machines, as when
 * all words of one version are prefixes of words of the other. *words_differ is false if
 * the words are equal or missing, or so long that all tries would read more than 20,000,000
 * letters.
 */
int kt_diff_find_k(bool *words_differ, uint64_t *k,
		   const struct kt_diff_versions *versions);

#endif
