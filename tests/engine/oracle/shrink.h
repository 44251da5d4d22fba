/* SPDX-License-Identifier: MIT */
/* Shrinks a word set that breaks a property, so that a person can read it. */
#ifndef KTAIL_TESTS_ENGINE_SHRINK_H
#define KTAIL_TESTS_ENGINE_SHRINK_H

#include <stdbool.h>
#include <stdio.h>

#include <ktail/words.h>

/* Returns whether the words break the property. */
typedef bool (*fails_fn)(const kt_words *words, void *context);

/*
 * Returns a set that fails like the given one, but would no longer fail if any word or
 * letter were removed, any cut or loss undone or any two letters merged. The caller owns
 * it. Out of memory: aborts.
 */
kt_words *shrink_set(const kt_words *words, fails_fn fails, void *context);

/*
 * Prints a line for each word: its letters' names, "<" first where its beginning is cut,
 * ">" last where its end is.
 */
void print_set(FILE *out, const kt_words *words);

#endif
