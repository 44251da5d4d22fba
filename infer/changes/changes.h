/* SPDX-License-Identifier: MIT */
/*
 * Finds what changed between two sides, old and new, each of which was recorded several
 * times. What varies within a side is noise; what differs between the sides is a change.
 *
 * Recordings are compared word by word: the i-th word of a name ("app.0" of "trace/app.0")
 * belongs to the i-th recording of its side. Letters whose number varies within both sides,
 * such as polls, are left out; if only one side has several recordings, that side decides.
 * Each word is then aligned with a reference, the most frequent word of the old side. Each
 * difference from the reference (a hunk) is counted on both sides and tested
 * (exact-test.h).
 */
#ifndef KTAIL_CHANGES_H
#define KTAIL_CHANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ktail/words.h>

/*
 * Limit of the probability that one call of kt_changes_find() reports any false change. For
 * comparison: a difference that occurs in 8 of 16 recordings of one side and in none of 16
 * of the other has p = 0.0024.
 */
#define KT_CHANGES_LEVEL 0.005

enum kt_change_kind {
	KT_CHANGE_ADDED,
	KT_CHANGE_REMOVED,
	KT_CHANGE_REPLACED, /* the letters in `removed` were replaced by those in `added` */
	KT_CHANGE_MOVED,    /* the letters in `removed` were moved to `elsewhere` */
};

/* The letters around a position; NULL at the beginning or end of the word. */
struct kt_change_position {
	const char *before;
	const char *after;
};

struct kt_change {
	enum kt_change_kind kind;
	const char *word; /* Weak, part of a name in the old words: for example "app.0" */
	/* The arrays are owned by this; their letters are weak */
	const char **removed;
	size_t n_removed;
	const char **added;
	size_t n_added;
	struct kt_change_position position;  /* in the reference */
	struct kt_change_position elsewhere; /* where KT_CHANGE_MOVED has put letters */
	size_t at; /* number of letters before the change in the reference, not counting
		    * noise */
	/*
	 * Weak: the last CUDA call in the reference before the change, a letter as in the
	 * alphabet `calls`; NULL: none
	 */
	const char *call;
	size_t shown[2]; /* number of recordings with the change: old, new */
	size_t of[2];    /* number of recordings with a word of this name: old, new */
	double p;        /* kt_fisher() */
	bool found;      /* false: chance alone may explain the difference */
	/* Owned by this: for each recording, old ones first, whether it has the change */
	bool *in;
};

struct kt_changes {
	/*
	 * Owned by this: first the n_found changes, then the other differences. Both parts
	 * are sorted by name of the word, then by the first recording that has the
	 * difference (old ones first), then by position.
	 */
	struct kt_change *items;
	size_t n;
	size_t n_found;
	const char **noise; /* Owned by this; its letters are weak: all noise, sorted */
	size_t n_noise;
	size_t recordings[2]; /* old, new: the largest number of words with one name */
	size_t unaligned;     /* number of words too different from their reference */
	kt_words *letters; /* Owned by this: has the names of the letters, and no words */
};

/*
 * Compares all words of two sides. `old` must outlive *out, which keeps parts of the names
 * of its words. The caller frees *out with kt_changes_free(), also after a failure.
 * KT_E_MEMORY. Aligning takes O(letters * edits).
 */
int kt_changes_find(struct kt_changes *out, const kt_words *old, const kt_words *new);

void kt_changes_free(struct kt_changes *changes);

#endif
