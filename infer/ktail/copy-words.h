/* SPDX-License-Identifier: MIT */
/* Copies the words of one set to another. */
#ifndef KTAIL_COPY_WORDS_H
#define KTAIL_COPY_WORDS_H

#include <stddef.h>

#include <ktail/words.h>

#include "infer/words/alphabet/letter-filter.h"

/* Copies all words. */
#define KT_COPY_ALL ((size_t)-1)

/*
 * Appends all words of a set, except the one with number `left_out`, to another through a
 * filter (NULL: none); letters are found by name. After a failure some words may have been
 * appended. O(letters).
 */
int kt_copy_words(kt_words *out, const kt_words *words, size_t left_out,
		  const struct kt_letter_filter *filter);

#endif
