/* SPDX-License-Identifier: MIT */
/*
 * What changed between two sides of which each was recorded several times: what varies
 * within a side is noise, what differs between the sides is change.
 *
 * Recordings are compared word by word: the i-th word of a name ("app.0" of "trace/app.0")
 * belongs to the i-th recording of its side. Letters whose number varies within both sides
 * (within the only side with several recordings), such as polls, are left out. Each word is
 * then aligned with a reference, the most frequent word of the old side; each difference
 * from it (a hunk) is counted on both sides and tested (exact-test.h).
 */
#ifndef KTAIL_CHANGES_H
#define KTAIL_CHANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ktail/words.h>

/*
 * The probability of a false finding in all comparisons of one call. A difference
 * in 8 of 16 recordings of one side and in none of 16 of the other has p = 0.0024.
 */
#define KT_CHANGES_LEVEL 0.005

enum kt_change_kind {
	KT_CHANGE_ADDED,
	KT_CHANGE_REMOVED,
	KT_CHANGE_REPLACED, /* `removed` by `added` */
	KT_CHANGE_MOVED,    /* `removed` to `elsewhere` */
};

/* The letters around a position; NULL at the beginning or end of the word. */
struct kt_change_position {
	const char *before;
	const char *after;
};

struct kt_change {
	enum kt_change_kind kind;
	const char *word; /* Weak: "app.0" */
	/* Owned by this; the letters are weak */
	const char **removed;
	size_t n_removed;
	const char **added;
	size_t n_added;
	struct kt_change_position position;  /* in the reference */
	struct kt_change_position elsewhere; /* of what was moved: its new place */
	size_t at; /* number of letters of the reference before it, without noise */
	/*
	 * Weak: the last letter of the reference before it that is the name of a CUDA call,
	 * as in the alphabet `calls`; NULL: none
	 */
	const char *call;
	size_t shown[2]; /* recordings with it: old, new */
	size_t of[2];    /* recordings with this word */
	double p;        /* kt_fisher() */
	bool found;      /* it is a change; otherwise it may be noise */
	bool *in;        /* Owned by this: by recording, old ones first */
};

struct kt_changes {
	/*
	 * Owned by this: first the n_found changes, then the other differences; both sorted
	 * by word and position
	 */
	struct kt_change *items;
	size_t n;
	size_t n_found;
	const char **noise; /* Owned by this: letters left out, sorted; weak */
	size_t n_noise;
	size_t recordings[2]; /* the most that a word has */
	size_t unaligned;     /* words that differ too much from their reference */
	kt_words *letters;    /* Owned by this: keeps names of letters and words */
};

/*
 * Compares all words of two sides. *out is to be freed with kt_changes_free(), also after a
 * failure. KT_E_MEMORY. O(letters * edits).
 */
int kt_changes_find(struct kt_changes *out, const kt_words *old, const kt_words *new);

void kt_changes_free(struct kt_changes *changes);

#endif
