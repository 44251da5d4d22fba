/* SPDX-License-Identifier: MIT */
/*
 * Explains why two machines differ: finds a few letters such that the machines become equal
 * if runs of the letters count as one, or if the letters are left out. Typical letters are
 * polls: their number depends on timing, so it may differ between two recordings of the
 * same program.
 */
#ifndef KTAIL_DIFF_EXPLAIN_H
#define KTAIL_DIFF_EXPLAIN_H

#include "infer/ktail/diff/diff-versions.h"

#define KT_DIFF_EXPLAIN_MAX 3

enum kt_diff_of {
	/* The words become equal, and with them all machines inferred from the words. */
	KT_DIFF_OF_WORDS,
	/*
	 * Only the machines inferred with the given k become equal; the words still differ.
	 */
	KT_DIFF_OF_MACHINES,
	/*
	 * The languages of two machines become equal; at least one machine was read from a
	 * file.
	 */
	KT_DIFF_OF_LANGUAGES,
};

struct kt_diff_reason {
	const char *letters[KT_DIFF_EXPLAIN_MAX]; /* Weak: as in the machines */
	size_t n;                                 /* 0: no explanation found */
	/* true: the letters are left out; false: their runs count as one */
	bool omit;
	enum kt_diff_of of; /* what becomes equal */
	/* the words differ (see kt_diff_find_k()); set only if the machines are equal */
	bool words_differ;
	uint64_t telling_k; /* a k for which the machines differ; 0: none is known */
};

/*
 * Tries the ten most suspect letters: first letters that one version has more often; then
 * the last three letters of diverging words, the letters with which the other machine
 * continues there, and letters whose neighbours differ.
 *
 * Single letters are tried first, then pairs, then triples. Each choice is tried first with
 * the runs of its letters counted as one, then with the letters left out. For machines that
 * were read from files, triples are tried only with their runs counted as one. Pairs and
 * triples are tried only if they are at most a third of all letters, since leaving out
 * nearly all letters makes any words equal. Large inputs get fewer tries: over all tries,
 * at most 20,000,000 letters or transitions are read, and at most 100,000,000 transitions
 * are explored to reduce machines.
 *
 * If both versions have words, the words must become equal. If no single letter achieves
 * this, a letter that makes only the machines equal, inferred with the same k, is preferred
 * to two letters. Two or more letters must make the words themselves equal, because merging
 * with a small k can make machines of any words equal.
 */
int kt_diff_explain(struct kt_diff_reason *out, const struct kt_diff_versions *versions,
		    const kt_compare *compare);

/*
 * For equal machines of different words, finds a k for which machines inferred from the
 * words differ. It is the least such k, if the machines also differ for every greater k. *k
 * is 0 if none of the tried k, which grow to the total length of all words, distinguishes
 * the machines; for example, if all words of one version are prefixes of words of the
 * other. *words_differ is false if the words are equal, missing, or so long that all tries
 * together would read more than 20,000,000 letters.
 */
int kt_diff_find_k(bool *words_differ, uint64_t *k,
		   const struct kt_diff_versions *versions);

#endif
