/* SPDX-License-Identifier: MIT */
/* Copies the words of one set to another. */
#ifndef KTAIL_COPY_WORDS_H
#define KTAIL_COPY_WORDS_H

#include <stddef.h>
#include <stdint.h>

#include <ktail/words.h>

#include "infer/words/alphabet/letter-filter.h"

/* Value of `left_out` that copies all words. */
#define KT_COPY_ALL ((size_t)-1)

/*
 * Appends all words of a set, except the word with index `left_out`, to `out` through a
 * filter (NULL: none). Letters are matched by name. As when reading a trace, a word whose
 * letters are all left out is dropped, and its lost events are added to the next word.
 * *lost, initially 0, carries these events to the next word, also from one call to the
 * next; lost may be NULL if there is no filter. After a failure some words may have been
 * appended. O(letters).
 */
int kt_copy_words(kt_words *out, const kt_words *words, size_t left_out,
		  const struct kt_letter_filter *filter, uint64_t *lost);

#endif
