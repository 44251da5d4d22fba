/* SPDX-License-Identifier: MIT */
/* Shrinks a word set that fails a test, so that a person can read it. */
#ifndef KTAIL_TESTS_ENGINE_SHRINK_H
#define KTAIL_TESTS_ENGINE_SHRINK_H

#include <stdbool.h>
#include <stdio.h>

#include <ktail/words.h>

/* Returns whether the words fail the test. */
typedef bool (*fails_fn)(const kt_words *words, void *context);

/*
 * Returns a smaller set that still fails, but would not if any word or letter were removed,
 * any cut or loss undone, or one letter replaced everywhere by an earlier one. The caller
 * owns the set. Aborts if there is no memory.
 */
kt_words *shrink_set(const kt_words *words, fails_fn fails, void *context);

/*
 * Prints a line for each word: its name, its losses and its letters, after "<" if its
 * beginning is cut and before ">" if its end is cut.
 */
void print_set(FILE *out, const kt_words *words);

#endif
