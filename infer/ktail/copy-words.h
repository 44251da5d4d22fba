/* SPDX-License-Identifier: MIT */
/* The words of one set in another. */
#ifndef KTAIL_COPY_WORDS_H
#define KTAIL_COPY_WORDS_H

#include <stddef.h>

#include <ktail/words.h>

#include "infer/words/alphabet/letter-filter.h"

/* Leaves no word out. */
#define KT_COPY_ALL ((size_t)-1)

/*
 * Appends all words of a set but the one of that number to another, through a filter (NULL:
 * none); letters are found by name. After a failure, some of them are there. O(letters).
 */
int kt_copy_words(kt_words *out, const kt_words *words, size_t left_out,
		  const struct kt_letter_filter *filter);

#endif
