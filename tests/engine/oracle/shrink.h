/* SPDX-License-Identifier: MIT */
/* Making a set of words that breaks a property as small as it can be, to be looked at. */
#ifndef KTAIL_TESTS_ENGINE_SHRINK_H
#define KTAIL_TESTS_ENGINE_SHRINK_H

#include <stdbool.h>
#include <stdio.h>

#include <ktail/words.h>

/* Whether the words break the property. */
typedef bool (*fails_fn)(const kt_words *words, void *context);

/*
 * A set that fails, as the given one does, but in which no word and no letter can be left
 * out, no cut or loss undone and no two kinds of letters made one: then it would not fail
 * any more. The caller owns it. Out of memory: aborts.
 */
kt_words *shrink_set(const kt_words *words, fails_fn fails, void *context);

/* A line a word: its letters' names, "<" in front where it is cut there, ">" after. */
void print_set(FILE *out, const kt_words *words);

#endif
