/* SPDX-License-Identifier: MIT */
/* What is behind kt_kgrams, for the engine's own eyes. */
#ifndef KTAIL_ENGINE_KGRAM_SET_H
#define KTAIL_ENGINE_KGRAM_SET_H

#include <stdbool.h>

#include <ktail/kgrams.h>

#include "infer/engine/order.h"

struct kt_kgram_word {
	char *name; /* Owned by this */
	uint64_t n; /* letters */
	uint64_t lost;
	uint32_t first; /* piece: its first k + 1 letters, or all */
	uint32_t last;  /* piece: its last k letters, or all */
	bool cut_begin;
	bool cut_end;
	char hash[KT_HASH_SIZE];
};

/*
 * Letters are numbered in byte order of their names; all of them occur. A path of m letters
 * stands for m - k windows, one behind the other. Paths, pieces and words are in order, and
 * which paths there are follows from the windows (see paths.h), so that equal statistics
 * are equal in every member.
 */
struct kt_kgrams {
	uint64_t k;
	char *word;          /* Owned by this */
	char *alphabet_json; /* Owned by this; or NULL */
	kt_words *strings;   /* Owned by this: the paths, behind them the pieces */
	size_t n_paths;
	uint64_t *counts; /* Owned by this: of windows, in order of the paths */
	size_t n_windows;
	struct kt_kgram_word *words; /* Owned by this */
	size_t n_words;
};

/* An empty set but for its head, which is copied; alphabet_json may be NULL. */
int kt_kgrams_new(kt_kgrams **out, uint64_t k, const char *word, const char *alphabet_json);

#endif
